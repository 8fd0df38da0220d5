"""Speaker diarisation: words -> turns, and turns with similar voices -> speakers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from storyscope.core import Span, Transcript
from storyscope.core.similar import similar_groups

PAUSE_SECONDS = 0.5
"""Seconds of a pause that ends a turn."""
MOST_SECONDS = 8.0
"""Maximum seconds of a turn, because two people may speak without a pause."""
LEAST_SECONDS = 0.8
"""Minimum seconds to recognise a voice; a shorter turn goes to the speaker next to it."""
SAME_VOICE = 0.7
"""Mean cosine of two groups of turns above which they are one speaker."""


@dataclass(frozen=True)
class Turn:
    """A stretch in which one person speaks."""

    span: Span
    speaker: int
    """Counted from 1, by decreasing speaking time."""


def turns_in(transcript: Transcript) -> list[Span]:
    """Stretches of speech between pauses, of a few seconds each."""
    turns: list[Span] = []
    for word in transcript.words:
        if turns:
            last = turns[-1]
            is_next = word.span.start - last.end < PAUSE_SECONDS
            if is_next and word.span.end - last.start <= MOST_SECONDS:
                turns[-1] = Span(last.start, max(last.end, word.span.end))
                continue
        turns.append(word.span)
    return turns


def group_turns(spans: Sequence[Span], voices: np.ndarray) -> list[Turn]:
    """Assign a speaker to every turn, by average-link clustering of their voices.

    `voices` has a row per turn, of length one. Turns that are too short go to the nearest in time.
    """
    long = [n for n, span in enumerate(spans) if span.length >= LEAST_SECONDS]
    if not long:
        return []
    groups = similar_groups(voices[long], min_cosine=SAME_VOICE)
    spoken = {
        group: sum(spans[long[n]].length for n in np.flatnonzero(groups == group))
        for group in np.unique(groups).tolist()
    }
    order = sorted(spoken, key=lambda group: -spoken[group])
    speakers = {n: order.index(int(group)) + 1 for n, group in zip(long, groups, strict=True)}
    middles = np.array([spans[n].middle for n in long])
    return [
        Turn(span, speakers.get(n) or speakers[long[int(np.abs(middles - span.middle).argmin())]])
        for n, span in enumerate(spans)
    ]
