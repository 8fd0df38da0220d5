"""OSG: optimal sequential grouping.

Rotman, Porat and Ashour, "Robust and efficient video scene detection using optimal sequential
grouping", ISM 2016, and "Optimally grouped deep features using normalized cost for video scene
detection", ICMR 2018. Stories are squares on the diagonal of the matrix of distances between
shots. With S the sum of the distances inside the squares and A their area, the first paper
minimises S, the second S / A; the number of squares is read off the singular values of the matrix.
Neither has a parameter to train.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from storyscope.baselines.shots import Array, descriptors, similarity
from storyscope.core import Segmentation
from storyscope.evaluate import AnnotatedVideo, UnannotatedVideo


class SequentialGrouping:
    """OSG with the additive cost of 2016."""

    name = "osg"
    cost: Literal["add", "norm"] = "add"

    def fit(self, training: Sequence[AnnotatedVideo], *, seed: int) -> SequentialGrouping:
        return self

    def find(self, video: UnannotatedVideo) -> Segmentation:
        distances = shot_distances(video)
        return group(distances, estimated_count(distances), cost=self.cost)


class NormalizedGrouping(SequentialGrouping):
    """OSG with the normalised cost of 2018."""

    name = "osg-norm"
    cost: Literal["add", "norm"] = "norm"


def shot_distances(video: UnannotatedVideo) -> Array:
    """Cosine distance of every pair of shots, averaged over the features."""
    parts = [1.0 - similarity(rows) for rows in descriptors(video).values()]
    distances: Array = np.maximum(np.mean(parts, axis=0), 0.0)
    return distances


def estimated_count(distances: Array) -> int:
    """Stories at the elbow of the logarithms of the singular values.

    A block of similar shots adds one large singular value. The elbow, the value farthest below the
    straight line from the first to the last, is the first of the small ones.
    """
    values = np.linalg.svd(distances, compute_uv=False)
    values = np.log(values[values > 1e-9 * values[0]]) if values[0] > 0 else values[:1]
    if len(values) < 3:
        return len(values)
    place = np.linspace(0.0, 1.0, len(values))
    fall = (values - values[-1]) / (values[0] - values[-1])
    return max(1, int(np.argmax(1.0 - place - fall)))


def group(distances: Array, count: int, *, cost: Literal["add", "norm"]) -> Segmentation:
    """The best `count` squares on the diagonal, exactly."""
    sums, areas = block_sums(distances)
    if cost == "add":
        return _cheapest(sums, count)
    # Dinkelbach 1967: S / A is least where S - ratio A is least, for the least ratio.
    ratio, found = np.inf, _cheapest(sums, count)
    while (lower := _ratio(found, sums, areas)) < ratio - 1e-12:
        ratio = lower
        found = _cheapest(sums - ratio * areas, count)
    return found


def block_sums(distances: Array) -> tuple[Array, Array]:
    """For every start i < end j: the sum of the square of shots i to j-1, and its area."""
    shots = len(distances)
    corner = np.zeros((shots + 1, shots + 1))
    corner[1:, 1:] = distances.cumsum(axis=0).cumsum(axis=1)
    diagonal = np.diag(corner)
    sums = diagonal[None, :] - corner - corner.T + diagonal[:, None]
    place = np.arange(shots + 1)
    areas = (place[None, :] - place[:, None]).astype(np.float64) ** 2
    sums[place[:, None] >= place[None, :]] = np.inf
    areas[place[:, None] >= place[None, :]] = 0.0
    return sums, areas


def _cheapest(costs: Array, count: int) -> Segmentation:
    """Least sum of costs[start, end] over exactly `count` stories.

    best[k, j] = min over i < j of  best[k - 1, i] + costs[i, j]
    """
    shots = len(costs) - 1
    count = min(max(count, 1), shots)
    best = costs[0].copy()
    story_start = np.zeros((count, shots + 1), dtype=np.int64)
    for stories in range(1, count):
        totals = best[:, None] + costs
        story_start[stories] = totals.argmin(axis=0)
        best = totals.min(axis=0)
    end, cuts = shots, []
    for stories in range(count - 1, 0, -1):
        end = int(story_start[stories, end])
        cuts.append(end)
    return Segmentation.from_cuts(reversed(cuts), shots)


def _ratio(segmentation: Segmentation, sums: Array, areas: Array) -> float:
    starts, ends = np.array(segmentation.edges[:-1]), np.array(segmentation.edges[1:])
    return float(sums[starts, ends].sum() / areas[starts, ends].sum())
