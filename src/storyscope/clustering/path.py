"""The lower convex hull of (change points, scatter), found only where it is needed.

Let D[m] be the smallest scatter with m change points. The paper minimises D[m] + C g(m), with g(m)
= m (log(n / m) + 1) concave. Only corners of the lower hull of D can win: between two neighbouring
corners D lies on or above their chord (that is what a lower hull means) and so does g (that is what
concave means), hence D + C g lies on or above the chord of its values at the two corners, and one
of them is as good.

Corners come from runs with a fixed price per story, which are exact: the run whose price is the
slope of a chord finds the corner farthest below it, or proves that there is none. Every run also
bounds D from below by a line, so parts of the hull that cannot win are skipped.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from storyscope.clustering.runs import Array, Partition, cheapest_partitions, measured

FAR = 64.0
"""Maximum factor beyond a chord's slope, in either direction."""

PRICES_PER_WALK = 32
"""Prices per pass over the rows; more would only cost memory."""
ROWS_TIMES_PRICES = 400_000
"""Maximum product of prices and rows: in a long video without changes, memory grows with it."""


@dataclass(frozen=True)
class PathPoint:
    """One granularity: stories that are optimal for a range of prices per story."""

    partition: Partition
    lowest_price: float
    highest_price: float


@dataclass(eq=False)
class Corner:
    """A corner of the hull, and the lowest and highest price for which it is known to win."""

    partition: Partition
    low: float
    high: float

    @property
    def m(self) -> int:
        return self.partition.change_points

    @property
    def scatter(self) -> float:
        return self.partition.scatter


def story_pressure(m: Array | float, row_count: int) -> Array:
    """g(m, n) = m (log(n / m) + 1) of the paper, and 0 without change points."""
    m = np.asarray(m, dtype=np.float64)
    safe = np.maximum(m, 1e-300)
    return np.where(m > 0, m * (np.log(row_count / safe) + 1.0), 0.0)


