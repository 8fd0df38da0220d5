"""Train an embedding network: the paper's triplets, siamese pairs, or an LSTM.

Each step takes a video, draws triplets of its shots, embeds them all in one pass with one dropout
mask, which synchronises dropout over the branches, adds the loss's gradient and lambda w to the
momentum, and updates the weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from storyscope.core import Features, Segmentation
from storyscope.embedding.layout import Layout
from storyscope.embedding.network import Embedding
from storyscope.embedding.shrink import decay_outside_span, shrink
from storyscope.errors import AnnotationError, MissingDependency, UnknownName
from storyscope.progress import Report, Step, silent

KINDS = ("triplet", "siamese", "lstm")
MEMORY = 10
"""Hidden size of the LSTM in the paper's comparison."""
LSTM_RATE = 0.1
"""Factor on the learning rate for the LSTM, with Adam: plain gradient descent only learns the
mean."""


@dataclass(frozen=True, kw_only=True)
class EmbeddingRecipe:
    """How an embedding is trained; the defaults are the paper's."""

    layers: tuple[int, ...] = (500, 125, 30)
    retain: float = 0.5
    """Probability that dropout keeps a neuron."""
    momentum: float = 0.9
    weight_decay: float = 0.0005
    """lambda; biases do not decay."""
    batch: int = 500
    """Triplets, or pairs, per step."""
    learning_rate: float = 0.01
    later_rate: float = 0.001
    epochs: int = 60
    later_from: int = 50
    """Epoch from which the later learning rate applies; an epoch visits every video once."""


@dataclass(frozen=True, eq=False)
class Example:
    """One annotated video: its features, and its stories over shots."""

    features: Sequence[Features]
    stories: Segmentation


def train_embedding(
    videos: Sequence[Example],
    kind: str = "triplet",
    recipe: EmbeddingRecipe = EmbeddingRecipe(),
    *,
    seed: int = 0,
    exact_shrink: bool = True,
    report: Report = silent,
) -> Embedding:
    """Train an embedding in which shots of the same story are close; deterministic for a seed.

    `exact_shrink` replaces inputs with more columns than there are shots by fewer columns that give
    the same network (see `shrink`). For the LSTM, which is trained with Adam, it gives another
    network of the same kind, which sees nothing outside the span of its training shots.
    """
    torch = _torch()
    if kind not in KINDS:
        raise UnknownName(f"no embedding is called {kind!r}; choose from {', '.join(KINDS)}")
    if not any(len(video.stories) > 1 for video in videos):
        raise AnnotationError("an embedding learns from videos of two stories or more; none given")
    layout = Layout.of(videos[0].features)
    rows = np.vstack([layout.join(video.features) for video in videos])
    random = np.random.default_rng(seed)
    first = _glorot(random, rows.shape[1], recipe.layers[0])
    shrunk = shrink(rows) if exact_shrink and rows.shape[1] > len(rows) else None
    inputs = rows if shrunk is None else shrunk.rows
    weights = _starting_weights(kind, recipe, random)
    weights["weight_1"] = first if shrunk is None else shrunk.project(first)
    net = {
        name: torch.tensor(value, dtype=torch.float64, requires_grad=True)
        for name, value in weights.items()
    }
    ends = np.cumsum([video.stories.end for video in videos])
    parts = [torch.tensor(part) for part in np.split(inputs, ends[:-1])]
    rates = _descend(net, parts, [v.stories for v in videos], kind, recipe, random, report)
    trained = {name: value.detach().numpy() for name, value in net.items()}
    left = 0.0 if kind == "lstm" else _decay_outside_span(rates, recipe)
    if shrunk is not None:
        trained["weight_1"] = shrunk.restore(trained["weight_1"], first, left)
    settings = {k: v for k, v in asdict(recipe).items() if not isinstance(v, tuple)}
    final = {name: value.astype(np.float32) for name, value in trained.items()}
    return Embedding(kind, layout, final, {**settings, "seed": seed})


def _descend(
    net: dict[str, Any],
    parts: Sequence[Any],
    truths: Sequence[Segmentation],
    kind: str,
    recipe: EmbeddingRecipe,
    random: np.random.Generator,
    report: Report,
) -> list[float]:
    """Gradient descent with momentum, or Adam for the LSTM; returns the learning rate of every
    step."""
    torch = _torch()
    decayed = [value for name, value in net.items() if "bias" not in name]
    biases = [value for name, value in net.items() if "bias" in name]
    groups = [
        {"params": decayed, "weight_decay": recipe.weight_decay},
        {"params": biases, "weight_decay": 0.0},
    ]
    share = LSTM_RATE if kind == "lstm" else 1.0
    optimiser = (
        torch.optim.Adam(groups)
        if kind == "lstm"
        else torch.optim.SGD(groups, momentum=recipe.momentum)
    )
    loss_of = {"triplet": _triplet_loss, "siamese": _siamese_loss, "lstm": _boundary_loss}[kind]
    usable = [k for k, truth in enumerate(truths) if 1 < len(truth) < truth.end]
    rates = []
    for epoch in range(recipe.epochs):
        rate = recipe.learning_rate if epoch < recipe.later_from else recipe.later_rate
        for group in optimiser.param_groups:
            group["lr"] = share * rate
        for video in random.permutation(usable):
            optimiser.zero_grad()
            points = _embed(net, parts[video], recipe, random)
            loss_of(net, points, truths[video], recipe, random).backward()
            optimiser.step()
            rates.append(rate)
        report(Step("embedding", epoch + 1, recipe.epochs))
    return rates


