"""SDN: a siamese network and spectral clustering.

Baraldi, Grana and Cucchiara, "A deep siamese network for scene detection in broadcast videos", ACM
Multimedia 2015. A network learns to bring shots of one story together and to keep others apart
(contrastive loss, margin 1), from what the shots look like and when they occur. The distances it
gives fill an affinity matrix; spectral clustering parts the shots, and a story ends wherever
neighbouring shots are in different groups.

The width of the affinity and the number of groups are chosen on the training videos, each half
embedded by a network that has seen only the other; the network is then trained on all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np

from storyscope.baselines.shots import Array, joined, middle_seconds
from storyscope.baselines.spectral import largest_eigengap, spectral_labels
from storyscope.baselines.tuning import best_setting
from storyscope.core import Segmentation
from storyscope.errors import MissingDependency
from storyscope.evaluate import AnnotatedVideo, UnannotatedVideo

LAYERS = (200, 200, 30)
STEPS = 200
LEARNING_RATE = 0.05
MOMENTUM = 0.9
WEIGHT_DECAY = 0.0005
WIDTHS = (0.1, 0.25, 0.5, 1.0)
"""sigma of the affinity exp(-d^2 / 2 sigma^2)."""
SHOTS_PER_GROUP = (None, 6.0, 8.0, 10.0, 14.0)
"""Shots per group; None uses the largest eigengap, as the paper does."""


class SiameseNetwork:
    """Learned distances, then spectral clustering."""

    name = "sdn"

    def fit(self, training: Sequence[AnnotatedVideo], *, seed: int) -> SiameseDetector:
        width, per_group = best_setting(
            training,
            _embedded_unseen(training, seed),
            list(product(WIDTHS, SHOTS_PER_GROUP)),
            lambda rows, setting: contiguous_groups(rows, *setting, seed),
        )
        return SiameseDetector(tuple(train_network(training, seed)), width, per_group, seed)


@dataclass(frozen=True, eq=False)
class SiameseDetector:
    """A trained network (weight and bias of every layer) and the settings of the clustering."""

    weights: tuple[tuple[Array, Array], ...]
    width: float
    shots_per_group: float | None
    seed: int

    def find(self, video: UnannotatedVideo) -> Segmentation:
        rows = embed(self.weights, network_input(video))
        return contiguous_groups(rows, self.width, self.shots_per_group, self.seed)


def network_input(video: UnannotatedVideo) -> Array:
    """Appearance and time in minutes of each shot, one row per shot."""
    return np.hstack([joined(video), 0.5 * middle_seconds(video)[:, None] / 60.0])


def contiguous_groups(
    rows: Array, width: float, shots_per_group: float | None, seed: int
) -> Segmentation:
    """Spectral clustering of the shots; a story is a run of shots in the same group."""
    squares = np.einsum("ij,ij->i", rows, rows)
    distances = np.maximum(squares[:, None] + squares[None, :] - 2.0 * rows @ rows.T, 0.0)
    affinity = np.exp(-distances / (2.0 * width**2))
    if shots_per_group is None:
        count = largest_eigengap(affinity)
    else:
        count = max(1, round(len(rows) / shots_per_group))
    labels = spectral_labels(affinity, count, seed)
    return Segmentation.from_cuts((np.flatnonzero(np.diff(labels)) + 1).tolist(), len(rows))


def embed(weights: Sequence[tuple[Array, Array]], rows: Array) -> Array:
    """The network without torch: layers with ReLU between them."""
    for layer, (matrix, bias) in enumerate(weights):
        rows = (np.maximum(rows, 0.0) if layer else rows) @ matrix.T + bias
    return rows


def train_network(videos: Sequence[AnnotatedVideo], seed: int) -> list[tuple[Array, Array]]:
    """Minimise the contrastive loss over the pairs of shots of each video, one video per step.

    Pairs of different stories are far more frequent, so both kinds get the same total weight.
    """
    torch = _torch()
    torch.manual_seed(seed)
    inputs = [torch.tensor(network_input(v.without_truth()), dtype=torch.float32) for v in videos]
    same = [torch.tensor(_same_story(v), dtype=torch.float32) for v in videos]
    sizes = [inputs[0].shape[1], *LAYERS]
    layers = [torch.nn.Linear(a, b) for a, b in pairwise(sizes)]
    network = torch.nn.Sequential(*(step for layer in layers for step in (layer, torch.nn.ReLU())))[
        :-1
    ]
    optimiser = torch.optim.SGD(
        network.parameters(), lr=LEARNING_RATE, momentum=MOMENTUM, weight_decay=WEIGHT_DECAY
    )
    order = np.random.default_rng(seed)
    for _ in range(STEPS):
        index = order.integers(len(videos))
        optimiser.zero_grad()
        _contrastive_loss(torch, network(inputs[index]), same[index]).backward()
        optimiser.step()
    return [
        (layer.weight.detach().numpy().astype(float), layer.bias.detach().numpy().astype(float))
        for layer in layers
    ]


def _embedded_unseen(training: Sequence[AnnotatedVideo], seed: int) -> list[Array]:
    """Every training video, embedded by a network trained on those of the other half."""
    halves = [training[1::2] or training, training[::2]]
    networks = [train_network(half, seed) for half in halves]
    return [embed(networks[i % 2], network_input(video)) for i, video in enumerate(training)]


def _contrastive_loss(torch: Any, rows: Any, same: Any) -> Any:
    squares = (rows**2).sum(dim=1)
    squared = (squares[:, None] + squares[None, :] - 2.0 * rows @ rows.T).clamp(min=1e-9)
    pull = (squared * same).sum() / same.sum()
    push = ((1.0 - squared.sqrt()).clamp(min=0.0) ** 2 * (1.0 - same)).sum()
    return pull + push / (1.0 - same).sum().clamp(min=1.0)


def _same_story(video: AnnotatedVideo) -> np.ndarray:
    truth = video.truth_on_shots
    story = np.repeat(np.arange(len(truth)), [len(shots) for shots in truth])
    return np.asarray(story[:, None] == story[None, :])


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingDependency(
            "training the siamese network (SDN) needs torch, which is not installed; "
            "run `pip install storyscope[train]`, or leave SDN out of the comparison"
        ) from error
    return torch
