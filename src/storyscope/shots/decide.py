"""Scores in, transitions out.

A frame's `cut` score says that a new shot begins with it; its `gradual` score says that it lies
inside a fade, a dissolve or a wipe. Frames that score low on both are quiet; a decision is made
for each busy stretch as soon as enough quiet frames follow it, so it never depends on how the
film was cut into blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from storyscope.core import Transition, TransitionKind

CUT_THRESHOLD = 0.5
GRADUAL_THRESHOLD = 0.5
QUIET = 0.1
QUIET_FRAMES = 6
LONGEST_STRETCH = 512
SHORTEST_GRADUAL = 3


@dataclass(frozen=True)
class Scores:
    """What is known about consecutive frames: one number in [0, 1] a frame and question."""

    cut: np.ndarray
    gradual: np.ndarray
    fade: np.ndarray
    """How flat the frame is: a gradual transition through flat frames is a fade."""

    def __len__(self) -> int:
        return len(self.cut)

    def __getitem__(self, part: slice) -> Scores:
        return Scores(self.cut[part], self.gradual[part], self.fade[part])

    def __add__(self, other: Scores) -> Scores:
        return Scores(
            np.concatenate([self.cut, other.cut]),
            np.concatenate([self.gradual, other.gradual]),
            np.concatenate([self.fade, other.fade]),
        )


def find_transitions(blocks: Iterable[Scores]) -> Iterator[Transition]:
    """Yield the transitions of a film whose scores arrive in blocks, frames counted from 0."""
    held, first = Scores(*(np.zeros(0) for _ in range(3))), 0
    for block in blocks:
        held = held + block
        while (ready := _decidable(held)) > 0:
            yield from _decide(held[:ready], first)
            held, first = held[ready:], first + ready
    yield from _decide(held, first)


def _decidable(held: Scores) -> int:
    """How many of the held frames end in a quiet gap (or have waited too long)."""
    busy = np.flatnonzero((held.cut > QUIET) | (held.gradual > QUIET))
    if len(busy) == 0:
        return max(0, len(held) - QUIET_FRAMES)
    if busy[0] > QUIET_FRAMES:
        return int(busy[0]) - QUIET_FRAMES
    ends = np.append(busy[:-1][np.diff(busy) > QUIET_FRAMES], busy[-1]) + QUIET_FRAMES
    if ends[0] < min(len(held), LONGEST_STRETCH):
        return int(ends[0])
    return LONGEST_STRETCH if len(held) >= LONGEST_STRETCH else 0


def _decide(scores: Scores, first: int) -> list[Transition]:
    gradual = [
        Transition(_kind(scores.fade[run.start : run.stop]), first + run.start, first + run.stop)
        for run in _runs(scores.gradual > GRADUAL_THRESHOLD)
        if len(run) >= SHORTEST_GRADUAL
    ]
    inside = {frame for transition in gradual for frame in _frames_of(transition)}
    cuts = [
        Transition("cut", first + frame, first + frame)
        for frame in _peaks(scores.cut)
        if first + frame not in inside
    ]
    return sorted(gradual + cuts, key=lambda transition: transition.first_frame)


def _kind(flatness: np.ndarray) -> TransitionKind:
    return "fade" if flatness.max() > 0.5 else "dissolve"


def _frames_of(transition: Transition) -> range:
    return range(transition.first_frame, transition.end_frame + 1)


def _runs(mask: np.ndarray) -> list[range]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]])))
    return [range(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _peaks(cut: np.ndarray) -> list[int]:
    above = np.flatnonzero(cut > CUT_THRESHOLD)
    return [int(i) for i in above if cut[i] == cut[max(0, i - 2) : i + 3].max()]
