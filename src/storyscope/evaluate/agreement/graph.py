"""The segmentations worth considering, as paths in a graph whose edges are possible stories.

Some segmentation of greatest agreement has all its cuts at annotated cuts. Move one cut between
two neighbouring annotated cuts and keep the rest: every IoU is linear or falls like 1 / length
there, so each is convex, so are their maxima and sums, and a convex function is greatest at an
end of the way. If that end is the next cut of the segmentation itself, the story between them is
empty, and leaving it out is better still. Where only some positions are allowed, the same holds
for the first and the last allowed position between two annotated cuts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from storyscope.core import Segmentation
from storyscope.errors import AnnotationError

LOWEST_IOU = 0.25
"""In the graph of all edges, smaller overlaps are not listed: there are too many of them."""


@dataclass(frozen=True, eq=False)
class AnnotatedStories:
    """The stories of all annotators, concatenated."""

    starts: np.ndarray
    ends: np.ndarray
    weights: np.ndarray
    """The gain of a perfectly matched story: 1 / number of stories of its annotator."""
    offsets: np.ndarray
    """Index of the first story of each annotator, and the number of all stories."""

    @classmethod
    def of(cls, annotations: Sequence[Segmentation]) -> AnnotatedStories:
        counts = [len(annotation) for annotation in annotations]
        return cls(
            starts=np.concatenate([annotation.starts for annotation in annotations]),
            ends=np.concatenate([annotation.edges[1:] for annotation in annotations]),
            weights=np.repeat(1 / np.array(counts), counts),
            offsets=np.concatenate([[0], np.cumsum(counts)]),
        )

    @property
    def annotator_count(self) -> int:
        return len(self.offsets) - 1

    def holding(self, annotator: int, positions: np.ndarray) -> np.ndarray:
        """The annotator's story at each position; the last one at the end."""
        low, high = self.offsets[annotator], self.offsets[annotator + 1]
        inside = np.searchsorted(self.starts[low:high], positions, side="right") - 1
        return np.asarray(low + inside)

    def iou(self, stories: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """IoU of each story with the interval [begin, end) of the same index."""
        shared = np.minimum(ends, self.ends[stories]) - np.maximum(begins, self.starts[stories])
        union = np.maximum(ends, self.ends[stories]) - np.minimum(begins, self.starts[stories])
        return np.asarray(np.maximum(shared, 0) / union)


@dataclass(frozen=True, eq=False)
class StoryGraph:
    """Possible stories as edges between possible cuts, sorted by where they end."""

    positions: np.ndarray
    """Possible cuts, with 0 and the end."""
    tails: np.ndarray
    """Index of the position where each edge begins."""
    heads: np.ndarray
    """Index of the position where each edge ends."""
    likeness: np.ndarray
    """IoU of each edge with the most similar annotated story, summed over annotators."""
    stories: AnnotatedStories
    pair_edges: np.ndarray
    """The edge of each pair of an edge and an annotated story that overlap."""
    pair_stories: np.ndarray
    """The annotated story of each pair."""
    pair_gains: np.ndarray
    """Gain of each pair if the edge is the match of the story: weight times IoU."""
    lowest_iou: float
    """Pairs with this IoU or less are not listed."""

    @cached_property
    def incoming(self) -> np.ndarray:
        """First edge that ends at each position."""
        return np.searchsorted(self.heads, np.arange(len(self.positions) + 1))

    @cached_property
    def by_tail(self) -> np.ndarray:
        """The edges, sorted by where they begin."""
        return np.argsort(self.tails, kind="stable")

    @cached_property
    def outgoing(self) -> np.ndarray:
        """First place in `by_tail` of an edge that begins at each position."""
        return np.searchsorted(self.tails[self.by_tail], np.arange(len(self.positions) + 1))

    def keeping(self, edges: np.ndarray) -> StoryGraph:
        """The graph of these edges only."""
        number = np.full(len(self.tails), -1)
        number[edges] = np.arange(len(edges))
        kept = np.flatnonzero(number[self.pair_edges] >= 0)
        return replace(
            self,
            tails=self.tails[edges],
            heads=self.heads[edges],
            likeness=self.likeness[edges],
            pair_edges=number[self.pair_edges[kept]],
            pair_stories=self.pair_stories[kept],
            pair_gains=self.pair_gains[kept],
        )

    def with_all_overlaps(self) -> StoryGraph:
        """The same edges with every overlap listed, however small."""
        pairs = _pairs(self.positions, self.tails, self.heads, self.stories, 0.0, None)
        return replace(
            self,
            pair_edges=pairs[0],
            pair_stories=pairs[1],
            pair_gains=pairs[2],
            lowest_iou=0.0,
        )


def build_graph(annotations: Sequence[Segmentation], cuts: Iterable[int] | None) -> StoryGraph:
    """All stories between possible cuts; `cuts` are the allowed ones, None allows any."""
    return graph_between(candidate_positions(annotations, cuts), annotations, LOWEST_IOU)


def graph_between(
    positions: np.ndarray, annotations: Sequence[Segmentation], lowest_iou: float
) -> StoryGraph:
    """All stories between these positions, with the overlaps above the lowest IoU."""
    stories = AnnotatedStories.of(annotations)
    heads, tails = np.tril_indices(len(positions), -1)
    best = _best_iou(positions, tails, heads, stories)
    pair_edges, pair_stories, pair_gains = _pairs(
        positions, tails, heads, stories, lowest_iou, best
    )
    return StoryGraph(
        positions=positions,
        tails=tails,
        heads=heads,
        likeness=np.sum(best, axis=0),
        stories=stories,
        pair_edges=pair_edges,
        pair_stories=pair_stories,
        pair_gains=pair_gains,
        lowest_iou=lowest_iou,
    )


def candidate_positions(
    annotations: Sequence[Segmentation], cuts: Iterable[int] | None
) -> np.ndarray:
    """Cuts that contain those of an optimal segmentation, with 0 and the end."""
    end = annotations[0].end
    annotated = sorted({0, end}.union(*(annotation.cuts for annotation in annotations)))
    if cuts is None:
        return np.array(annotated)
    allowed = allowed_positions(cuts, end)
    after = np.searchsorted(allowed, annotated, side="left")
    before = np.searchsorted(allowed, annotated, side="right") - 1
    return np.asarray(allowed[np.union1d(after, before)])


def allowed_positions(cuts: Iterable[int], end: int) -> np.ndarray:
    """The allowed cuts in order, with 0 and the end."""
    given = list(cuts)
    broken = [cut for cut in given if cut != cut // 1]
    if broken:
        raise AnnotationError(f"allowed cuts are whole positions, got {broken[0]}")
    allowed = np.array(sorted({0, end}.union(map(int, given))))
    if allowed[0] < 0 or allowed[-1] > end:
        raise AnnotationError(
            f"allowed cuts lie from 0 to the end {end}, got {allowed[0]} to {allowed[-1]}"
        )
    return allowed


def _best_iou(
    positions: np.ndarray, tails: np.ndarray, heads: np.ndarray, stories: AnnotatedStories
) -> list[np.ndarray]:
    """For each annotator, the best IoU of every edge with one of their stories.

    The best is the story at the edge's begin, the one at its end, or the longest one inside.
    """
    begins, ends = positions[tails], positions[heads]
    best = []
    for annotator in range(stories.annotator_count):
        first = stories.holding(annotator, positions)
        last = stories.holding(annotator, positions - 1)
        inside = _longest_inside(positions, stories, annotator)[tails, heads]
        outer = np.maximum(
            stories.iou(first[tails], begins, ends), stories.iou(last[heads], begins, ends)
        )
        best.append(np.maximum(outer, inside / (ends - begins)))
    return best


def _longest_inside(positions: np.ndarray, stories: AnnotatedStories, annotator: int) -> np.ndarray:
    """Length of the annotator's longest story between any two positions, 0 for none."""
    own = slice(stories.offsets[annotator], stories.offsets[annotator + 1])
    starts, ends = stories.starts[own], stories.ends[own]
    longest = np.zeros((len(positions), len(positions)))
    begin = np.searchsorted(positions, starts, side="right") - 1
    end = np.searchsorted(positions, ends, side="left")
    np.maximum.at(longest, (begin, end), ends - starts)
    longest = np.maximum.accumulate(longest, axis=1)
    return np.asarray(np.maximum.accumulate(longest[::-1], axis=0)[::-1])


def _pairs(
    positions: np.ndarray,
    tails: np.ndarray,
    heads: np.ndarray,
    stories: AnnotatedStories,
    lowest_iou: float,
    best: Sequence[np.ndarray] | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Overlapping pairs: edges, stories and gains. `best` spares edges with no overlap to list."""
    found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for annotator in range(stories.annotator_count):
        edges = (
            np.arange(len(tails)) if best is None else np.flatnonzero(best[annotator] > lowest_iou)
        )
        first = stories.holding(annotator, positions)[tails[edges]]
        last = stories.holding(annotator, positions - 1)[heads[edges]]
        sizes = last - first + 1
        pair_edges = np.repeat(edges, sizes)
        within = np.arange(len(pair_edges)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        pair_stories = np.repeat(first, sizes) + within
        iou = stories.iou(pair_stories, positions[tails[pair_edges]], positions[heads[pair_edges]])
        kept = iou > lowest_iou
        found.append((pair_edges[kept], pair_stories[kept], iou[kept]))
    pair_edges, pair_stories, iou = (np.concatenate(part) for part in zip(*found, strict=True))
    return pair_edges, pair_stories, iou * stories.weights[pair_stories]
