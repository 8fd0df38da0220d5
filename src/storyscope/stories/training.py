"""Train the detector on annotated videos.

Views and networks are trained together, as one model of whole segmentations: their scores should
make the annotated segmentation of each video more probable than all others. The gradient of that
log-probability with respect to the score of a story is simply 1 if the story is annotated else 0,
minus the probability the model gives it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from storyscope.core import Segmentation
from storyscope.errors import AnnotationError, MissingDependency
from storyscope.progress import Report, Step, silent
from storyscope.stories.examples import StoryExample, variants
from storyscope.stories.model import NEIGHBOURS, StoryModel, standardised
from storyscope.stories.posterior import IMPOSSIBLE, story_chances
from storyscope.stories.relations import (
    CUT_COLUMNS,
    CUT_TIMING,
    RUN_COLUMNS,
    RUN_TIMING,
    Relations,
    relate,
)
from storyscope.stories.similarity import COLOUR, LEARNED, Array, vote_of

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
    silence: float = 0.3
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
    told = [variants(example, rng) if recipe.varied else [example] for example in examples]
    tables = [[(_related(each), each.truth) for each in versions] for versions in told]
    known = [relations for versions in tables for relations, _ in versions]
    scaling = _scaling(known) if base is None else {name: base.weights[name] for name in _SCALING}
    videos = [[_Video.of(*each, scaling) for each in versions] for versions in tables]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = _networks(recipe) if base is None else _copied(base)
        _study(videos, net, recipe, anchored=base is not None, rng=rng, report=report)
    weights = {name: value.detach().numpy().astype(np.float32) for name, value in net.items()}
    return StoryModel({**weights, **scaling})


def _related(example: StoryExample) -> Relations:
    """Trainable parameters: the networks, and the weights of the views."""
    found = relate(example.features, example.rhythm, LONGEST)
    used = [view for view in found.cuts if vote_of(view)]
    return replace(
        found,
        cuts={view: found.cuts[view] for view in used},
        runs={view: found.runs[view] for view in used},
    )


def _study(
    videos: Sequence[Sequence[_Video]],
    net: dict[str, Any],
    recipe: Recipe,
    *,
    anchored: bool,
    rng: np.random.Generator,
    report: Report,
) -> None:
    """The training loop: pick some videos, each in some variant, and raise the probability of their
    stories."""
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
        plain = [video.read(net) for video in batch]
        tables = [video.table(*each) for video, each in zip(batch, plain, strict=True)]
        plausible = [
            torch.nonzero(((chances > PLAUSIBLE) | video.true).reshape(-1))[:, 0]
            for video, chances in zip(batch, _chances(batch, tables), strict=True)
        ]
        optimiser.zero_grad()
        scores = [
            video.study(net, recipe, rng, before, rows)
            for video, (before, _), rows in zip(batch, plain, plausible, strict=True)
        ]
        for video, score, chances in zip(batch, scores, _chances(batch, scores), strict=True):
            score.backward((chances - video.true.float()) / (len(batch) * video.true.sum()))
        optimiser.step()
        if anchor is not None:
            _pull_back(net, anchor, optimiser.param_groups[0]["lr"] * recipe.weight_decay)
        report(Step("training", step, recipe.steps))


_SCALING = ("cut_mean", "cut_scale", "run_mean", "run_scale")


def _scaling(known: Sequence[Relations]) -> dict[str, Array]:
    """Mean and standard deviation of every column, shared by all views."""
    scaling = {}
    for kind, of_views, of_time in (
        ("cut", [table[1:] for r in known for table in r.cuts.values()],
         [r.cut_timing[1:] for r in known]),
        ("run", [table[::3, ::5] for r in known for table in r.runs.values()],
         [r.run_timing[::3, ::5] for r in known]),
    ):  # fmt: skip
        columns = {"cut": CUT_COLUMNS, "run": RUN_COLUMNS}[kind]
        parts = [
            np.concatenate([table.reshape(-1, table.shape[-1]) for table in tables])
            if tables
            else np.zeros((1, columns))
            for tables in (of_views, of_time)
        ]
        scaling[f"{kind}_mean"] = np.hstack([part.mean(axis=0) for part in parts])
        scaling[f"{kind}_scale"] = np.hstack([part.std(axis=0).clip(1e-3) for part in parts])
    return {name: value.astype(np.float32) for name, value in scaling.items()}


@dataclass(frozen=True, eq=False)
class _Video:
    """One video in training: its relations by view, its timing, and its true stories."""

    views: tuple[str, ...]
    cuts: Any
    """[views, shots, columns]."""
    runs: Any
    """[views, shots x lengths, columns]."""
    cut_timing: Any
    run_timing: Any
    true: Any
    """bool [shots, lengths]."""

    @classmethod
    def of(cls, relations: Relations, truth: Segmentation, scaling: dict[str, Array]) -> _Video:
        torch = _torch()
        shots, lengths, _ = relations.run_timing.shape
        true = np.zeros((shots, lengths), bool)
        for story in truth:
            for part in range(story.start, story.stop, lengths):
                true[part, min(lengths, story.stop - part) - 1] = True

        def rows(kind: str, table: Array, timing: bool = False) -> Any:
            mean, scale = scaling[f"{kind}_mean"], scaling[f"{kind}_scale"]
            width = table.shape[-1]
            part = slice(len(mean) - width, None) if timing else slice(width)
            flat = table.reshape(-1, width)
            return torch.from_numpy(standardised(flat, mean[part], scale[part]))

        names = [*relations.cuts]
        empty = torch.zeros(0, 1, 1)
        return cls(
            tuple(names),
            torch.stack([rows("cut", relations.cuts[name]) for name in names]) if names else empty,
            torch.stack([rows("run", relations.runs[name]) for name in names]) if names else empty,
            rows("cut", relations.cut_timing, timing=True),
            rows("run", relations.run_timing, timing=True),
            torch.from_numpy(true),
        )

    def read(self, net: dict[str, Any]) -> tuple[Any, Any]:
        """Score every run and every shot change without dropout or noise."""
        with _torch().no_grad():
            shares = self._shares(net, [True] * len(self.views))
            of_runs = _score_runs(net, _joined(shares, self.runs, self.run_timing, RUN_COLUMNS))
            of_cuts = _score_cuts(net, _joined(shares, self.cuts, self.cut_timing, CUT_COLUMNS))
            return of_runs, of_cuts

    def table(self, of_runs: Any, of_cuts: Any) -> Any:
        """Scores of all stories, [shots, lengths]."""
        return of_runs.reshape(self.true.shape) + of_cuts[:, None]

    def study(
        self, net: dict[str, Any], recipe: Recipe, rng: np.random.Generator, before: Any, rows: Any
    ) -> Any:
        """Scores with noise, dropout and dropped views; only some rows have gradients."""
        torch = _torch()
        kept = [bool(chance >= recipe.silence) for chance in rng.random(len(self.views))]
        if kept and not any(kept):
            kept[int(rng.integers(len(kept)))] = True
        shares = self._shares(net, kept)
        cuts = self.cuts + recipe.noise * torch.randn(self.cuts.shape)
        timing = self.cut_timing + recipe.noise * torch.randn(self.cut_timing.shape)
        of_cuts = _score_cuts(net, _joined(shares, cuts, timing, CUT_COLUMNS), recipe.dropout)
        runs = self.runs[:, rows] if self.views else self.runs
        joined = _joined(shares, runs, self.run_timing[rows], RUN_COLUMNS)
        of_runs = before.clone()
        of_runs[rows] = _score_runs(net, joined, recipe.dropout)
        return self.table(of_runs, of_cuts)

    def _shares(self, net: dict[str, Any], kept: Sequence[bool]) -> Any:
        """Normalised weight of each remaining view."""
        torch = _torch()
        if not self.views:
            return torch.zeros(0)
        of = [
            LEARNED.index(view) if view in LEARNED else LEARNED.index(COLOUR) for view in self.views
        ]
        votes = [
            math.log(vote_of(view)) if keep else -math.inf
            for view, keep in zip(self.views, kept, strict=True)
        ]
        return torch.softmax(net["views"][of] + torch.tensor(votes), dim=0)


def _joined(shares: Any, of_views: Any, timing: Any, columns: int) -> Any:
    """The relations averaged over the views, with the timing."""
    torch = _torch()
    if not len(shares):
        return torch.cat([torch.zeros(len(timing), columns), timing], dim=1)
    return torch.cat([torch.einsum("v,vrc->rc", shares, of_views), timing], dim=1)


def _chances(videos: Sequence[_Video], scores: Sequence[Any]) -> list[Any]:
    """Probability of every story of each video under its scores."""
    tables = []
    for video, each in zip(videos, scores, strict=True):
        shots, lengths = video.true.shape
        inside = np.arange(shots)[:, None] + np.arange(lengths) < shots
        tables.append(np.where(inside, each.detach().numpy(), IMPOSSIBLE))
    return [_torch().from_numpy(each.astype(np.float32)) for each in story_chances(tables)]


def _score_cuts(net: dict[str, Any], cuts: Any, dropout: float = 0.0) -> Any:
    """A score for each shot change; 0 for the first shot, which always begins a story."""
    torch = _torch()
    drop = torch.nn.functional.dropout
    seen = drop(torch.relu(cuts @ net["cut_1"] + net["cut_1_bias"]), dropout)
    padded = torch.nn.functional.pad(seen, (0, 0, NEIGHBOURS, NEIGHBOURS))
    beside = torch.cat([padded[k : k + len(cuts)] for k in range(2 * NEIGHBOURS + 1)], dim=1)
    hidden = drop(torch.relu(beside @ net["cut_2"] + net["cut_2_bias"]), dropout)
    score = (hidden @ net["cut_3"] + net["cut_3_bias"])[:, 0]
    return torch.cat([torch.zeros(1), score[1:]])


def _score_runs(net: dict[str, Any], runs: Any, dropout: float = 0.0) -> Any:
    torch = _torch()
    drop = torch.nn.functional.dropout
    hidden = drop(torch.relu(runs @ net["run_1"] + net["run_1_bias"]), dropout)
    hidden = drop(torch.relu(hidden @ net["run_2"] + net["run_2_bias"]), dropout)
    return (hidden @ net["run_3"] + net["run_3_bias"])[:, 0]


def _networks(recipe: Recipe) -> dict[str, Any]:
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


def _copied(base: StoryModel) -> dict[str, Any]:
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
