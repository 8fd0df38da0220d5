"""The paper's own program for agreement (section "Finding an agreement between annotations").

It is approximate: what a story adds depends on the stories before it, and of all ways to a cut
only the best one is remembered. `agree` finds the best segmentation; this one is for comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from storyscope.core import Segmentation
from storyscope.evaluate.agreement.claims import claims_of
from storyscope.evaluate.agreement.graph import StoryGraph, allowed_positions, graph_between
from storyscope.evaluate.agreement.optimise import bounds_from_counts


def longest_path_as_in_paper(
    annotations: Sequence[Segmentation], cuts: Iterable[int] | None
) -> Segmentation:
    """Find the longest path of l edges for every number of stories l, and take the best of them.

        D[i+1, v] = max over x < v of  D[i, x] + w1(x, v) + w2(path of D[i, x], v)

    Every position, or every allowed one, is a vertex. Numbers of stories
    that the counts alone rule out are not tried.
    """
    end = annotations[0].end
    positions = np.arange(end + 1) if cuts is None else allowed_positions(cuts, end)
    graph = graph_between(positions, annotations, 0.0)
    bounds = bounds_from_counts(graph)
    program = _Program(graph)
    best_value, best_path = -np.inf, np.zeros(1, dtype=int)
    for count in sorted(range(1, len(positions)), key=lambda count: -bounds[count]):
        if bounds[count] > best_value:
            value, path = program.longest_path(count)
            if value > best_value:
                best_value, best_path = value, path
    return Segmentation(tuple(int(position) for position in positions[best_path]), end)


class _Program:
    """Weights between all pairs of vertices, as arrays [from, to] or [from, to, annotator]."""

    def __init__(self, graph: StoryGraph) -> None:
        claims = claims_of(graph)
        size = len(graph.positions)
        edges = (graph.tails, graph.heads)

        def between(values: np.ndarray, missing: float = 0.0) -> np.ndarray:
            array = np.full((size, size, *values.shape[1:]), missing, dtype=values.dtype)
            array[edges] = values
            return array

        self.likeness = between(graph.likeness, -np.inf)
        self.gain = between(
            claims.certain + claims.closing.sum(axis=1) + claims.opening.sum(axis=1)
        )
        self.shared = between(np.where(claims.carried, claims.opening, claims.closing))
        """The part of the gain from stories that the path so far may have matched already."""
        self.opening = between(claims.opening)
        self.carried = between(claims.carried)

    def longest_path(self, count: int) -> tuple[float, np.ndarray]:
        """J of the path of `count` stories, and the vertices where they begin."""
        vertices = np.arange(len(self.likeness))
        value = np.full(len(vertices), -np.inf)
        value[0] = 0.0
        matched = np.zeros((len(vertices), self.shared.shape[2]))
        """What the path to each vertex gained from the story on both sides of it."""
        steps = []
        for _ in range(count):
            known = np.minimum(self.shared, matched[:, None, :]).sum(axis=2)
            total = value[:, None] + self.likeness / count + self.gain - known
            # Of equal ways the one with the earliest cut, however their sums were rounded.
            before = np.round(total, 9).argmax(axis=0)
            value = total[before, vertices]
            opening = self.opening[before, vertices]
            matched = np.where(
                self.carried[before, vertices], np.maximum(opening, matched[before]), opening
            )
            steps.append(before)
        path = [len(vertices) - 1]
        for before in reversed(steps):
            path.append(int(before[path[-1]]))
        return float(value[-1]), np.array(path[:0:-1])
