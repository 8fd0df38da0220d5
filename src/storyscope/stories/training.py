"""Teach the detector from annotated videos.

The two networks are trained together, as one model of whole segmentations: their scores should
make the annotated way to part each video more probable than all others. The gradient of that
log-probability with respect to the score of a story is simply

    1 if the story is annotated else 0, minus the probability the model gives it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from storyscope.core import Segmentation
from storyscope.errors import AnnotationError, MissingDependency
from storyscope.progress import Report, Step, silent
from storyscope.stories.model import NEIGHBOURS, StoryModel, standardised
from storyscope.stories.pace import Pace
from storyscope.stories.posterior import IMPOSSIBLE, story_chances
from storyscope.stories.relations import (
    CLOCK_COLUMNS,
    CUT_COLUMNS,
    CUT_COLUMNS_OF_VIEW,
    LENGTH_COLUMNS,
    MOST_SHOTS,
    RUN_COLUMNS,
    RUN_COLUMNS_OF_VIEW,
    Rhythm,
    cut_relations,
    run_relations,
)
from storyscope.stories.similarity import Array, Views

COPIES = 3
"""Other orders of its stories in which a video is read, when it is read so at all."""

WANDERING = 0.1
"""How far a story moves in another order, as a share of the number of stories."""

PLAUSIBLE = 5e-4
"""Stories less probable than this keep the score they had when they were last looked at."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How the detector is trained. Little data: so everything here holds it back."""

    members: int = 4
    """Networks trained side by side from different seeds, and averaged."""
    hidden: int = 32
    steps: int = 400
    batch: int = 6
    """Videos a step."""
    learning_rate: float = 0.004
    weight_decay: float = 0.2
    dropout: float = 0.5
    noise: float = 0.4
    """Standard deviation of the noise on the relations of changes."""
    silence: float = 0.1
    """How often a view is withheld, so that the model can do without any of them."""
    timelessness: float = 0.3
    """How often lengths in seconds are withheld, for videos of another pace."""
    reordered: float = 0.0
    """How often a video is read with its stories in another order, for videos of another kind."""
    look_again: int = 8
    """Steps after which every story of every video is scored anew."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """One annotated video, as the detector sees it."""

    views: Views
    rhythm: Rhythm
    truth: Segmentation
    """Stories over shots."""

    def backwards(self) -> Lesson:
        """The video played from its end: as good a lesson, and another one."""
        cuts = sorted(self.truth.end - cut for cut in self.truth.cuts)
        truth = Segmentation.from_cuts(cuts, self.truth.end)
        return Lesson(self.views.backwards(), self.rhythm.backwards(), truth)

    def reordered(self, chooser: np.random.Generator) -> Lesson:
        """The same stories in another order, few of them far from where they were."""
        stories = [*self.truth]
        moved = WANDERING * len(stories) * chooser.standard_normal(len(stories))
        order = [stories[k] for k in np.argsort(np.arange(len(stories)) + moved)]
        shots = np.concatenate([np.arange(story.start, story.stop) for story in order])
        ends = np.cumsum([len(story) for story in order])
        truth = Segmentation.from_cuts([int(end) for end in ends[:-1]], self.truth.end)
        return Lesson(self.views.of(shots), self.rhythm.of_shots(shots), truth)


def pace_of(lessons: Sequence[Lesson]) -> Pace:
    """How many stories a minute these videos tell."""
    return Pace.of(
        [len(lesson.truth) for lesson in lessons], [lesson.rhythm.minutes for lesson in lessons]
    )


def train(
    lessons: Sequence[Lesson],
    recipe: Recipe = Recipe(),
    *,
    seed: int = 0,
    base: StoryModel | None = None,
    report: Report = silent,
) -> StoryModel:
    """Learn from annotated videos; the same lessons and seed give the same model.

    With a `base`, start from it and stay near it: its weights are what weight decay pulls to.
    """
    torch = _torch()
    if not lessons:
        raise AnnotationError("there is nothing to learn from; annotate at least one video")
    pages = [[_page(lesson), _page(lesson.backwards())] for lesson in lessons]
    both = [page for pair in pages for page in pair]
    scaling = _usual(both) if base is None else {k: base.weights[k] for k in _SCALING}
    if recipe.reordered:
        chooser = np.random.default_rng(seed)
        for lesson, shelf in zip(lessons, pages, strict=True):
            shelf += [_page(lesson.reordered(chooser)) for _ in range(COPIES)]
    members = recipe.members if base is None else base.members
    shelves = [[_Book.of(page, scaling, members) for page in shelf] for shelf in pages]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = _networks(recipe) if base is None else _copied(base)
        _study(shelves, net, recipe, anchored=base is not None, seed=seed, report=report)
    weights = {name: value.detach().numpy().astype(np.float32) for name, value in net.items()}
    return StoryModel({**weights, **scaling})


def _study(
    shelves: Sequence[Sequence[_Book]],
    net: dict[str, Any],
    recipe: Recipe,
    *,
    anchored: bool,
    seed: int,
    report: Report,
) -> None:
    """The loop: pick some videos, each read in some way, and make their own stories probable."""
    torch = _torch()
    books = [book for shelf in shelves for book in shelf]
    anchor = {name: value.detach().clone() for name, value in net.items()} if anchored else None
    optimiser = torch.optim.AdamW(
        net.values(),
        lr=recipe.learning_rate,
        betas=(0.9, 0.98),
        weight_decay=recipe.weight_decay if anchor is None else 0.0,
    )
    chooser = np.random.default_rng(seed)
    for step in range(1, recipe.steps + 1):
        _set_rate(optimiser, recipe, step)
        if (step - 1) % recipe.look_again == 0:
            _read(books, net)
        chosen = chooser.permutation(len(shelves))[: recipe.batch]
        batch = [_picked(shelves[lesson], recipe, chooser) for lesson in chosen]
        optimiser.zero_grad()
        scores = [book.study(net, recipe, chooser) for book in batch]
        for book, score, chances in zip(batch, scores, _chances(batch, scores), strict=True):
            wanted = book.true / (len(batch) * book.true.sum())
            score.backward(chances / (len(batch) * book.true.sum()) - wanted)
        optimiser.step()
        if anchor is not None:
            _pull_back(net, anchor, optimiser.param_groups[0]["lr"] * recipe.weight_decay)
        report(Step("training", step, recipe.steps))


def _picked(shelf: Sequence[_Book], recipe: Recipe, chooser: np.random.Generator) -> _Book:
    """A video forwards or backwards, or now and then with its stories in another order."""
    if recipe.reordered and chooser.random() < recipe.reordered:
        return shelf[2 + int(chooser.integers(len(shelf) - 2))]
    return shelf[int(chooser.integers(2))]


_SCALING = ("cut_mean", "cut_scale", "run_mean", "run_scale")


def _page(lesson: Lesson) -> tuple[Array, Array, Segmentation]:
    cuts = cut_relations(lesson.views, lesson.rhythm)
    return cuts, run_relations(lesson.views, lesson.rhythm), lesson.truth


def _usual(pages: Sequence[tuple[Array, Array, Segmentation]]) -> dict[str, Array]:
    """Mean and standard deviation of every column; a cue that is never there counts as 0 and 1."""
    scaling = {}
    for kind, rows in (
        ("cut", np.vstack([cuts[1:] for cuts, _, _ in pages])),
        ("run", np.vstack([runs.reshape(-1, runs.shape[-1])[::7] for _, runs, _ in pages])),
    ):
        there = ~np.isnan(rows).all(axis=0)
        mean, scale = np.zeros(rows.shape[1]), np.ones(rows.shape[1])
        mean[there] = np.nanmean(rows[:, there].astype(np.float64), axis=0)
        scale[there] = np.maximum(np.nanstd(rows[:, there].astype(np.float64), axis=0), 1e-3)
        scaling[f"{kind}_mean"] = mean.astype(np.float32)
        scaling[f"{kind}_scale"] = scale.astype(np.float32)
    return scaling


@dataclass(eq=False)
class _Book:
    """One video in training: its relations, its truth, and how its stories scored last."""

    cuts: Any
    runs: Any
    true: Any
    """bool [shots, lengths]."""
    inside: Any
    scores: Any
    """[members, shots, lengths], as last read."""
    plausible: Any
    """Rows of `runs`, flattened, that are worth studying."""

    @classmethod
    def of(
        cls, page: tuple[Array, Array, Segmentation], scaling: dict[str, Array], members: int
    ) -> _Book:
        torch = _torch()
        cuts, runs, truth = page
        shots, lengths, _ = runs.shape
        true = np.zeros((shots, lengths), bool)
        for story in truth:
            if len(story) <= lengths:
                true[story.start, len(story) - 1] = True
            else:
                for part in range(story.start, story.stop, MOST_SHOTS):
                    true[part, min(lengths, story.stop - part) - 1] = True
        inside = np.arange(shots)[:, None] + np.arange(lengths) < shots
        return cls(
            torch.from_numpy(standardised(cuts, scaling["cut_mean"], scaling["cut_scale"])),
            torch.from_numpy(standardised(runs, scaling["run_mean"], scaling["run_scale"])),
            torch.from_numpy(true),
            inside,
            torch.zeros(members, shots, lengths),
            None,
        )

    def read(self, net: dict[str, Any]) -> Any:
        """Score every story without holding anything back."""
        with _torch().no_grad():
            of_runs = _score_runs(net, self.runs.reshape(-1, RUN_COLUMNS))
            self.scores = of_runs.reshape(self.scores.shape)
            return self.scores + _score_cuts(net, self.cuts)

    def study(self, net: dict[str, Any], recipe: Recipe, chooser: np.random.Generator) -> Any:
        """Scores [members, shots, lengths]; gradients flow through the plausible ones."""
        torch = _torch()
        kept = torch.rand(4) >= torch.tensor([*[recipe.silence] * 3, recipe.timelessness])
        cuts = self.cuts + recipe.noise * torch.randn(self.cuts.shape)
        cuts = cuts * _heard(kept, CUT_COLUMNS, CUT_COLUMNS_OF_VIEW, 0)
        runs = self.runs.reshape(-1, RUN_COLUMNS)[self.plausible]
        runs = runs * _heard(kept, RUN_COLUMNS, RUN_COLUMNS_OF_VIEW, LENGTH_COLUMNS)
        of_runs = _score_runs(net, runs, recipe.dropout, chooser)
        scores = self.scores.reshape(len(self.scores), -1).clone()
        scores[:, self.plausible] = of_runs
        return scores.reshape(self.scores.shape) + _score_cuts(net, cuts, recipe.dropout, chooser)


def _read(books: Sequence[_Book], net: dict[str, Any]) -> None:
    """Look at every story of every book again, and note which are plausible."""
    scores = [book.read(net) for book in books]
    for book, chances in zip(books, _chances(books, scores), strict=True):
        worth = (chances > PLAUSIBLE).any(dim=0) | book.true
        book.plausible = _torch().nonzero(worth.reshape(-1))[:, 0]


def _chances(books: Sequence[_Book], scores: Sequence[Any]) -> list[Any]:
    """Probability of every story under each member, [members, shots, lengths] for each book."""
    torch = _torch()
    tables = [
        np.where(book.inside, table, IMPOSSIBLE)
        for book, each in zip(books, scores, strict=True)
        for table in each.detach().numpy()
    ]
    found = story_chances(tables)
    members = len(found) // len(books)
    return [
        torch.from_numpy(np.stack(found[k : k + members]).astype(np.float32))
        for k in range(0, len(found), members)
    ]


def _heard(kept: Any, columns: int, of_view: int, first: int) -> Any:
    """1 for the columns of the views (and the clock) that are kept, 0 for the silent ones."""
    torch = _torch()
    heard = torch.ones(columns)
    for view, there in enumerate(kept[:3]):
        heard[first + view * of_view : first + (view + 1) * of_view] = float(there)
    heard[-CLOCK_COLUMNS:] = float(kept[3])
    return heard


def _score_cuts(
    net: dict[str, Any],
    cuts: Any,
    dropout: float = 0.0,
    chooser: np.random.Generator | None = None,
) -> Any:
    """[members, shots, 1]; the first shot begins a story for nothing."""
    torch = _torch()
    seen = torch.relu(torch.matmul(cuts, net["cut_1"]) + net["cut_1_bias"])
    seen = _dropped(seen, dropout, chooser)
    padded = torch.nn.functional.pad(seen, (0, 0, NEIGHBOURS, NEIGHBOURS))
    around = torch.cat([padded[:, k : k + len(cuts)] for k in range(2 * NEIGHBOURS + 1)], dim=-1)
    hidden = torch.relu(torch.matmul(around, net["cut_2"]) + net["cut_2_bias"])
    score = torch.matmul(_dropped(hidden, dropout, chooser), net["cut_3"]) + net["cut_3_bias"]
    return torch.cat([torch.zeros_like(score[:, :1]), score[:, 1:]], dim=1)


def _score_runs(
    net: dict[str, Any],
    runs: Any,
    dropout: float = 0.0,
    chooser: np.random.Generator | None = None,
) -> Any:
    """[members, runs]."""
    torch = _torch()
    hidden = torch.relu(torch.matmul(runs, net["run_1"]) + net["run_1_bias"])
    hidden = _dropped(hidden, dropout, chooser)
    hidden = torch.relu(torch.matmul(hidden, net["run_2"]) + net["run_2_bias"])
    hidden = _dropped(hidden, dropout, chooser)
    return (torch.matmul(hidden, net["run_3"]) + net["run_3_bias"])[..., 0]


def _dropped(hidden: Any, dropout: float, chooser: np.random.Generator | None) -> Any:
    """Some of the numbers made 0, to the next 256th of all, and the others larger to make up.

    A byte of chance for each number: torch's own dropout takes half of the training time.
    """
    if chooser is None or not dropout:
        return hidden
    torch = _torch()
    chance = np.frombuffer(chooser.bytes(hidden.numel()), np.uint8)
    kept = torch.from_numpy(chance >= round(256 * dropout)).reshape(hidden.shape)
    return hidden * kept.to(hidden.dtype).div_(1 - dropout)


def _networks(recipe: Recipe) -> dict[str, Any]:
    torch = _torch()
    wide = (2 * NEIGHBOURS + 1) * recipe.hidden
    shapes = {
        "cut_1": (CUT_COLUMNS, recipe.hidden),
        "cut_2": (wide, recipe.hidden),
        "cut_3": (recipe.hidden, 1),
        "run_1": (RUN_COLUMNS, recipe.hidden),
        "run_2": (recipe.hidden, recipe.hidden),
        "run_3": (recipe.hidden, 1),
    }
    net = {}
    for name, (inputs, outputs) in shapes.items():
        spread = math.sqrt(2 / inputs) * (0.3 if outputs == 1 else 1.0)
        layer = torch.randn(recipe.members, inputs, outputs) * spread
        net[name] = layer.requires_grad_()
        net[f"{name}_bias"] = torch.zeros(recipe.members, 1, outputs).requires_grad_()
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
    """Twenty steps to warm up, then a cosine down to nearly nothing."""
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
