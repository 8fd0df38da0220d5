"""A stream of sound, cut into pieces where it is quiet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from storyscope.core import SoundChunk

RATE = 16_000


@dataclass(frozen=True, eq=False)
class Piece:
    """A stretch of sound short enough to recognise at once."""

    start: float
    samples: np.ndarray
    """float32, 16 kHz mono."""

    @property
    def end(self) -> float:
        return self.start + len(self.samples) / RATE


def cut_at_quiet(
    sound: Iterable[SoundChunk],
    *,
    most_seconds: float = 60.0,
    search_seconds: float = 15.0,
    quiet_seconds: float = 0.2,
) -> Iterator[Piece]:
    """Pieces of at most `most_seconds`, each ended at the quietest moment of its last
    `search_seconds`, so that no word is cut in two.

    Where the sound itself has a gap, a piece ends. The cuts depend on the sound alone: a run
    that resumes finds the same pieces.
    """
    held: list[np.ndarray] = []
    start, length = 0.0, 0
    most = round(most_seconds * RATE)
    for chunk in sound:
        if held and abs(chunk.seconds - (start + length / RATE)) > GAP_SECONDS:
            yield Piece(start, np.concatenate(held))
            held, length = [], 0
        if not held:
            start = chunk.seconds
        held.append(np.asarray(chunk.samples, dtype=np.float32))
        length += len(chunk.samples)
        while length >= most:
            samples = np.concatenate(held)
            cut = _quietest(samples[:most], round(search_seconds * RATE), quiet_seconds)
            yield Piece(start, samples[:cut])
            held, start, length = [samples[cut:]], start + cut / RATE, length - cut
    if length:
        yield Piece(start, np.concatenate(held))


GAP_SECONDS = 0.25


def _quietest(samples: np.ndarray, search: int, quiet_seconds: float) -> int:
    """The middle of the window of least energy among the last `search` samples."""
    width = round(quiet_seconds * RATE)
    tail = samples[-search:].astype(float)
    energy = np.concatenate([[0.0], np.cumsum(tail**2)])
    windows = energy[width:] - energy[:-width]
    return len(samples) - len(tail) + int(windows.argmin()) + width // 2
