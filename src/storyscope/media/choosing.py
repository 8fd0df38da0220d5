"""Which frames are wanted large as well (runs inside the decoding process)."""

from __future__ import annotations

import numpy as np

from storyscope.media.scaling import Scaled

LULL_SECONDS = 0.5
"""While little changes, this much time passes between two pictures."""
CHANGE = 12.0
"""Levels of 256 by which the small frames must differ on average to end a lull: cuts do."""


class PictureChooser:
    """Chooses at most `per_second` frames a second, and fewer where they look alike.

    Carrying a picture across costs more than decoding the frame; a shot, however short, still
    has one soon after it begins.
    """

    def __init__(self, *, per_second: float) -> None:
        self._per_second = per_second
        self._slot = -1
        self._seconds = -LULL_SECONDS
        self._small = np.zeros((0, 0), np.int16)

    def wants(self, seconds: float, small: Scaled) -> bool:
        """Whether the next frame in presentation order is to be a picture; the first one is."""
        slot = int(seconds * self._per_second + 1e-6)
        if slot <= self._slot:
            return False
        pixels = _pixels(small)
        lull = seconds - self._seconds < LULL_SECONDS - 1e-6
        # A sum, because `mean` is many calls, and each finds the decoder's work in the cache.
        if lull and int(np.abs(pixels - self._small).sum()) < CHANGE * pixels.size:
            return False
        self._slot, self._seconds, self._small = slot, seconds, pixels
        return True


def _pixels(small: Scaled) -> np.ndarray:
    """The frame without what lies between its rows in memory."""
    rows = np.frombuffer(small.plane, np.uint8)[: small.stride * small.height]
    return rows.reshape(small.height, small.stride)[:, : 3 * small.width].astype(np.int16)
