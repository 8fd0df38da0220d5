"""The shortest description of a video, found by dynamic programming (Mahon and Lapata 2025).

Shots are encoded with a normal distribution around the mean of their story, and that mean with
another around the mean of the video. In units of the variance within stories, where means have
variance t in a dimension, a story of n shots takes

    log2 N  +  sum over dimensions of (ln(1 + n t) + sum x^2 - t (sum x)^2 / (1 + n t)) / (2 ln 2)

bits for its start among N shots and for the shots themselves, up to a term that is the same for
all segmentations. Dynamic programming finds the shortest sum exactly, and there is no parameter to
choose. The paper gives each story its own covariance; here the video has one variance per
dimension, estimated from neighbouring shots, and t is the rest of the video's variance. The
dimensions are the principal axes with more than the mean variance.
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
    """Splits a video so that its description is shortest."""

    name = "mdl"

    def fit(self, training: Sequence[AnnotatedVideo], *, seed: int) -> ShortestDescription:
        """Does nothing: the method has no parameters."""
        return self

    def pretrained(self) -> ShortestDescription:
        return self

    def find(self, video: UnannotatedVideo) -> Segmentation:
        return shortest_description(joined(video))


def shortest_description(vectors: npt.ArrayLike) -> Segmentation:
    """The stories over the rows with the shortest description."""
    rows = _scaled(np.asarray(vectors, np.float64))
    count, dimensions = rows.shape
    if not dimensions:
        return Segmentation((0,), count)
    spread = np.maximum(rows.var(axis=0) - 1, 1e-9)
    sums = np.vstack([np.zeros(dimensions), rows.cumsum(axis=0)])
    squares = np.append(0.0, (rows**2).sum(axis=1).cumsum())
    best, start_of = np.zeros(count + 1), np.zeros(count + 1, int)
    for end in range(1, count + 1):
        shots = end - np.arange(end)[:, None]
        known = 1 + shots * spread
        cost = (np.log(known) - spread * (sums[end] - sums[:end]) ** 2 / known).sum(axis=1)
        bits = math.log2(count) + (cost + squares[end] - squares[:end]) / (2 * math.log(2))
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
