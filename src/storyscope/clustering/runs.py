"""Exact partitions for a fixed price per story: one run of optimal partitioning for each price.

With p the price and WSS the within-group sum of squares,

    best[j] = min over i < j of  best[i] + WSS[i, j] + p,        best[0] = 0

and a start i is pruned once best[i] + WSS[i, j] >= best[j] for some j: from then on a story that
starts at j is at least as cheap, because WSS only grows when stories join (PELT; Killick, Fearnhead
and Eckley 2012).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from storyscope.core import Segmentation

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

BLOCK = 64
"""Number of ends that share one table of costs: large enough for BLAS, small enough to prune
often."""


@dataclass(frozen=True)
class Partition:
    """Stories, and their scatter."""

    segmentation: Segmentation
    scatter: float
    """Sum of the squared distances of the rows to the mean of their story: D[m] of the paper."""

    @property
    def change_points(self) -> int:
        """m of the paper: one less than the stories."""
        return len(self.segmentation) - 1


def measured(vectors: Array, starts: Indices) -> Partition:
    """The partition with these starts, with its scatter computed from the rows."""
    lengths = np.diff(starts, append=len(vectors))
    means = np.add.reduceat(vectors, starts, axis=0) / lengths[:, None]
    residuals = vectors - np.repeat(means, lengths, axis=0)
    return Partition(
        Segmentation(tuple(starts.tolist()), len(vectors)), float(np.vdot(residuals, residuals))
    )


def cheapest_partitions(vectors: Array, prices: Array) -> list[Partition]:
    """For each price per story, the stories of least scatter + price x count.

    One pass over the rows handles all prices and shares the table of costs. Memory is O(rows x
    prices); time is O(rows x remaining starts), far below rows squared once the video has several
    stories.
    """
    row_count = len(vectors)
    best = np.zeros((len(prices), row_count + 1))
    story_start = np.zeros((len(prices), row_count + 1), dtype=np.int64)
    alive = np.zeros(0, dtype=np.int64)
    for first in range(0, row_count, BLOCK):
        ends = np.arange(first + 1, min(first + BLOCK, row_count) + 1)
        starts = np.concatenate([alive, ends - 1])
        totals = _totals(scatter_costs(vectors, starts, ends), prices, best[:, starts])
        story_start[:, ends] = starts[totals.argmin(axis=2)].T
        best[:, ends] = totals.min(axis=2).T + prices[:, None]
        worth = (totals < best[:, ends].T[:, :, None]) | (starts >= ends[:, None])[:, None, :]
        alive = starts[worth.all(axis=0).any(axis=0)]
    return [measured(vectors, _walk_back(chosen)) for chosen in story_start]


def scatter_costs(vectors: Array, starts: Indices, ends: Indices) -> Array:
    """WSS of rows start to end-1, for every end (rows of the table) and start (columns).

    WSS[i, j] = sum |x|^2 - |sum x|^2 / (j - i), both sums being differences of cumulative sums.
    Infinite where the story would be empty.
    """
    origin = starts[0]
    window = vectors[origin : ends[-1]]
    # Sums relative to the window's own mean: far from the origin the two terms would cancel.
    window = window - window.mean(axis=0)
    sums = np.zeros((len(window) + 1, window.shape[1]))
    np.cumsum(window, axis=0, out=sums[1:])
    squares = np.zeros(len(window) + 1)
    np.cumsum(np.einsum("ij,ij->i", window, window), out=squares[1:])

    at_start, at_end = sums[starts - origin], sums[ends - origin]
    lengths = ends[:, None] - starts[None, :]
    costs: Array = at_end @ at_start.T
    costs *= 2.0
    costs -= np.einsum("ij,ij->i", at_start, at_start)
    costs -= np.einsum("ij,ij->i", at_end, at_end)[:, None]
    costs /= np.maximum(lengths, 1)
    costs += squares[ends - origin][:, None] - squares[starts - origin]
    np.maximum(costs, 0.0, out=costs)
    costs[lengths <= 0] = np.inf
    return costs


def _totals(costs: Array, prices: Array, best: Array) -> Array:
    """best[start] + WSS for every end, price and start; infinite where the story would be empty.

    The last starts are the ends themselves, one earlier: their `best` is filled in during the pass.
    """
    end_count, start_count = costs.shape
    older = start_count - end_count
    totals = np.full((end_count, len(prices), start_count), np.inf)
    cheapest = np.empty(len(prices))
    for end in range(end_count):
        reach = older + end + 1
        total = totals[end, :, :reach]
        np.add(best[:, :reach], costs[end, :reach], out=total)
        np.minimum.reduce(total, axis=1, out=cheapest)
        if end + 1 < end_count:
            np.add(cheapest, prices, out=best[:, reach])
    return totals


def _walk_back(story_start: Indices) -> Indices:
    starts = []
    end = len(story_start) - 1
    while end > 0:
        end = int(story_start[end])
        starts.append(end)
    return np.array(starts[::-1], dtype=np.int64)
