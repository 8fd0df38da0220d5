"""Train the detector on annotated videos.

Views and networks are trained together, as one model of whole segmentations: their scores
should make the annotated segmentation of each video more probable than all others. The gradient of
that log-probability with respect to the score of a story is 1 if the story is annotated else 0,
minus the probability the model gives it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from storyscope.core import Segmentation
from storyscope.errors import AnnotationError, MissingDependency
from storyscope.progress import Report, Step, silent
from storyscope.stories.examples import StoryExample, variants
from storyscope.stories.model import NEIGHBOURS, StoryModel, inside, standardised
from storyscope.stories.posterior import IMPOSSIBLE, story_probabilities
from storyscope.stories.relations import (
    CUT_COLUMNS,
    CUT_TIMING,
    RUN_COLUMNS,
    RUN_TIMING,
    Relations,
    relate,
)
from storyscope.stories.similarity import COLOUR, LEARNED, Array, relative_weight

LONGEST = 100
"""Maximum number of shots of a story in training; a longer one counts as several."""

PLAUSIBLE = 5e-4
"""Minimum probability of a story that contributes to the gradient."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How the detector is trained, with strong regularisation because there is little data."""

    hidden: int = 32
    steps: int = 300
    batch: int = 6
    """Number of videos per step."""
    learning_rate: float = 0.004
    weight_decay: float = 0.2
    dropout: float = 0.5
    noise: float = 0.4
    """Standard deviation of the noise on the relations of shot changes."""
    view_dropout: float = 0.3
    """Probability of dropping a view, so that the model can do without any of them."""
    varied: bool = True
    """Whether variants of each video are used, for other kinds of video."""


def train(
    examples: Sequence[StoryExample],
    recipe: Recipe = Recipe(),
    *,
    seed: int = 0,
    base: StoryModel | None = None,
    report: Report = silent,
) -> StoryModel:
    """Train on annotated videos; the same examples and seed give the same model.

    With a `base`, start from it and stay close to it: weight decay pulls towards its weights.
    """
    torch = _torch()
    if not examples:
        raise AnnotationError("nothing to learn from; annotate at least one video")
    rng = np.random.default_rng(seed)
    versions = [variants(each, rng) if recipe.varied else [each] for each in examples]
    related = [
        [(relate(each.features, each.rhythm, LONGEST), each.truth) for each in group]
        for group in versions
    ]
    if base is None:
        scaling = _scaling([relations for group in related for relations, _ in group])
    else:
        scaling = {name: base.weights[name] for name in _SCALING}
    videos = [[_Video.of(*each, scaling) for each in group] for group in related]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = _new_networks(recipe) if base is None else _networks_of(base)
        _optimise(videos, net, recipe, anchored=base is not None, rng=rng, report=report)
    weights = {name: value.detach().numpy().astype(np.float32) for name, value in net.items()}
    return StoryModel({**weights, **scaling})


def _optimise(
    videos: Sequence[Sequence[_Video]],
    net: dict[str, Any],
    recipe: Recipe,
    *,
    anchored: bool,
    rng: np.random.Generator,
    report: Report,
) -> None:
    """The training loop: choose some videos, each in some variant, and raise the probability of
    their stories."""
    torch = _torch()
    anchor = {name: value.detach().clone() for name, value in net.items()} if anchored else None
    optimiser = torch.optim.AdamW(
        net.values(),
        lr=recipe.learning_rate,
        betas=(0.9, 0.98),
        weight_decay=recipe.weight_decay if anchor is None else 0.0,
    )
    for step in range(1, recipe.steps + 1):
        _set_rate(optimiser, recipe, step)
        chosen = rng.permutation(len(videos))[: recipe.batch]
        batch = [videos[k][int(rng.integers(len(videos[k])))] for k in chosen]
        # Gradients are computed only for plausible stories, which are few.
        with torch.no_grad():
            plain = [video.scores(net) for video in batch]
        tables = [video.table(*each) for video, each in zip(batch, plain, strict=True)]
        plausible = [
            torch.nonzero(((likely > PLAUSIBLE) | video.true).reshape(-1))[:, 0]
            for video, likely in zip(batch, _probabilities(batch, tables), strict=True)
        ]
        optimiser.zero_grad()
        scores = [
            video.noisy_table(net, recipe, rng, of_runs, rows)
            for video, (_, of_runs), rows in zip(batch, plain, plausible, strict=True)
        ]
        for video, score, likely in zip(batch, scores, _probabilities(batch, scores), strict=True):
            score.backward((likely - video.true.float()) / (len(batch) * video.true.sum()))
        optimiser.step()
        if anchor is not None:
            _pull_back(net, anchor, optimiser.param_groups[0]["lr"] * recipe.weight_decay)
        report(Step("training", step, recipe.steps))


