"""STG: generalised scene transition graph.

Sidiropoulos, Mezaris, Kompatsiaris, Meinedo, Bugalho and Trancoso, "Temporal video segmentation to
scenes using high-level audiovisual features", IEEE TCSVT 2011. In a scene transition graph (Yeung
and Yeo 1995) two shots are linked when they are alike and not far apart; a story ends where no
link crosses. Its two thresholds are hard to choose, so many graphs with random thresholds are made
for each feature, visual or audio. The share of a feature's graphs that end a story at a cut is a
probability, and cuts where the weighted sum over the features is high enough become boundaries.

The paper's concept detectors and speaker clusters are further features here, where a video has
them. Weights and threshold are chosen on the training videos.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from storyscope.baselines.shots import Array, descriptors, middle_seconds, similarity
from storyscope.baselines.tuning import best_setting
from storyscope.core import Segmentation
from storyscope.evaluate import AnnotatedVideo, UnannotatedVideo

GRAPHS = 200
"""Number of random graphs per feature."""
LONGEST_LINK_SECONDS = (10.0, 180.0)
"""Range of the maximum link length of a graph in seconds, drawn log-uniformly."""
LIKE_QUANTILES = (0.02, 0.6)
"""Range of the share of pairs that count as similar."""
WEIGHT_STEPS = 4
"""Weights of the features are multiples of 1 / WEIGHT_STEPS that sum to 1."""


class SceneTransitionGraphs:
    """Many random scene transition graphs, and a vote."""

    name = "stg"

    def fit(self, training: Sequence[AnnotatedVideo], *, seed: int) -> SceneTransitionDetector:
        names = tuple(sorted(training[0].features))
        thresholds = np.linspace(0.05, 0.95, 19).tolist()
        settings = (
            SceneTransitionDetector(dict(zip(names, weights, strict=True)), threshold, seed)
            for weights, threshold in product(_weights(len(names)), thresholds)
        )
        shares = [boundary_shares(video, seed) for video in training]
        return best_setting(training, shares, settings, lambda share, s: s.decide(share))


@dataclass(frozen=True)
class SceneTransitionDetector:
    """Boundaries where the weighted share of graphs is at least `threshold`."""

    weights: dict[str, float]
    threshold: float
    seed: int

    def find(self, video: UnannotatedVideo) -> Segmentation:
        return self.decide(boundary_shares(video, self.seed))

    def decide(self, shares: dict[str, Array]) -> Segmentation:
        vote = sum(weight * shares[name] for name, weight in self.weights.items())
        cuts = np.flatnonzero(np.asarray(vote) >= self.threshold - 1e-9) + 1
        shots = len(next(iter(shares.values()))) + 1
        return Segmentation.from_cuts(cuts.tolist(), shots)


def boundary_shares(video: UnannotatedVideo, seed: int) -> dict[str, Array]:
    """For each feature and each cut, the share of random graphs that no link crosses there."""
    seconds = middle_seconds(video)
    apart = np.abs(seconds[:, None] - seconds[None, :])
    rng = np.random.default_rng(seed)
    shares = {}
    for name, rows in descriptors(video).items():
        alike = similarity(rows)
        near = np.sort(alike[(apart <= LONGEST_LINK_SECONDS[1]) & (apart > 0)])
        crossed = np.zeros(len(seconds) - 1)
        for _ in range(GRAPHS):
            longest = np.exp(rng.uniform(*np.log(LONGEST_LINK_SECONDS)))
            quantile = 1.0 - rng.uniform(*LIKE_QUANTILES)
            threshold = near[int(quantile * (len(near) - 1))] if len(near) else 1.0
            crossed += crossing_links((alike >= threshold) & (apart <= longest))
        shares[name] = 1.0 - crossed / GRAPHS
    return shares


def crossing_links(linked: np.ndarray) -> np.ndarray:
    """Whether a link crosses each cut; `linked` is the symmetric adjacency of shots."""
    shots = len(linked)
    linked = linked | np.eye(shots, dtype=bool)
    farthest = shots - 1 - linked[:, ::-1].argmax(axis=1)
    return np.maximum.accumulate(farthest)[:-1] > np.arange(shots - 1)


def _weights(features: int) -> Iterator[tuple[float, ...]]:
    for steps in product(range(WEIGHT_STEPS + 1), repeat=features - 1):
        if sum(steps) <= WEIGHT_STEPS:
            yield tuple(step / WEIGHT_STEPS for step in (*steps, WEIGHT_STEPS - sum(steps)))
