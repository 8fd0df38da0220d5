"""The paper's clustering without its embedding, which learning has to beat.

Descriptors of all features and half the time in minutes, side by side, are clustered exactly. The
rule for C, or one C for all videos, is chosen on the training videos.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from storyscope.baselines.shots import Array, descriptors, middle_seconds
from storyscope.baselines.tuning import best_setting
from storyscope.clustering import cluster, clusterings
from storyscope.core import Segmentation
from storyscope.evaluate import AnnotatedVideo, UnannotatedVideo

Penalty = float | Literal["auto", "paper"]
PENALTIES: tuple[Penalty, ...] = ("auto", "paper", *np.geomspace(0.3, 3.0, 13).tolist())
"""A descriptor has length 1, so C is of that order."""


class RawClustering:
    """Exact clustering of features without training."""

    name = "raw-clustering"

    def fit(self, training: Sequence[AnnotatedVideo], *, seed: int) -> RawDetector:
        found = [
            dict(zip(PENALTIES, clusterings(shot_rows(video), PENALTIES), strict=True))
            for video in training
        ]
        settings = [RawDetector(penalty) for penalty in PENALTIES]
        return best_setting(training, found, settings, lambda by, s: by[s.penalty].segmentation)


@dataclass(frozen=True)
class RawDetector:
    """Clusters with one C, or with one rule for it."""

    penalty: Penalty

    def find(self, video: UnannotatedVideo) -> Segmentation:
        return cluster(shot_rows(video), self.penalty).segmentation


def shot_rows(video: UnannotatedVideo) -> Array:
    """All unit descriptors of a shot, and half the minute it occurs at."""
    return np.hstack([*descriptors(video).values(), middle_seconds(video)[:, None] / 120.0])
