"""Split a stream of sound into chunks at quiet moments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from storyscope.core import SoundChunk

RATE = 16_000


@dataclass(frozen=True, eq=False)
class Piece:
    """A chunk of sound short enough to be recognised at once."""

    start: float
    end: float
    samples: np.ndarray
    """float32, 16 kHz mono, from `lead` seconds before the start on."""
    lead: float = 0.0


def cut_at_quiet(
    sound: Iterable[SoundChunk],
    *,
    most_seconds: float = 60.0,
    search_seconds: float = 15.0,
    quiet_seconds: float = 0.2,
    overlap_seconds: float = 0.0,
) -> Iterator[Piece]:
    """Chunks of at most `most_seconds`, each ending at the quietest moment of its last
    `search_seconds`, so that few words are cut.

    The samples of a chunk extend `overlap_seconds` into its neighbours, so that a word at a border
    is recognised whole. A gap in the sound ends a chunk. The cuts depend on the sound alone: a run
    that resumes finds the same chunks.
    """
    held: list[np.ndarray] = []
    start, length, lead = 0.0, 0, 0
    most, overlap = round(most_seconds * RATE), round(overlap_seconds * RATE)
    for chunk in sound:
        if held and abs(chunk.seconds - (start + (length - lead) / RATE)) > GAP_SECONDS:
            yield Piece(start, start + (length - lead) / RATE, np.concatenate(held), lead / RATE)
            held, length, lead = [], 0, 0
        if not held:
            start = chunk.seconds
        held.append(np.asarray(chunk.samples, dtype=np.float32))
        length += len(chunk.samples)
        while length - lead >= most + overlap:
            samples = np.concatenate(held)
            body = samples[lead : lead + most]
            cut = lead + _quietest(body, round(search_seconds * RATE), quiet_seconds)
            end = start + (cut - lead) / RATE
            yield Piece(start, end, samples[: cut + overlap], lead / RATE)
            start, lead = end, min(cut, overlap)
            held, length = [samples[cut - lead :]], len(samples) - cut + lead
    if length > lead:
        yield Piece(start, start + (length - lead) / RATE, np.concatenate(held), lead / RATE)


GAP_SECONDS = 0.25


def _quietest(samples: np.ndarray, search: int, quiet_seconds: float) -> int:
    """The middle of the quietest window among the last `search` samples."""
    width = round(quiet_seconds * RATE)
    tail = samples[-search:].astype(float)
    energy = np.concatenate([[0.0], np.cumsum(tail**2)])
    windows = energy[width:] - energy[:-width]
    return len(samples) - len(tail) + int(windows.argmin()) + width // 2