_SCALING = ("cut_mean", "cut_scale", "run_mean", "run_scale")


def _scaling(related: Sequence[Relations]) -> dict[str, Array]:
    """Mean and standard deviation of every column, shared by all views."""
    scaling: dict[str, Array] = {}
    for kind, columns, tables, timing in (
        (
            "cut",
            CUT_COLUMNS,
            [table[1:] for each in related for table in each.cuts.values()],
            [each.cut_timing[1:] for each in related],
        ),
        (
            "run",
            RUN_COLUMNS,
            [table[::3, ::5] for each in related for table in each.runs.values()],
            [each.run_timing[::3, ::5] for each in related],
        ),
    ):
        of_views = np.concatenate([_flat(table) for table in tables or [np.zeros((1, columns))]])
        of_time = np.concatenate([_flat(table) for table in timing])
        mean = np.r_[of_views.mean(axis=0), of_time.mean(axis=0)]
        scale = np.r_[of_views.std(axis=0), of_time.std(axis=0)].clip(1e-3)
        scaling |= {f"{kind}_mean": mean, f"{kind}_scale": scale}
    return {name: value.astype(np.float32) for name, value in scaling.items()}


@dataclass(frozen=True, eq=False)
class _Video:
    """One video in training: its relations by view, its timing, and its true stories."""

    views: Any
    """For each view, the place of its weight in LEARNED; that of colour if it has none."""
    offsets: Any
    """For each view, the logarithm of its weight relative to that one."""
    cuts: Any
    """[views, shots, columns]."""
    cut_timing: Any
    runs: Any
    """[views, shots x lengths, columns]."""
    run_timing: Any
    true: Any
    """bool [shots, lengths]."""

    @classmethod
    def of(cls, relations: Relations, truth: Segmentation, scaling: Mapping[str, Array]) -> _Video:
        torch = _torch()
        shots, lengths, _ = relations.run_timing.shape
        true = np.zeros((shots, lengths), bool)
        for story in truth:
            for part in range(story.start, story.stop, lengths):
                true[part, min(lengths, story.stop - part) - 1] = True

        def tensors(kind: str, of_views: Mapping[str, Array], of_time: Array) -> tuple[Any, Any]:
            mean, scale = scaling[f"{kind}_mean"], scaling[f"{kind}_scale"]
            columns = len(mean) - of_time.shape[-1]
            timing = standardised(_flat(of_time), mean[columns:], scale[columns:])
            tables = np.zeros((len(of_views), len(timing), columns), np.float32)
            for number, table in enumerate(of_views.values()):
                tables[number] = standardised(_flat(table), mean[:columns], scale[:columns])
            return torch.from_numpy(tables), torch.from_numpy(timing)

        names = [*relations.cuts]
        return cls(
            torch.tensor([LEARNED.index(v if v in LEARNED else COLOUR) for v in names]).long(),
            torch.tensor([math.log(relative_weight(view)) for view in names]),
            *tensors("cut", relations.cuts, relations.cut_timing),
            *tensors("run", relations.runs, relations.run_timing),
            torch.from_numpy(true),
        )

    def scores(self, net: dict[str, Any]) -> tuple[Any, Any]:
        """Score every shot change and every run."""
        weights = self._weights(net, np.ones(len(self.views), bool))
        of_cuts = _score_cuts(net, _averaged(weights, self.cuts, self.cut_timing))
        return of_cuts, _score_runs(net, _averaged(weights, self.runs, self.run_timing))

    def noisy_table(
        self, net: dict[str, Any], recipe: Recipe, rng: np.random.Generator, of_runs: Any, rows: Any
    ) -> Any:
        """Scores of all stories with noise, dropout and dropped views.

        Only the runs in `rows` are scored again; the others keep their scores in `of_runs`.
        """
        torch = _torch()
        kept = rng.random(len(self.views)) >= recipe.view_dropout
        if len(kept) and not kept.any():
            kept[int(rng.integers(len(kept)))] = True
        weights = self._weights(net, kept)
        cuts = self.cuts + recipe.noise * torch.randn(self.cuts.shape)
        timing = self.cut_timing + recipe.noise * torch.randn(self.cut_timing.shape)
        of_cuts = _score_cuts(net, _averaged(weights, cuts, timing), recipe.dropout)
        runs = _averaged(weights, self.runs[:, rows], self.run_timing[rows])
        of_runs = of_runs.clone()
        of_runs[rows] = _score_runs(net, runs, recipe.dropout)
        return self.table(of_cuts, of_runs)

    def table(self, of_cuts: Any, of_runs: Any) -> Any:
        """Scores of all stories, [shots, lengths]."""
        return of_runs.reshape(self.true.shape) + of_cuts[:, None]

    def _weights(self, net: dict[str, Any], kept: Array) -> Any:
        """Normalised weights of the views that are kept; 0 for the others."""
        torch = _torch()
        dropped = torch.from_numpy(np.where(kept, 0.0, -np.inf).astype(np.float32))
        return torch.softmax(net["views"][self.views] + self.offsets + dropped, dim=0)