class Hull:
    """Corners of the hull of one video, from one story to the smallest number without scatter."""

    def __init__(self, vectors: Array) -> None:
        self.row_count = len(vectors)
        self.vectors = _turned(vectors - vectors.mean(axis=0))
        fresh = np.any(vectors[1:] != vectors[:-1], axis=1)
        one_per_run = np.concatenate([[0], np.flatnonzero(fresh) + 1])
        one_story = measured(self.vectors, np.zeros(1, dtype=np.int64))
        self.corners = [Corner(one_story, low=one_story.scatter, high=np.inf)]
        if len(one_per_run) > 1:
            finest = measured(self.vectors, one_per_run)
            self.corners.append(Corner(finest, low=0.0, high=0.0))
        self._tolerance = 1e-12 * one_story.scatter

    def cheapest(self, *penalties: float) -> list[Partition]:
        """For each penalty, the stories of least scatter + penalty x g(m, n); the fewest in case of
        a tie.

        Penalties that are given together share their passes over the rows.
        """
        while True:
            prices = [self._prices(penalty) for penalty in penalties]
            limits = [float(price.min()) + self._tolerance for price in prices]
            if not self.find_cheaper(*zip(penalties, limits, strict=True)):
                return [
                    self.corners[int(np.argmax(price <= limit))].partition
                    for price, limit in zip(prices, limits, strict=True)
                ]

    def find_cheaper(self, *wanted: tuple[float, float]) -> bool:
        """Search where, for one of these penalties, a corner cheaper than its limit may be.

        Returns False, without a search, once it is proven that there is none.
        """
        gaps = [
            gap
            for gap in self._gaps()
            if any(self._floor(gap, penalty) < limit for penalty, limit in wanted)
        ]
        if gaps:
            self._search_gaps(gaps, spread=True)
        return bool(gaps)

    def explore(self, fewest: int, most: int) -> list[PathPoint]:
        """Every corner with at least `fewest` and at most `most` stories."""

        def wanted(gap: int) -> bool:
            left, right = self.corners[gap], self.corners[gap + 1]
            return left.m + 1 <= most and right.m + 1 >= fewest

        while gaps := [gap for gap in self._gaps() if wanted(gap)]:
            self._search_gaps(gaps)
        slopes = [self._slope(gap) for gap in range(len(self.corners) - 1)]
        return [
            PathPoint(corner.partition, lowest_price=low, highest_price=high)
            for corner, low, high in zip(
                self.corners, [*slopes, 0.0], [np.inf, *slopes], strict=True
            )
            if fewest <= corner.m + 1 <= most
        ]

    def _prices(self, penalty: float) -> Array:
        """Scatter + penalty x g(m, n) of every known corner."""
        m = np.array([float(corner.m) for corner in self.corners])
        scatter = np.array([corner.scatter for corner in self.corners])
        return scatter + penalty * story_pressure(m, self.row_count)

    def _gaps(self) -> Iterable[int]:
        """Left corners of the chords below which there may be another corner."""
        for gap, (left, right) in enumerate(pairwise(self.corners)):
            if left.low > right.high and right.m - left.m > 1:
                yield gap

    def _floor(self, gap: int, penalty: float) -> float:
        """A lower bound of the cost strictly between two corners.

        The lines proven by earlier passes bound D from below; with a concave g their sum is
        smallest at an end or where the two lines meet.
        """
        left, right = self.corners[gap], self.corners[gap + 1]
        drop = left.scatter + left.low * left.m - right.scatter - right.high * right.m
        meeting = drop / (left.low - right.high)
        m = np.clip([left.m, meeting, right.m], left.m + 1, right.m - 1)
        bound = np.maximum(
            left.scatter - left.low * (m - left.m), right.scatter - right.high * (m - right.m)
        )
        return float((bound + penalty * story_pressure(m, self.row_count)).min())

    def _search_gaps(self, gaps: list[int], spread: bool = False) -> None:
        """Run a pass with the slope of each gap's chord; a gap without a corner is closed.

        With `spread`, two more prices next to each slope are used, half way to the known bounds:
        several prices take hardly longer than one, and each may save a later pass.
        """
        pairs = [(self.corners[gap], self.corners[gap + 1], self._slope(gap)) for gap in gaps]
        prices = {slope for _, _, slope in pairs}
        if spread:
            for left, right, slope in pairs:
                above, below = min(left.low, FAR * slope), max(right.high, slope / FAR)
                prices |= {math.sqrt(slope * above), math.sqrt(slope * below)}
        queue = np.array(sorted(prices))
        together = max(1, min(PRICES_PER_WALK, ROWS_TIMES_PRICES // self.row_count))
        for first in range(0, len(queue), together):
            walk = queue[first : first + together]
            for price, found in zip(
                walk.tolist(), cheapest_partitions(self.vectors, walk), strict=True
            ):
                self._learn(price, found)
        for left, right, slope in pairs:
            if self.corners.index(right) == self.corners.index(left) + 1:
                left.low = right.high = slope

    def _learn(self, price: float, found: Partition) -> None:
        """Record that nothing is cheaper than `found` at this price per story."""
        rivals = [corner.scatter + price * corner.m for corner in self.corners]
        cheapest = min(rivals)
        at = bisect_left([corner.m for corner in self.corners], found.change_points)
        is_new = at < len(self.corners) and self.corners[at].m != found.change_points
        if is_new and found.scatter + price * found.change_points < cheapest - self._tolerance:
            self.corners.insert(at, Corner(found, price, price))
            return
        for corner, rival in zip(self.corners, rivals, strict=True):
            if rival <= cheapest + self._tolerance:
                corner.low, corner.high = min(corner.low, price), max(corner.high, price)

    def _slope(self, gap: int) -> float:
        """The price per story at which the corners on both sides of a gap cost the same."""
        left, right = self.corners[gap], self.corners[gap + 1]
        return (left.scatter - right.scatter) / (right.m - left.m)


def _turned(vectors: Array) -> Array:
    """Fewer columns with the same distances, if there are more columns than rows."""
    row_count, dimensions = vectors.shape
    if dimensions <= row_count:
        return vectors
    return np.asarray(np.linalg.qr(vectors.T, mode="r")).T
