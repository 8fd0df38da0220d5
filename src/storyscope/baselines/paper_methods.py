"""The paper's own methods for story detection, for comparison with ours.

An embedding network is trained on the training videos and shots are clustered in its space. The
penalty C is the paper's rule, or is chosen on the training videos: each half of them is embedded by
a network trained on the other half, because a network overfits the videos it was trained on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from storyscope.clustering import cluster, clusterings
from storyscope.core import Features, Segmentation
from storyscope.embedding import Embedding, EmbeddingRecipe, Example, Layout, train_embedding
from storyscope.evaluate import AnnotatedVideo, UnannotatedVideo, mean_iou

Penalty = float | Literal["auto", "paper"]

PENALTIES: tuple[Penalty, ...] = ("auto", "paper", *np.geomspace(0.01, 3.0, 20).tolist())
SHARES = tuple(np.linspace(0.7, 0.97, 28).tolist())
"""Shares of a video's shot changes that are not boundaries, to choose from."""


class Cluster:
    """Exact clustering of the unmodified features, without training."""

    name = "cluster"

    def fit(self, training: Sequence[AnnotatedVideo], *, seed: int) -> ClusterDetector:
        return ClusterDetector()

    def pretrained(self) -> ClusterDetector:
        return ClusterDetector()


@dataclass(frozen=True)
class ClusterDetector:
    """Clusters unit descriptors and half the minutes, C from the video itself."""

    def find(self, video: UnannotatedVideo) -> Segmentation:
        features = described(video)
        return cluster(Layout.of(features).join(features), "auto").segmentation


class Embedded:
    """Clustering in a learned space, with C chosen on training videos that the network has not
    seen."""

    def __init__(self, kind: str, recipe: EmbeddingRecipe = EmbeddingRecipe()) -> None:
        self.name = kind
        self.recipe = recipe

    def fit(self, training: Sequence[AnnotatedVideo], *, seed: int) -> EmbeddedDetector:
        examples = [Example(described(video), video.truth_on_shots) for video in training]
        unseen = networks_of_halves(examples, self.name, self.recipe, seed=seed)
        found = [
            clusterings(network.embed(each.features), PENALTIES)
            for network, each in zip(unseen, examples, strict=True)
        ]
        best = _best(training, lambda video, k: found[video][k].segmentation, len(PENALTIES))
        embedding = train_embedding(examples, self.name, self.recipe, seed=seed)
        return EmbeddedDetector(embedding, PENALTIES[best])


class Triplet(Embedded):
    """The paper's triplet network."""

    def __init__(self) -> None:
        super().__init__("triplet")


class Siamese(Embedded):
    """The paper's siamese network."""

    def __init__(self) -> None:
        super().__init__("siamese")


class Lstm:
    """The paper's LSTM: boundaries from a network that reads the shots in order."""

    name = "lstm"

    def __init__(self, recipe: EmbeddingRecipe = EmbeddingRecipe()) -> None:
        self.recipe = recipe

    def fit(self, training: Sequence[AnnotatedVideo], *, seed: int) -> LstmDetector:
        examples = [Example(described(video), video.truth_on_shots) for video in training]
        unseen = networks_of_halves(examples, self.name, self.recipe, seed=seed)
        odds = [
            network.boundary_log_odds(each.features)
            for network, each in zip(unseen, examples, strict=True)
        ]
        best = _best(training, lambda video, k: _above(odds[video], SHARES[k]), len(SHARES))
        embedding = train_embedding(examples, self.name, self.recipe, seed=seed)
        return LstmDetector(embedding, SHARES[best])


class Paper:
    """The paper's exact method: the features as given, its network, its rule for C."""

    def __init__(self, kind: str = "triplet", recipe: EmbeddingRecipe = EmbeddingRecipe()) -> None:
        self.name = "paper" if kind == "triplet" else f"paper-{kind}"
        self.kind = kind
        self.recipe = recipe

    def fit(self, training: Sequence[AnnotatedVideo], *, seed: int) -> EmbeddedDetector:
        examples = [Example([*video.features.values()], video.truth_on_shots) for video in training]
        embedding = train_embedding(examples, self.kind, self.recipe, seed=seed)
        return EmbeddedDetector(embedding, "paper", as_given=True)


class PaperSiamese(Paper):
    """The paper's siamese comparison: the same network, features and rule, pairs for triplets."""

    def __init__(self) -> None:
        super().__init__("siamese")


def networks_of_halves(
    examples: Sequence[Example], kind: str, recipe: EmbeddingRecipe, *, seed: int
) -> list[Embedding]:
    """For every video a network trained on the other half, if that has stories."""
    networks = []
    for other in (1, 0):
        half = [each for each in examples[other::2] if len(each.stories) > 1]
        networks.append(train_embedding(half or examples, kind, recipe, seed=seed))
    return [networks[number % 2] for number in range(len(examples))]


@dataclass(frozen=True, eq=False)
class EmbeddedDetector:
    """A trained space, and the C or the rule to cluster with."""

    embedding: Embedding
    penalty: Penalty
    as_given: bool = False
    """Whether the features are used as they are, without the times of the shots."""

    def find(self, video: UnannotatedVideo) -> Segmentation:
        features = [*video.features.values()] if self.as_given else described(video)
        return cluster(self.embedding.embed(features), self.penalty).segmentation


@dataclass(frozen=True, eq=False)
class LstmDetector:
    """A trained network, and the share of a video's shot changes that are not boundaries.

    A share, because a network is less confident on videos it was not trained on.
    """

    embedding: Embedding
    share: float

    def find(self, video: UnannotatedVideo) -> Segmentation:
        return _above(self.embedding.boundary_log_odds(described(video)), self.share)


def described(video: UnannotatedVideo) -> list[Features]:
    """The video's features, with the times of its shots in seconds."""
    edges = np.array(video.edges) / video.fps
    times = np.column_stack([(edges[1:] + edges[:-1]) / 2, np.diff(edges)])
    there = [each for name, each in video.features.items() if name != "time"]
    return [*there, Features("time", times, "middle and length 1")]


def _above(log_odds: np.ndarray, share: float) -> Segmentation:
    """A story begins wherever the log-odds are above that quantile of the video's own."""
    cuts = 1 + np.flatnonzero(log_odds[1:] > np.quantile(log_odds[1:], share))
    return Segmentation.from_cuts(cuts.tolist(), len(log_odds))


def _best(
    training: Sequence[AnnotatedVideo], find: Callable[[int, int], Segmentation], choices: int
) -> int:
    """The choice with the highest mean IoU over the training videos; the first in case of a tie."""
    scores = [
        np.mean(
            [
                mean_iou(find(number, choice).on(video.edges), video.truth)
                for number, video in enumerate(training)
            ]
        )
        for choice in range(choices)
    ]
    return int(np.argmax(scores))
