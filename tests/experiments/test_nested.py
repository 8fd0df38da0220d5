"""Nested cross-validation chooses nothing on the videos it evaluates."""

import json
from dataclasses import replace

import numpy as np
import pytest

from benchmark_folder import write_video
from storyscope.errors import AnnotationError
from storyscope.experiments import nested
from storyscope.experiments.nested import (
    EVERYTHING,
    RECIPES,
    TIMING,
    Entry,
    NestedStudy,
    chosen_recipes,
    facts_of,
    headline,
    paired_interval,
    plan,
    run_nested,
    table_of,
)
from storyscope.stories.training import Recipe

LOOKS = {"vgg19": "looks.npy"}


@pytest.fixture
def folder(tmp_path):
    for number in range(5):
        write_video(tmp_path / "home" / str(number), f"film {number}", features=LOOKS)
    for number in range(3):
        write_video(tmp_path / "other" / str(number), f"other {number}", features=LOOKS)
    return tmp_path


def study(folder, **changes):
    plain = NestedStudy(folder / "home", ("vgg19",), outer=2, inner=2)
    return replace(plain, **changes)


@pytest.mark.parametrize("elsewhere", [None, "train", "also"])
def test_no_training_sees_a_video_of_its_outer_fold(folder, elsewhere):
    fits = plan(study(folder, **({elsewhere: folder / "other"} if elsewhere else {})))
    judged = {outer: set() for outer in {fit.outer for fit in fits}}
    for fit in fits:
        assert not set(fit.taught) & set(fit.judged)
        if fit.inner is None:
            judged[fit.outer] |= set(fit.judged)
    assert set.union(*judged.values()) == {f"film {number}" for number in range(5)}
    for fit in fits:
        assert not set(fit.taught) & judged[fit.outer]
        if fit.inner is not None:
            assert not set(fit.judged) & judged[fit.outer]
    taught = {name for fit in fits for name in fit.taught}
    assert any(name.startswith("other") for name in taught) == (elsewhere is not None)
    if elsewhere == "train":
        assert all(name.startswith("other") for name in taught)


def entry(outer, inner, recipe, video, mean_iou):
    return Entry(outer, inner, recipe, 0, video, EVERYTHING, mean_iou, 3, 3)


def test_the_recipe_is_chosen_by_the_inner_folds_alone():
    """The outer fold would choose the other one."""
    entries = [
        entry(0, inner, recipe, video, others)
        for inner, video, others in ((0, "a", 0.6), (None, "b", 0.9))
        for recipe in RECIPES[1:]
    ]
    entries += [entry(0, 0, RECIPES[0], "a", 0.8), entry(0, None, RECIPES[0], "b", 0.3)]
    assert chosen_recipes(entries) == {0: RECIPES[0]}
    assert headline(entries) == {"b": 0.3}


def test_videos_are_compared_pair_by_pair():
    theirs = np.linspace(0.2, 0.9, 8)
    mean, low, high = paired_interval(theirs + 0.05, theirs)
    assert (mean, low, high) == pytest.approx((0.05, 0.05, 0.05))
    mean, low, high = paired_interval([0.9, 0.1, 0.5], [0.5, 0.5, 0.5])
    assert low < mean < high


def test_a_video_may_not_be_judged_and_learned_from(folder):
    with pytest.raises(AnnotationError, match="both hold film 0"):
        plan(study(folder, also=folder / "home"))
    with pytest.raises(AnnotationError, match="inner folds need"):
        plan(study(folder, inner=9))


def test_the_matrix_holds_every_recipe_on_every_video(folder, monkeypatch):
    pytest.importorskip("torch")
    quick = {"plain": Recipe(varied=False, steps=2, hidden=4), "varied": Recipe(steps=2, hidden=4)}
    monkeypatch.setattr(nested, "TRAININGS", quick)
    task = study(folder)
    entries = run_nested(task)
    outer = {(e.recipe, e.video, e.cues) for e in entries if e.inner is None}
    cues = (EVERYTHING, TIMING, "appearance and timing")
    assert outer == {(r, f"film {n}", c) for r in RECIPES for n in range(5) for c in cues}
    facts = json.loads(json.dumps(facts_of(task, entries)))
    assert len(facts["matrix"]) == len(entries)
    assert facts["mean_iou"] == pytest.approx(np.mean([*facts["videos"].values()]))
    assert {TIMING, "uniform", "always varied, length prior"} <= set(facts["rows"])
    assert "timing alone" in table_of(facts)