def _embed(
    net: dict[str, Any], rows: Any, recipe: EmbeddingRecipe, random: np.random.Generator
) -> Any:
    """The layers with ReLU, and dropout between them: one mask for all shots of the batch."""
    torch = _torch()
    for layer in range(1, len(recipe.layers) + 1):
        rows = torch.relu(rows @ net[f"weight_{layer}"] + net[f"bias_{layer}"])
        if layer < len(recipe.layers):
            kept = random.random(recipe.layers[layer - 1]) < recipe.retain
            rows = rows * torch.tensor(kept / recipe.retain)
    return rows


def _triplet_loss(
    net: dict[str, Any],
    points: Any,
    truth: Segmentation,
    recipe: EmbeddingRecipe,
    random: np.random.Generator,
) -> Any:
    """The triplet loss: mean of max(0, |a - p|^2 + 1 - |a - n|^2)."""
    anchor, positive, negative = draw_triplets(truth, recipe.batch, random)
    near = ((points[anchor] - points[positive]) ** 2).sum(dim=1)
    far = ((points[anchor] - points[negative]) ** 2).sum(dim=1)
    return (near + 1 - far).clamp(min=0).mean()


def _siamese_loss(
    net: dict[str, Any],
    points: Any,
    truth: Segmentation,
    recipe: EmbeddingRecipe,
    random: np.random.Generator,
) -> Any:
    """The contrastive loss: |a - p|^2 for shots of one story, max(0, 1 - |a - n|)^2 for others."""
    anchor, positive, negative = draw_triplets(truth, recipe.batch // 2, random)
    near = ((points[anchor] - points[positive]) ** 2).sum(dim=1)
    far = (((points[anchor] - points[negative]) ** 2).sum(dim=1) + 1e-12).sqrt()
    return (near + (1 - far).clamp(min=0) ** 2).mean()


def _boundary_loss(
    net: dict[str, Any],
    points: Any,
    truth: Segmentation,
    recipe: EmbeddingRecipe,
    random: np.random.Generator,
) -> Any:
    """Binary cross-entropy of the LSTM's output, shot by shot."""
    torch = _torch()
    rest = torch.zeros(1, 1, MEMORY).double()
    gates = [net["lstm_input"].T, net["lstm_hidden"].T, net["lstm_bias"], 0 * net["lstm_bias"]]
    states, _, _ = torch.lstm(
        points[:, None], (rest, rest), gates, True, 1, 0.0, True, False, False
    )
    answers = states[:, 0] @ net["out_weight"][:, 0] + net["out_bias"][0]
    begins = torch.zeros(truth.end).double()
    begins[list(truth.starts)] = 1.0
    return torch.nn.functional.binary_cross_entropy_with_logits(answers, begins)


def draw_triplets(
    truth: Segmentation, count: int, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw shots (anchor, another of its story, one of another story), uniformly over the
    anchors."""
    edges = np.array(truth.edges)
    story = np.repeat(np.arange(len(truth)), np.diff(edges))
    sizes = np.diff(edges)[story]
    anchor = random.choice(np.flatnonzero(sizes > 1), count)
    start, size = edges[story[anchor]], sizes[anchor]
    positive = start + (anchor - start + random.integers(1, size)) % size
    negative = (start + size + random.integers(0, truth.end - size)) % truth.end
    return anchor, positive, negative


def _starting_weights(
    kind: str, recipe: EmbeddingRecipe, random: np.random.Generator
) -> dict[str, np.ndarray]:
    """Glorot initialisation, and biases of zero."""
    weights: dict[str, np.ndarray] = {"bias_1": np.zeros(recipe.layers[0])}
    for layer, (inputs, outputs) in enumerate(
        zip(recipe.layers[:-1], recipe.layers[1:], strict=True), start=2
    ):
        weights[f"weight_{layer}"] = _glorot(random, inputs, outputs)
        weights[f"bias_{layer}"] = np.zeros(outputs)
    if kind == "lstm":
        weights["lstm_input"] = _glorot(random, recipe.layers[-1], 4 * MEMORY)
        weights["lstm_hidden"] = _glorot(random, MEMORY, 4 * MEMORY)
        weights["lstm_bias"] = np.zeros(4 * MEMORY)
        weights["out_weight"] = _glorot(random, MEMORY, 1)
        weights["out_bias"] = np.zeros(1)
    return weights


def _glorot(random: np.random.Generator, inputs: int, outputs: int) -> np.ndarray:
    limit = math.sqrt(6 / (inputs + outputs))
    return random.uniform(-limit, limit, (inputs, outputs))


def _decay_outside_span(rates: list[float], recipe: EmbeddingRecipe) -> float:
    """The factor by which weight decay shrinks the first layer outside the span of the training
    shots."""
    return decay_outside_span(rates, weight_decay=recipe.weight_decay, momentum=recipe.momentum)


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingDependency(
            "training an embedding needs torch, which is not installed; "
            "run `pip install storyscope[train]`"
        ) from error
    return torch
