"""NW: shot clustering and sequence alignment.

Chasanis, Likas and Galatsanos, "Scene detection in videos using shot clustering and sequence
alignment", IEEE Transactions on Multimedia 2009. Shots are grouped by what they look like,
whenever they occur, and each is labelled with its group. Inside a story the pattern of labels
goes on, so the labels before a cut can be aligned with those after it; where the score of the
alignment (Needleman and Wunsch 1970) has a low minimum, the pattern changes and a story ends.

The number of labels, the length of the windows and how low a minimum must be are chosen on the
training videos.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from storyscope.baselines.shots import Array, joined, similarity
from storyscope.baselines.spectral import spectral_labels
from storyscope.baselines.tuning import best_setting
from storyscope.core import Segmentation
from storyscope.evaluate import AnnotatedVideo, UnannotatedVideo

SHOTS_PER_LABEL = (4, 8, 16)
WINDOWS = (3, 5, 8)
"""Shots on each side of a cut that are aligned."""
SHARES = (0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.3)
"""A boundary is a local minimum below this fraction of the video's mean score."""
GAP = -0.5
"""Score of aligning a label with nothing; two equal labels score 1."""


class SequenceAlignment:
    """Labels by spectral clustering, boundaries by Needleman-Wunsch."""

    name = "nw"

    def fit(self, training: Sequence[AnnotatedVideo], *, seed: int) -> AlignmentDetector:
        settings = [
            AlignmentDetector(*setting, seed)
            for setting in product(SHOTS_PER_LABEL, WINDOWS, SHARES)
        ]
        scores = [
            {
                (per_label, window): cut_scores(video, per_label, window, seed)
                for per_label, window in product(SHOTS_PER_LABEL, WINDOWS)
            }
            for video in training
        ]
        return best_setting(
            training,
            scores,
            settings,
            lambda by, s: boundaries(by[s.shots_per_label, s.window], s.share),
        )


@dataclass(frozen=True)
class AlignmentDetector:
    """Boundaries at minima of the alignment score."""

    shots_per_label: int
    window: int
    share: float
    seed: int

    def find(self, video: UnannotatedVideo) -> Segmentation:
        return boundaries(
            cut_scores(video, self.shots_per_label, self.window, self.seed), self.share
        )


def cut_scores(video: UnannotatedVideo, shots_per_label: int, window: int, seed: int) -> Array:
    """How well the labels before each cut align with those after it."""
    rows = joined(video)
    alike = np.maximum(similarity(rows), 0.0)
    count = max(2, round(len(rows) / shots_per_label))
    labels = spectral_labels(alike, count, seed)
    return alignment_scores(labels, label_scores(rows, labels), window)


def label_scores(rows: Array, labels: npt.NDArray[np.int64]) -> Array:
    """Score of aligning two labels: 1 if equal, otherwise by the similarity of the groups, below 1.

    The most different pair of groups scores -1.
    """
    present, labels = np.unique(labels, return_inverse=True)
    means = np.array([rows[labels == label].mean(axis=0) for label in range(len(present))])
    apart = np.linalg.norm(means[:, None] - means[None, :], axis=2)
    scale = apart.max()
    scores: Array = 1.0 - 2.0 * apart / scale if scale > 0 else np.ones_like(apart)
    whole = np.full((present.max() + 1, present.max() + 1), -1.0)
    whole[np.ix_(present, present)] = scores
    return whole


def alignment_scores(labels: npt.NDArray[np.int64], scores: Array, window: int) -> Array:
    """Needleman-Wunsch score per label of the `window` labels before and after each cut.

    Near the ends of the video the windows are limited by the shorter side; a single label is not a
    pattern, so the first and the last cut get the highest score. All cuts with windows of the same
    length are aligned together.
    """
    shots = len(labels)
    cuts = np.arange(1, shots)
    lengths = np.minimum(window, np.minimum(cuts, shots - cuts))
    result = np.zeros(shots - 1)
    for length in np.unique(lengths):
        these = cuts[lengths == length]
        before = labels[these[:, None] - 1 - np.arange(length)][:, ::-1]
        after = labels[these[:, None] + np.arange(length)]
        result[these - 1] = _align(scores[before[:, :, None], after[:, None, :]]) / length
    if shots > 3:
        result[[0, -1]] = result[1:-1].max()
    return result


def boundaries(scores: Array, share: float) -> Segmentation:
    """Local minima of the scores (shifted to be positive) below a fraction of their mean."""
    shots = len(scores) + 1
    if shots == 1:
        return Segmentation((0,), 1)
    raised = scores - scores.min()
    padded = np.concatenate([[np.inf], raised, [np.inf]])
    lowest = (raised <= padded[:-2]) & (raised < padded[2:])
    cuts = np.flatnonzero(lowest & (raised < share * raised.mean())) + 1
    return Segmentation.from_cuts(cuts.tolist(), shots)


def _align(match: Array) -> Array:
    """match[cut, i, j] scores label i before against label j after; the best global alignment.

    best[i, j] = max(best[i-1, j-1] + match[i, j],  best[i-1, j] + GAP,  best[i, j-1] + GAP)
    """
    cuts, length, _ = match.shape
    best = np.zeros((cuts, length + 1, length + 1))
    best[:, 0, :] = best[:, :, 0] = GAP * np.arange(length + 1)
    for i in range(1, length + 1):
        for j in range(1, length + 1):
            aligned = best[:, i - 1, j - 1] + match[:, i - 1, j - 1]
            skipped = np.maximum(best[:, i - 1, j], best[:, i, j - 1]) + GAP
            best[:, i, j] = np.maximum(aligned, skipped)
    return best[:, length, length]
