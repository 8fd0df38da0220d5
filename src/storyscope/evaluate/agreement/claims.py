"""The annotated stories that each possible story may claim, for each annotator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from storyscope.evaluate.agreement.graph import StoryGraph


@dataclass(frozen=True, eq=False)
class Claims:
    """Gains of every edge of a graph, separated by whether another edge could claim them instead.

    Arrays are edges x annotators or positions x annotators.
    """

    certain: np.ndarray
    """For each edge: the gains from stories inside it, which no other edge overlaps."""
    closing: np.ndarray
    """Gain from the story that began before the edge and ends within it."""
    opening: np.ndarray
    """Gain from the story that continues after the edge."""
    carried: np.ndarray
    """Whether the story that continues also began before the edge: its bit is carried over."""
    straddling: np.ndarray
    """The story on both sides of a position, or -1."""
    future: np.ndarray
    """The most that an edge after the position can gain from the story straddling it."""


def claims_of(graph: StoryGraph) -> Claims:
    """Look up, for all edges at once, the first and last story of each annotator they touch."""
    shape = (len(graph.tails), graph.stories.annotator_count)
    certain = np.bincount(graph.pair_edges, graph.pair_gains, minlength=shape[0])
    closing, opening = np.zeros(shape), np.zeros(shape)
    carried = np.zeros(shape, dtype=bool)
    straddling = np.full((len(graph.positions), shape[1]), -1)
    future = np.zeros((len(graph.positions), shape[1]))
    for annotator in range(shape[1]):
        column = _Column(graph, annotator)
        ends_within = column.from_before & ~column.goes_on_alike
        closing[:, annotator] = np.where(ends_within, column.first_gain, 0)
        opening[:, annotator] = np.where(column.goes_on, column.last_gain, 0)
        carried[:, annotator] = column.goes_on_alike & column.from_before
        straddling[:, annotator] = column.straddling
        future[:, annotator] = column.future()
    certain = certain - closing.sum(axis=1) - opening.sum(axis=1)
    return Claims(certain, closing, opening, carried, straddling, future)


class _Column:
    """One annotator's stories at the two ends of every edge."""

    def __init__(self, graph: StoryGraph, annotator: int) -> None:
        stories, positions = graph.stories, graph.positions
        self.graph = graph
        self.holding = stories.holding(annotator, positions)
        begins, ends = positions[graph.tails], positions[graph.heads]
        first = self.holding[graph.tails]
        last = stories.holding(annotator, positions - 1)[graph.heads]
        self.first_gain = stories.weights[first] * stories.iou(first, begins, ends)
        self.last_gain = stories.weights[last] * stories.iou(last, begins, ends)
        self.from_before = stories.starts[first] < begins
        self.goes_on = stories.ends[last] > ends
        self.goes_on_alike = self.goes_on & (first == last)
        across = (stories.starts[self.holding] < positions) & (positions < positions[-1])
        self.straddling = np.where(across, self.holding, -1)

    def future(self) -> np.ndarray:
        """The best gain of a later edge from the story at each position.

        An edge that touches the story after the position begins inside it.
        """
        best = np.zeros(len(self.graph.positions))
        np.maximum.at(best, self.graph.tails, self.first_gain)
        for position in range(len(best) - 2, -1, -1):
            if self.holding[position] == self.holding[position + 1]:
                best[position] = max(best[position], best[position + 1])
        return np.where(self.straddling >= 0, best, 0.0)