def _flat(table: Array) -> Array:
    return table.reshape(-1, table.shape[-1])


def _averaged(weights: Any, tables: Any, timing: Any) -> Any:
    """The relations averaged over the views, with the timing."""
    torch = _torch()
    return torch.cat([torch.einsum("v,vrc->rc", weights, tables), timing], dim=1)


def _probabilities(videos: Sequence[_Video], scores: Sequence[Any]) -> list[Any]:
    """Probability of every story of each video under its scores."""
    tables = [
        np.where(inside(*video.true.shape), each.detach().numpy(), IMPOSSIBLE)
        for video, each in zip(videos, scores, strict=True)
    ]
    return [_torch().from_numpy(each.astype(np.float32)) for each in story_probabilities(tables)]


def _score_cuts(net: dict[str, Any], cuts: Any, dropout: float = 0.0) -> Any:
    """A score for each shot change; 0 for the first shot, which always begins a story."""
    torch = _torch()
    first = _layer(net, "cut_1", cuts, dropout)
    padded = torch.nn.functional.pad(first, (0, 0, NEIGHBOURS, NEIGHBOURS))
    beside = torch.cat([padded[k : k + len(cuts)] for k in range(2 * NEIGHBOURS + 1)], dim=1)
    hidden = _layer(net, "cut_2", beside, dropout)
    score = (hidden @ net["cut_3"] + net["cut_3_bias"])[:, 0]
    return torch.cat([torch.zeros(1), score[1:]])


def _score_runs(net: dict[str, Any], runs: Any, dropout: float = 0.0) -> Any:
    hidden = _layer(net, "run_2", _layer(net, "run_1", runs, dropout), dropout)
    return (hidden @ net["run_3"] + net["run_3_bias"])[:, 0]


def _layer(net: dict[str, Any], name: str, rows: Any, dropout: float) -> Any:
    torch = _torch()
    hidden = torch.relu(rows @ net[name] + net[f"{name}_bias"])
    return torch.nn.functional.dropout(hidden, dropout)


def _new_networks(recipe: Recipe) -> dict[str, Any]:
    """Random initial weights."""
    torch = _torch()
    shapes = {
        "cut_1": (CUT_COLUMNS + CUT_TIMING, recipe.hidden),
        "cut_2": ((2 * NEIGHBOURS + 1) * recipe.hidden, recipe.hidden),
        "cut_3": (recipe.hidden, 1),
        "run_1": (RUN_COLUMNS + RUN_TIMING, recipe.hidden),
        "run_2": (recipe.hidden, recipe.hidden),
        "run_3": (recipe.hidden, 1),
    }
    net = {"views": torch.zeros(len(LEARNED)).requires_grad_()}
    for name, (inputs, outputs) in shapes.items():
        spread = math.sqrt(2 / inputs) * (0.3 if outputs == 1 else 1.0)
        net[name] = (torch.randn(inputs, outputs) * spread).requires_grad_()
        net[f"{name}_bias"] = torch.zeros(outputs).requires_grad_()
    with torch.no_grad():
        net["cut_3_bias"].fill_(-1.0)
    return net


def _networks_of(base: StoryModel) -> dict[str, Any]:
    """The weights of a model, to be trained further."""
    torch = _torch()
    return {
        name: torch.from_numpy(value.copy()).requires_grad_()
        for name, value in base.weights.items()
        if name not in _SCALING
    }


def _pull_back(net: dict[str, Any], anchor: dict[str, Any], share: float) -> None:
    with _torch().no_grad():
        for name, value in net.items():
            value.lerp_(anchor[name], share)


def _set_rate(optimiser: Any, recipe: Recipe, step: int) -> None:
    """Twenty warm-up steps, then a cosine decay to nearly zero."""
    fall = 0.5 * (1 + math.cos(math.pi * step / recipe.steps)) + 0.02
    for group in optimiser.param_groups:
        group["lr"] = recipe.learning_rate * min(1.0, step / 20) * fall


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingDependency(
            "training needs torch, which is not installed; run `pip install storyscope[train]`"
        ) from error
    return torch
