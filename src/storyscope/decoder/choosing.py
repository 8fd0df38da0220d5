"""Which frames are also sent at picture size (runs inside the decoding process)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from storyscope.decoder.scaling import Scaled

if TYPE_CHECKING:
    import numpy as np

LULL_SECONDS = 0.5
"""Seconds between two pictures while little changes."""
CHANGE = 12.0
"""Mean difference of small frames, in levels of 256, that ends a quiet stretch; cuts exceed it."""


class PictureChooser:
    """Chooses at most `per_second` frames per second, and fewer where they look alike.

    Sending a picture costs more than decoding the frame; even a short shot has one soon after it
    begins.
    """

    def __init__(self, *, per_second: float) -> None:
        self._per_second = per_second
        self._slot = -1
        self._seconds = -LULL_SECONDS
        self._small: np.ndarray

    def wants(self, seconds: float, small: Scaled) -> bool:
        """Whether the next frame in presentation order is sent as a picture; the first one always
        is."""
        slot = int(seconds * self._per_second + 1e-6)
        if slot <= self._slot:
            return False
        pixels = _pixels(small)
        lull = seconds - self._seconds < LULL_SECONDS - 1e-6
        # A sum is faster than `mean`, whose many calls evict the decoder's data from the cache.
        if lull and abs(pixels - self._small).sum() < CHANGE * pixels.size:
            return False
        self._slot, self._seconds, self._small = slot, seconds, pixels
        return True


def _pixels(small: Scaled) -> np.ndarray:
    """The frame without the padding between its rows."""
    import numpy as np

    rows = np.frombuffer(small.plane, np.uint8)[: small.stride * small.height]
    return rows.reshape(small.height, small.stride)[:, : 3 * small.width].astype(np.int16)
