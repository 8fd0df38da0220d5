"""The shortest description of a video, found by dynamic programming (Mahon and Lapata 2025).

A story is coded by the mean of its shots and by how far each shot lies from it under a normal
distribution. In bits, with d dimensions of variance v and N shots in all, a story of n shots takes

    log2 N  +  d/2 log2 n  +  sum over its shots of |x - mean|^2 / (2 v ln 2)

for where it begins, its mean and its shots. The shortest sum over all ways to part the shots is
exact, and there is nothing to choose. Where the paper gives each story a variance of its own, here
the video has one, taken from neighbouring shots: a story of one shot has none. The dimensions are
the principal axes of more than mean variance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from storyscope.baselines.shots import joined
from storyscope.core import Segmentation
from storyscope.evaluate import AnnotatedVideo, UnannotatedVideo


class ShortestDescription:
    """Parts a video so that it can be told in the fewest bits."""

    name = "mdl"

    def fit(self, training: Sequence[AnnotatedVideo], *, seed: int) -> ShortestDescription:
        """Nothing is learned."""
        return self

    def pretrained(self) -> ShortestDescription:
        return self

    def find(self, video: UnannotatedVideo) -> Segmentation:
        return shortest_description(joined(video))


def shortest_description(vectors: npt.ArrayLike) -> Segmentation:
    """The stories over the rows that take the fewest bits to tell."""
    rows = _scaled(np.asarray(vectors, np.float64))
    count, dimensions = rows.shape
    if not dimensions:
        return Segmentation((0,), count)
    sums = np.vstack([np.zeros(dimensions), rows.cumsum(axis=0)])
    squares = np.append(0.0, (rows**2).sum(axis=1).cumsum())
    best, start_of = np.zeros(count + 1), np.zeros(count + 1, int)
    for end in range(1, count + 1):
        shots = end - np.arange(end)
        scatter = squares[end] - squares[:end] - ((sums[end] - sums[:end]) ** 2).sum(axis=1) / shots
        bits = math.log2(count) + dimensions / 2 * np.log2(shots) + scatter / (2 * math.log(2))
        totals = best[:end] + bits
        start_of[end] = totals.argmin()
        best[end] = totals[start_of[end]]
    starts = [int(start_of[count])]
    while starts[-1]:
        starts.append(int(start_of[starts[-1]]))
    return Segmentation(tuple(starts[::-1]), count)


def _scaled(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The rows along their main principal axes, in standard deviations between neighbours."""
    axes, spread, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    main = spread**2 > max(float((spread**2).mean()), 1e-12)
    rows = axes[:, main] * spread[main]
    between = np.sqrt((np.diff(rows, axis=0) ** 2).mean(axis=0) / 2) if len(rows) > 1 else 0.0
    scaled: npt.NDArray[np.float64] = rows / np.maximum(between, 1e-9)
    return scaled
