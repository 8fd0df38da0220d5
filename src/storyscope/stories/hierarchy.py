"""Order the changes of shot so that any number of stories can be told, each inside a coarser one.

From the stories the detector would tell, coarser levels come by giving up, one at a time, the
boundary that is least missed; finer levels by adding the one that gains most. Gain and loss are
the same number: how much better two stories are than the one they make together.
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
    """Every change of shot, most telling first, passing through the stories given by `starts`."""
    kept = _given_up_last_first(list(starts), shots, splits)
    added = _added_first_first([*starts, shots], splits)
    return tuple(int(cut) for cut in [*kept, *added])


def score_splits(scores: Array, chances: Posterior) -> Splits:
    """Worth of a boundary by the scores of stories.

    Where the one story is too long to be scored, it is judged by how likely its cuts are.
    """
    likely = np.clip(chances.begins, 1e-6, 1 - 1e-6)
    log_odds = np.log(likely / (1 - likely))
    longest = scores.shape[1]

    def splits(start: int, stop: int) -> Array:
        cuts = np.arange(start + 1, stop)
        if stop - start > longest:
            values: Array = log_odds[cuts]
            return values
        apart = scores[start, cuts - start - 1] + scores[cuts, stop - cuts - 1]
        values = apart - scores[start, stop - start - 1]
        return values

    return splits


def scatter_splits(rows: Array) -> Splits:
    """Worth of a boundary by the scatter around the means that it saves."""
    sums = np.vstack([np.zeros(rows.shape[1]), rows.cumsum(axis=0)])

    def splits(start: int, stop: int) -> Array:
        cuts = np.arange(start + 1, stop)
        left = (sums[cuts] - sums[start]) / (cuts - start)[:, None]
        right = (sums[stop] - sums[cuts]) / (stop - cuts)[:, None]
        share = (cuts - start) * (stop - cuts) / (stop - start)
        values: Array = share * ((left - right) ** 2).sum(axis=1)
        return values

    return splits


def _given_up_last_first(starts: list[int], shots: int, splits: Splits) -> list[int]:
    """The cuts between the stories, the one that is missed most first."""
    edges = [*starts, shots]

    def worth(cut: int) -> float:
        start, stop = edges[cut - 1], edges[cut + 1]
        return float(splits(start, stop)[edges[cut] - start - 1])

    values = [worth(cut) for cut in range(1, len(edges) - 1)]
    given_up = []
    while values:
        least = int(np.argmin(values))
        values.pop(least)
        given_up.append(edges.pop(least + 1))
        for beside in range(max(least - 1, 0), min(least + 1, len(values))):
            values[beside] = worth(beside + 1)
    return given_up[::-1]


def _added_first_first(edges: Sequence[int], splits: Splits) -> list[int]:
    """All other cuts, the one that gains most first; a story is split before its parts are."""
    heap: list[tuple[float, int, int, int]] = []

    def offer(start: int, stop: int) -> None:
        if stop - start > 1:
            values = splits(start, stop)
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
