"""Order the changes of shot so that any number of stories can be told, each inside a coarser one.

From the stories the detector would tell, coarser levels come by giving up, one at a time, the
boundary that is least missed; finer levels by adding the one that gains most. Gain and loss are
the same number: how much better two stories score than the one they make together.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from storyscope.core import StoryPath
from storyscope.stories.posterior import Posterior
from storyscope.stories.similarity import Array


def order_changes(starts: Sequence[int], scores: Array, chances: Posterior) -> StoryPath:
    """The path through all granularities that passes through the stories given by `starts`."""
    shots = len(scores)
    worth = _Worth(scores, chances)
    kept = _given_up_last_first(list(starts), shots, worth)
    added = _added_first_first([*starts, shots], worth)
    return StoryPath(
        order=tuple(int(cut) for cut in [*kept, *added]),
        natural=len(starts),
        confidence=tuple(float(chance) for chance in chances.begins),
    )


class _Worth:
    """What a boundary between two stories is worth."""

    def __init__(self, scores: Array, chances: Posterior) -> None:
        self.scores = scores
        odds = np.clip(chances.begins, 1e-6, 1 - 1e-6)
        self.log_odds = np.log(odds / (1 - odds))

    def splits(self, start: int, stop: int) -> Array:
        """For each cut in (start, stop): score of the two stories minus that of the one.

        One story too long to be scored is judged by how likely its cuts are.
        """
        cuts = np.arange(start + 1, stop)
        longest = self.scores.shape[1]
        if stop - start > longest:
            values: Array = self.log_odds[cuts]
            return values
        left = self.scores[start, cuts - start - 1]
        right = self.scores[cuts, stop - cuts - 1]
        values = left + right - self.scores[start, stop - start - 1]
        return values


def _given_up_last_first(starts: list[int], shots: int, worth: _Worth) -> list[int]:
    """The cuts between the stories, the one that is missed most first."""
    edges, given_up = [*starts, shots], []
    while len(edges) > 2:
        values = [
            worth.splits(edges[k - 1], edges[k + 1])[edges[k] - edges[k - 1] - 1]
            for k in range(1, len(edges) - 1)
        ]
        given_up.append(edges.pop(1 + int(np.argmin(values))))
    return given_up[::-1]


def _added_first_first(edges: Sequence[int], worth: _Worth) -> list[int]:
    """All other cuts, the one that gains most first; a story is split before its parts are."""
    heap: list[tuple[float, int, int, int]] = []

    def offer(start: int, stop: int) -> None:
        if stop - start > 1:
            values = worth.splits(start, stop)
            best = int(values.argmax())
            heapq.heappush(heap, (-float(values[best]), start + 1 + best, start, stop))

    for start, stop in pairwise(edges):
        offer(start, stop)
    added = []
    while heap:
        _, cut, start, stop = heapq.heappop(heap)
        added.append(cut)
        offer(start, cut)
        offer(cut, stop)
    return added
