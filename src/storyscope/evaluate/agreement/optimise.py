"""Branch and bound over the number of stories: bound, prune and search each one."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from storyscope.core import Segmentation
from storyscope.evaluate.agreement.graph import StoryGraph
from storyscope.evaluate.agreement.relaxation import (
    TOLERANCE,
    Relaxation,
    promising_edges,
    prune,
    tighten,
)
from storyscope.evaluate.agreement.search import OutOfTime, best_segmentation
from storyscope.evaluate.iou import mean_iou

COARSE_STEPS, FINE_STEPS = 5, 30
"""Steps towards a lower bound, on all edges and on the few that are left."""
BEAM_WIDTH = 100
"""Number of states kept at each cut while a good segmentation is searched quickly."""


class Optimiser:
    """Keeps the best segmentation known, and a bound for every number of stories."""

    def __init__(
        self, annotations: Sequence[Segmentation], graph: StoryGraph, deadline: float
    ) -> None:
        self.annotations = annotations
        self.graph = graph
        self.deadline = deadline
        self.end = annotations[0].end
        self.best = Segmentation((0,), self.end)
        self.floor = self._j(self.best)
        self.seen: set[tuple[int, ...]] = set()
        self.bounds = bounds_from_counts(graph)
        """Upper bound on J for every number of stories."""
        for annotation in annotations:
            self.offer(_on_nearest(graph.positions, annotation))

    def run(self) -> None:
        """Decide every number of stories, or stop when the time is over."""
        try:
            coarse = self._bound_each(self.graph, {}, steps=COARSE_STEPS)
            fine = self._bound_each(self._useful_part(coarse), coarse, steps=FINE_STEPS)
            self._search_each(fine)
        except OutOfTime:
            return

    @property
    def bound(self) -> float:
        """Upper bound on the J of any segmentation."""
        return max(self.floor, float(self.bounds[1:].max()))

    def offer(self, starts: Sequence[int]) -> float:
        """Take the segmentation if it is the best so far; returns the J of the best."""
        key = tuple(starts)
        if key not in self.seen:
            self.seen.add(key)
            offered = Segmentation(key, self.end)
            value = self._j(offered)
            if value > self.floor:
                self.best, self.floor = offered, value
        return self.floor

    def open_counts(self) -> list[int]:
        """Numbers of stories that may still give a better segmentation, most promising first."""
        counts = np.flatnonzero(self.bounds > self.floor + TOLERANCE)
        return [int(count) for count in counts[np.argsort(-self.bounds[counts], kind="stable")]]

    def _bound_each(
        self, graph: StoryGraph, known: dict[int, Relaxation], *, steps: int
    ) -> dict[int, Relaxation]:
        """Bound every open count on this graph, outwards from the most promising.

        Prices and tolls change little from one count to the next, so each starts from those of its
        neighbour.
        """
        done: dict[int, Relaxation] = {}
        counts = self.open_counts()
        for count in sorted(counts, key=lambda count: abs(count - counts[0])):
            if self.bounds[count] > self.floor + TOLERANCE:
                beside = _nearest(done or known, count)
                start = Relaxation(
                    graph,
                    count,
                    prices=beside.prices if beside else self.graph.stories.weights / 2,
                    toll=beside.toll if beside else 0.0,
                    bound=float(self.bounds[count]),
                )
                done[count] = self._tighten(start, steps=steps)
        return {count: done[count] for count in self.open_counts()}

    def _useful_part(self, relaxations: dict[int, Relaxation]) -> StoryGraph:
        """The edges that a better segmentation may use, with all their overlaps."""
        useful = np.zeros(len(self.graph.tails), dtype=bool)
        for relaxation in relaxations.values():
            useful[promising_edges(relaxation, self.floor)] = True
        return self.graph.keeping(np.flatnonzero(useful)).with_all_overlaps()

    def _search_each(self, relaxations: dict[int, Relaxation]) -> None:
        """Search the remaining counts, the most promising first."""
        while counts := self.open_counts():
            count = counts[0]
            for width in (BEAM_WIDTH, None):
                relaxation = prune(relaxations[count], self.floor)
                relaxations[count] = self._tighten(relaxation, steps=FINE_STEPS)
                if self.bounds[count] > self.floor + TOLERANCE:
                    self._search(prune(relaxations[count], self.floor), width=width)
            self.bounds[count] = self.floor

    def _tighten(self, relaxation: Relaxation, *, steps: int) -> Relaxation:
        tight = tighten(relaxation, visit=self._visit, steps=steps)
        self.bounds[tight.count] = min(self.bounds[tight.count], tight.bound)
        return tight

    def _search(self, relaxation: Relaxation, *, width: int | None) -> None:
        starts = best_segmentation(
            relaxation, floor=self.floor, width=width, out_of_time=self._out_of_time
        )
        if starts is not None:
            self.offer(starts)

    def _visit(self, starts: Sequence[int]) -> float:
        if self._out_of_time():
            raise OutOfTime
        return self.offer(starts)

    def _out_of_time(self) -> bool:
        return time.monotonic() > self.deadline

    def _j(self, segmentation: Segmentation) -> float:
        return 2 * sum(mean_iou(segmentation, annotation) for annotation in self.annotations)


def bounds_from_counts(graph: StoryGraph) -> np.ndarray:
    """A bound on J from the numbers of stories alone, for 0 to as many as there are positions.

    The IoU of a story with disjoint others sums to 1 at most. So of l stories against k, the best
    matches of the k sum to min(k, l) at most, and so do those of the l.
    """
    own = np.arange(1, len(graph.positions))[:, None]
    theirs = np.diff(graph.stories.offsets)
    bounds = (np.minimum(1, theirs / own) + np.minimum(1, own / theirs)).sum(axis=1)
    return np.concatenate([[0.0], bounds])


def _nearest(relaxations: dict[int, Relaxation], count: int) -> Relaxation | None:
    near = min(relaxations, key=lambda other: abs(other - count), default=None)
    return None if near is None else relaxations[near]


def _on_nearest(positions: np.ndarray, annotation: Segmentation) -> list[int]:
    distances = np.abs(positions[:-1, None] - np.array(annotation.starts))
    return [int(start) for start in np.unique(positions[distances.argmin(axis=0)])]
