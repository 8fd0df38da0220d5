"""The protocol of the headline figures: nothing is chosen on a video that is scored.

The videos are split into outer folds. For each, every recipe is trained on parts of the other
videos and scored on the rest of them (inner folds); the recipe that is best there is trained on all
the others and scored on the fold. The whole matrix of recipes, videos and seeds is stored, so that
other choices can be examined later, and every comparison has an interval over videos.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from storyscope.cues import find_cue
from storyscope.errors import AnnotationError
from storyscope.evaluate import AnnotatedVideo, judge, load_collection, trivial_scores
from storyscope.experiments.detector import LearnedDetector, Ours
from storyscope.experiments.report import markdown
from storyscope.processes.pool import run_tasks
from storyscope.progress import Report, Step, silent
from storyscope.stories.training import Recipe

TRAININGS = {"plain": Recipe(varied=False), "varied": Recipe()}
"""Training data: each video as it is, or with variants derived from it."""

READINGS = {"scores alone": False, "length prior": True}
"""Decoding: by scores alone, or with the prior of story lengths."""

RECIPES = tuple(f"{training}, {reading}" for training in TRAININGS for reading in READINGS)
"""The recipes to choose from: every kind of training with every kind of decoding."""

EVERYTHING, TIMING = "all cues", "timing alone"
RESAMPLES = 10_000


@dataclass(frozen=True)
class NestedStudy:
    """Which videos are scored, which are trained on, and the numbers of folds."""

    folder: Path
    features: tuple[str, ...]
    train: Path | None = None
    """Train on these videos only, and score all of `folder`."""
    also: Path | None = None
    """Also train on these videos, besides those of `folder` that are not scored."""
    outer: int = 4
    inner: int = 2
    seeds: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class Fit:
    """One training: a recipe on some videos, scored on others, by name."""

    outer: int
    inner: int | None
    """None if the outer fold itself is scored."""
    training: str
    seed: int
    taught: tuple[str, ...]
    judged: tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """One entry of the matrix: the score of one training on one video with some of its cues."""

    outer: int
    inner: int | None
    recipe: str
    seed: int
    video: str
    cues: str
    mean_iou: float
    found: int
    true: int


def run_nested(study: NestedStudy, *, jobs: int = 1, report: Report = silent) -> list[Entry]:
    """Run all trainings and scorings of the protocol."""
    fits = plan(study)
    entries: list[Entry] = []
    work = run_tasks(partial(entries_of, study), fits, workers=jobs)
    for done, (_, found) in enumerate(work, start=1):
        entries += found
        report(Step("nested", done, len(fits)))
    return sorted(entries, key=lambda e: (e.outer, e.inner or -1, e.recipe, e.seed, e.video))


def plan(study: NestedStudy) -> list[Fit]:
    """Every training, with its training videos and its test videos."""
    home = [video.name for video in load_collection(study.folder, features=study.features)]
    fits = []
    for outer, (judged, others) in enumerate(_outer_folds(study, home)):
        if len(others) < study.inner:
            raise AnnotationError(
                f"{study.inner} inner folds need as many videos to learn from, got {len(others)}; "
                "use a larger folder, or add one with --train or --also"
            )
        splits: list[tuple[int | None, list[str], list[str]]] = [(None, others, judged)]
        for inner in range(study.inner):
            held = others[inner :: study.inner]
            splits.append((inner, [name for name in others if name not in held], held))
        fits += [
            Fit(outer, inner, training, seed, tuple(taught), tuple(held))
            for inner, taught, held in splits
            for training in TRAININGS
            for seed in study.seeds
        ]
    return fits


def _outer_folds(study: NestedStudy, home: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """The videos that are scored together, and those that may be trained on."""
    elsewhere = study.train or study.also
    other = (
        [video.name for video in load_collection(elsewhere, features=study.features)]
        if elsewhere
        else []
    )
    if shared := set(home) & set(other):
        raise AnnotationError(
            f"{elsewhere} and {study.folder} both hold {', '.join(sorted(shared))}; "
            "a video that is judged must not be learned from"
        )
    if study.train:
        yield home, other
        return
    for fold in range(min(study.outer, len(home))):
        judged = home[fold :: study.outer]
        yield judged, [*(name for name in home if name not in judged), *other]


def entries_of(study: NestedStudy, fit: Fit) -> list[Entry]:
    """Train once, and score with all cues and, on an outer fold, with each alone and left out."""
    folders = [study.folder, *(folder for folder in (study.train, study.also) if folder)]
    videos = {
        video.name: video
        for folder in folders
        for video in load_collection(folder, features=study.features)
    }
    taught = [videos[name].for_training() for name in fit.taught]
    model = Ours(TRAININGS[fit.training]).fit(taught, seed=fit.seed).model
    detectors = {
        f"{fit.training}, {reading}": LearnedDetector(replace(model, use_priors=priors))
        for reading, priors in READINGS.items()
    }
    names = _cue_sets(study.features) if fit.inner is None else {EVERYTHING: study.features}
    return [
        Entry(
            fit.outer,
            fit.inner,
            recipe,
            fit.seed,
            score.name,
            cues,
            score.mean_iou,
            len(score.found),
            len(score.truth),
        )
        for recipe, detector in detectors.items()
        for cues, kept in names.items()
        for score in judge([_with(videos[name], kept) for name in fit.judged], detector)
    ]


def _cue_sets(features: Sequence[str]) -> dict[str, Sequence[str]]:
    """All cues, shot timing alone, each cue with timing, and all but each."""
    sets: dict[str, Sequence[str]] = {EVERYTHING: features, TIMING: ()}
    for name in features:
        cue = find_cue(name).explained_as
        sets[f"{cue} and timing"] = (name,)
        if len(features) > 2:
            sets[f"all but {cue}"] = [each for each in features if each != name]
    return sets


def _with(video: AnnotatedVideo, kept: Sequence[str]) -> AnnotatedVideo:
    return replace(video, features={name: video.features[name] for name in kept})


def chosen_recipes(entries: Sequence[Entry]) -> dict[int, str]:
    """For each outer fold the recipe with the highest mean over its inner folds."""
    return {
        outer: max(
            RECIPES,
            key=lambda recipe: _mean(
                e for e in entries if (e.outer, e.recipe) == (outer, recipe) and e.inner is not None
            ),
        )
        for outer in sorted({entry.outer for entry in entries})
    }


def headline(entries: Sequence[Entry], cues: str = EVERYTHING) -> dict[str, float]:
    """Mean IoU of each scored video with the recipe chosen without it, averaged over the seeds."""
    recipes = chosen_recipes(entries)
    judged = [
        e for e in entries if e.inner is None and e.cues == cues and e.recipe == recipes[e.outer]
    ]
    names = dict.fromkeys(entry.video for entry in judged)
    return {name: _mean(e for e in judged if e.video == name) for name in names}


def paired_interval(
    ours: Sequence[float], theirs: Sequence[float], *, seed: int = 0
) -> tuple[float, float, float]:
    """Mean difference over videos, and the 95 % interval of its bootstrap."""
    gaps = np.array(ours) - np.array(theirs)
    picked = np.random.default_rng(seed).integers(0, len(gaps), (RESAMPLES, len(gaps)))
    low, high = np.quantile(gaps[picked].mean(axis=1), [0.025, 0.975])
    return float(gaps.mean()), float(low), float(high)


def facts_of(study: NestedStudy, entries: Sequence[Entry]) -> dict[str, Any]:
    """Headline, comparisons and the whole matrix, for a file."""
    ours = headline(entries)
    rows = rows_of(study, entries)
    recipes = chosen_recipes(entries)
    judged = [e for e in entries if e.inner is None and e.cues == EVERYTHING]
    return {
        "mean_iou": float(np.mean([*ours.values()])),
        "range": [min(ours.values()), max(ours.values())],
        "least_above_uniform": {
            name: min(ours[video] - rows[name][video] for video in ours)
            for name in ("uniform", "uniform-shots")
        },
        "videos": ours,
        "count_factor": _count_factor(e for e in judged if e.recipe == recipes[e.outer]),
        "count_factors": {
            recipe: _count_factor(e for e in judged if e.recipe == recipe) for recipe in RECIPES
        },
        "recipes": recipes,
        "rows": {
            name: {
                "mean_iou": float(np.mean([scores[video] for video in ours])),
                "difference": paired_interval([*ours.values()], [scores[v] for v in ours]),
            }
            for name, scores in rows.items()
        },
        "matrix": [asdict(entry) for entry in entries],
    }


def rows_of(study: NestedStudy, entries: Sequence[Entry]) -> dict[str, dict[str, float]]:
    """Everything that ours is compared with, by video: fewer cues, each recipe, trivial
    baselines."""
    judged = [entry for entry in entries if entry.inner is None]
    rows = {
        cues: headline(entries, cues)
        for cues in dict.fromkeys(entry.cues for entry in judged)
        if cues != EVERYTHING
    }
    for recipe in RECIPES:
        of = [e for e in judged if e.recipe == recipe and e.cues == EVERYTHING]
        rows[f"always {recipe}"] = {
            name: _mean(e for e in of if e.video == name)
            for name in dict.fromkeys(e.video for e in of)
        }
    videos = list(load_collection(study.folder, features=study.features))
    for name, scores in trivial_scores(videos).items():
        rows[name] = {score.name: score.mean_iou for score in scores}
    return rows


def table_of(facts: dict[str, Any]) -> str:
    """The comparison in Markdown."""
    low, high = facts["range"]
    lines = [
        ["**ours, nested**", f"**{facts['mean_iou']:.3f}**", f"videos {low:.3f} to {high:.3f}"]
    ]
    for name, row in facts["rows"].items():
        gap, least, most = row["difference"]
        lines.append([name, f"{row['mean_iou']:.3f}", f"{gap:+.3f} ({least:+.3f} to {most:+.3f})"])
    return markdown(["", "mean IoU", "ours minus this, 95 % over videos"], lines)


def _count_factor(entries: Iterable[Entry]) -> float:
    """The factor by which the number of stories is off, geometric mean over videos."""
    return float(np.exp(np.mean([abs(np.log(e.found / e.true)) for e in entries])))


def _mean(entries: Iterable[Entry]) -> float:
    return float(np.mean([entry.mean_iou for entry in entries]))
