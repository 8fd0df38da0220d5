"""Learning an editor's style from a few videos."""

from dataclasses import replace

import numpy as np
import pytest

from story_films import made_up_film
from storyscope.core import Segmentation
from storyscope.errors import AnnotationError
from storyscope.evaluate import fingerprint
from storyscope.stories import fine_tuning
from storyscope.stories.examples import StoryExample
from storyscope.stories.fine_tuning import HALF_WAY, fine_tune, halves, learn
from storyscope.stories.relations import Rhythm
from storyscope.stories.training import Recipe, train

pytest.importorskip("torch")

BASE = Recipe(steps=30, hidden=8, learning_rate=0.01, varied=False)
PEOPLE = {"anna": 1, "bob": 2}
FINE = Recipe(steps=30, batch=4, learning_rate=0.01, weight_decay=0.5, varied=False)


def example(seed, *, joined=1):
    """A made-up film; an editor who joins stories tells two or three of them as one."""
    shots, features, truth = made_up_film(seed, stories=12)
    kept = truth.starts[::joined]
    return StoryExample(tuple(features), Rhythm.of(shots), Segmentation(kept, truth.end))


@pytest.fixture(scope="module")
def base():
    return train([example(seed) for seed in range(4)], BASE, seed=0)


def test_the_style_of_an_editor_with_longer_stories_is_learned(base):
    tuned = fine_tune(
        {f"film {s}": {f"film {s}": example(s, joined=3)} for s in range(10, 13)}, base, FINE
    )
    assert set(tuned.before) == set(tuned.after) == {f"film {s}" for s in range(10, 13)}
    assert tuned.gain == pytest.approx(
        np.mean([*tuned.after.values()]) - np.mean([*tuned.before.values()])
    )
    assert tuned.helped
    assert tuned.model.pace is not None
    assert tuned.minutes > 0


def test_the_fewer_the_stories_the_nearer_it_stays(base):
    film = example(15)
    recipe = Recipe(steps=3, batch=1, varied=False)
    far = train([film], recipe, seed=0, base=base).weights["run_2"] - base.weights["run_2"]
    near = learn([film], base, recipe).weights["run_2"] - base.weights["run_2"]
    share = len(film.truth) / (len(film.truth) + HALF_WAY)
    assert np.abs(far).max() > 1e-4
    np.testing.assert_allclose(near, share * far, atol=1e-6)


def test_one_video_is_evaluated_in_halves(base):
    only = example(20)
    tuned = fine_tune({"film": {"film": only}}, base, Recipe(steps=2, batch=2, varied=False))
    assert [*tuned.after] == ["film, first half", "film, second half"]
    parts = [part for half in halves({"film": only}).values() for part in half.values()]
    assert sum(part.truth.end for part in parts) == only.truth.end
    assert sum(len(part.truth) for part in parts) == len(only.truth)


def test_two_versions_of_one_video_are_split_at_the_same_shot():
    anna, bob = example(20), example(20, joined=5)
    first, second = halves({"anna": anna, "bob": bob}).values()
    assert first["anna, first half"].truth.end == first["bob, first half"].truth.end
    assert second["bob, second half"].truth.end == anna.truth.end - first.popitem()[1].truth.end


def test_no_version_of_a_video_is_learned_from_while_another_is_judged(base, monkeypatch):
    taught = []

    def learn(examples, *_, **__):
        taught.append(examples)
        return base

    monkeypatch.setattr(fine_tuning, "learn", learn)
    versions = {
        film: {f"{film} by {name}": example(seed, joined=joined) for name, joined in PEOPLE.items()}
        for seed, film in enumerate(("reef", "dune"), start=30)
    }
    tuned = fine_tune(versions, base)
    reef, dune = ([*versions[film].values()] for film in ("reef", "dune"))
    assert taught == [dune, reef, [*reef, *dune]]
    assert [*tuned.after] == ["reef by anna", "reef by bob", "dune by anna", "dune by bob"]


def test_a_base_trained_on_an_evaluated_video_is_refused(base):
    films = {name: {name: example(seed)} for seed, name in enumerate(("reef", "dune"))}
    by_name = replace(base, trained_on={"dune": "its shots"})
    with pytest.raises(AnnotationError, match="trained on dune"):
        fine_tune(films, by_name)
    edges = films["reef"]["reef"].rhythm.edges.tolist()
    renamed = replace(base, trained_on={"another name": fingerprint(edges)})
    with pytest.raises(AnnotationError, match="trained on reef"):
        fine_tune(films, renamed)


def test_too_little_training_data_is_reported(base):
    shots, features, _ = made_up_film(1)
    short = StoryExample(tuple(features), Rhythm.of(shots), Segmentation((0, 5), len(shots)))
    with pytest.raises(AnnotationError, match="too few"):
        fine_tune({"film": {"film": short}}, base)
    with pytest.raises(AnnotationError, match="nothing to learn"):
        fine_tune({}, base)
