"""Order the shot changes so that any number of stories can be had, each inside a coarser one.

From the detected stories, coarser levels follow by removing, one at a time, the boundary with the
smallest gain; finer levels by adding the one with the largest. The gain of a boundary is how much
better two stories are than the one they make together.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from storyscope.stories.posterior import Posterior
from storyscope.stories.similarity import Array

Splits = Callable[[int, int], Array]
"""For each cut in (start, stop), how much better two stories are than the one [start, stop)."""


def order_changes(starts: Sequence[int], shots: int, splits: Splits) -> tuple[int, ...]:
    """Every shot change, most important first; the first ones give the stories in `starts`."""
    edges = [*starts, shots]
    return tuple(int(cut) for cut in [*_by_removal(edges, splits), *_by_addition(edges, splits)])


def score_splits(found: Posterior) -> Splits:
    """Gain of a boundary by the scores of stories.

    Where the one story is too long to be scored, it is the log-odds of the boundary.
    """
    likely = np.clip(found.begins, 1e-6, 1 - 1e-6)
    log_odds = np.log(likely / (1 - likely))
    scores, longest = found.scores, found.scores.shape[1]

    def splits(start: int, stop: int) -> Array:
        cuts = np.arange(start + 1, stop)
        if stop - start > longest:
            gains: Array = log_odds[cuts]
            return gains
        apart = scores[start, cuts - start - 1] + scores[cuts, stop - cuts - 1]
        gains = apart - scores[start, stop - start - 1]
        return gains

    return splits


def scatter_splits(rows: Array) -> Splits:
    """Gain of a boundary by the reduction of the scatter around the means."""
    sums = np.vstack([np.zeros(rows.shape[1]), rows.cumsum(axis=0)])

    def splits(start: int, stop: int) -> Array:
        cuts = np.arange(start + 1, stop)
        left = (sums[cuts] - sums[start]) / (cuts - start)[:, None]
        right = (sums[stop] - sums[cuts]) / (stop - cuts)[:, None]
        share = (cuts - start) * (stop - cuts) / (stop - start)
        gains: Array = share * ((left - right) ** 2).sum(axis=1)
        return gains

    return splits


def _by_removal(edges: Sequence[int], splits: Splits) -> list[int]:
    """The cuts between the stories, the one that is removed last first."""
    edges = [*edges]

    def gain(cut: int) -> float:
        start, stop = edges[cut - 1], edges[cut + 1]
        return float(splits(start, stop)[edges[cut] - start - 1])

    gains = [gain(cut) for cut in range(1, len(edges) - 1)]
    removed = []
    while gains:
        least = int(np.argmin(gains))
        gains.pop(least)
        removed.append(edges.pop(least + 1))
        for beside in range(max(least - 1, 0), min(least + 1, len(gains))):
            gains[beside] = gain(beside + 1)
    return removed[::-1]


def _by_addition(edges: Sequence[int], splits: Splits) -> list[int]:
    """All other cuts, the one with the largest gain first; a story is split before its parts
    are."""
    heap: list[tuple[float, int, int, int]] = []

    def offer(start: int, stop: int) -> None:
        if stop - start > 1:
            gains = splits(start, stop)
            best = int(gains.argmax())
            heapq.heappush(heap, (-float(gains[best]), start + 1 + best, start, stop))

    for start, stop in pairwise(edges):
        offer(start, stop)
    added = []
    while heap:
        _, cut, start, stop = heapq.heappop(heap)
        added.append(cut)
        offer(start, cut)
        offer(cut, stop)
    return added
