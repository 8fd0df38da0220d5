"""Kernel change points over embeddings (Jia and Diaz-Rodriguez 2026, Embed-KCPD).

With a cosine kernel the cost of a story is the scatter of its unit vectors about their mean, so the
penalised objective

    sum over stories of scatter + C sqrt(n log n) x stories

is solved exactly by optimal partitioning. C is chosen on the training videos.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from storyscope.baselines.shots import joined
from storyscope.baselines.tuning import best_setting
from storyscope.clustering import cheapest_partitions
from storyscope.core import Segmentation
from storyscope.evaluate import AnnotatedVideo, UnannotatedVideo

STRENGTHS = np.geomspace(0.002, 0.2, 16)
"""C: unit vectors scatter by at most one each."""


class KernelChangePoints:
    """Change points of the kernel mean of a video's shots."""

    name = "kcpd"

    def fit(self, training: Sequence[AnnotatedVideo], *, seed: int) -> KernelDetector:
        found = [dict(zip(STRENGTHS, _parted(video, STRENGTHS), strict=True)) for video in training]
        settings = [KernelDetector(float(strength)) for strength in STRENGTHS]
        return best_setting(training, found, settings, lambda by, s: by[s.strength])


@dataclass(frozen=True)
class KernelDetector:
    """Splits a video with one strength of the penalty."""

    strength: float

    def find(self, video: UnannotatedVideo) -> Segmentation:
        return _parted(video, np.array([self.strength]))[0]


def _parted(video: UnannotatedVideo, strengths: np.ndarray) -> list[Segmentation]:
    rows = joined(video)
    prices = strengths * math.sqrt(len(rows) * math.log(max(len(rows), 2)))
    return [found.segmentation for found in cheapest_partitions(rows, prices)]
