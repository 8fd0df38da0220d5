"""What is usual of stories, and how it is weighed against what a video itself says."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from story_films import made_up_film
from storyscope.stories.detect import detect, find_path, score_stories
from storyscope.stories.explain import explain
from storyscope.stories.model import StoryModel, default_model
from storyscope.stories.posterior import posterior
from storyscope.stories.priors import (
    DOUBT,
    LENGTH_SPREAD,
    TYPICAL_LENGTH,
    USUAL_SPREAD,
    Pace,
    length_prior,
    with_count,
    with_priors,
)
from storyscope.stories.relations import Rhythm, relate


@pytest.fixture(scope="module")
def film():
    return made_up_film(3, stories=12)


@pytest.fixture(scope="module")
def found(film):
    shots, features, _ = film
    return posterior(score_stories(relate(features, Rhythm.of(shots)), default_model()))


def test_the_pace_is_the_geometric_mean_of_the_rates():
    assert Pace.of([10, 40], [10, 10]).rate == pytest.approx(2.0)


def test_one_video_says_less_of_the_pace_than_many_alike():
    one, many = Pace.of([50], [50]), Pace.of([50] * 10, [50] * 10)
    assert one.spread == pytest.approx(USUAL_SPREAD * math.sqrt(2))
    assert many.spread == pytest.approx(USUAL_SPREAD * math.sqrt(1.1 / 10))


def test_videos_unlike_each_other_have_hardly_a_pace():
    assert Pace.of([50, 10, 200], [50] * 3).spread > 1


def test_the_target_lies_between_the_pace_and_what_the_video_says():
    assert 50 < Pace(1.0, 0.1).target(50, 60) < 60
    assert 40 < Pace(1.0, 0.1).target(50, 40) < 50
    assert Pace(1.0, 0.1).target(50, 50) == pytest.approx(50)


def test_of_the_two_the_surer_counts_more():
    steady, loose = Pace(1.0, 0.01).target(50, 60), Pace(1.0, 1.0).target(50, 60)
    assert steady < loose < 60
    # Nearly certain of the pace, and of the video's belonging: the weight is that of belonging.
    apart = math.log(60 / 50)
    akin = math.exp(-(apart**2) / (2 * DOUBT**2)) / DOUBT
    weight = akin / (akin + math.exp(-(apart**2) / 2))
    assert steady == pytest.approx(60 * math.exp(-weight * apart), rel=0.01)


def test_a_video_of_another_kind_keeps_its_own_number():
    assert Pace(1.0, 0.1).target(50, 150) == pytest.approx(150, rel=0.01)


def test_twice_the_usual_length_is_as_probable_as_half_of_it():
    """Four shots of a second each, in so many stories that two seconds are usual."""
    rhythm = Rhythm(np.arange(5.0), np.zeros(4))
    logs = length_prior((4, 4), rhythm, 2 * TYPICAL_LENGTH)
    assert logs[0, 1] == pytest.approx(0.0)
    assert logs[0, 0] == pytest.approx(logs[0, 3])
    assert logs[0, 3] == pytest.approx(-(math.log(2) ** 2) / (2 * LENGTH_SPREAD**2))


def test_even_stories_are_as_many_and_more_alike(film, found):
    shots, _, _ = film
    rhythm = Rhythm.of(shots)
    even = with_priors(found, rhythm, None)
    assert even.expected_count == pytest.approx(found.expected_count, rel=0.01)

    def unevenness(of):
        far = length_prior(of.stories.shape, rhythm, found.expected_count)
        return -(of.stories * far).sum() / of.expected_count

    assert unevenness(even) < unevenness(found)


@pytest.mark.parametrize("wanted", [3, 12, 30])
def test_scores_can_be_moved_to_expect_any_number_of_stories(found, wanted):
    moved = with_count(found.scores, wanted)
    assert moved.expected_count == pytest.approx(wanted, rel=0.01)
    possible = np.isfinite(found.scores)
    assert np.ptp(moved.scores[possible] - found.scores[possible]) < 1e-9


def test_a_model_with_a_pace_tells_more_or_fewer_stories(film):
    shots, features, _ = film
    rhythm = Rhythm.of(shots)
    relations = relate(features, rhythm)
    plain = posterior(score_stories(relations, default_model()))
    expected = plain.expected_count
    for factor in (0.8, 1.25):
        model = replace(default_model(), pace=Pace(factor * expected / rhythm.minutes, 0.02))
        paced = with_priors(plain, rhythm, model.pace)
        target = model.pace.target(rhythm.minutes, expected)
        assert paced.expected_count == pytest.approx(target, rel=0.01)
        assert abs(math.log(target / expected)) > 0.1
        begins = find_path(features, rhythm, model).confidence
        np.testing.assert_allclose(begins, paced.begins)


def test_cues_are_weighed_before_the_pace_and_confidence_after_it(film):
    shots, features, truth = film
    rhythm = Rhythm.of(shots)
    rate = 1.2 * len(truth) / rhythm.minutes
    quick = replace(default_model(), pace=Pace(rate, 0.02))
    plain = explain(shots, features, default_model(), stories=truth)
    paced = explain(shots, features, quick, stories=truth)
    for before, after in zip(plain, paced, strict=True):
        assert after.cues == before.cues
    assert [a.confidence for a in paced] != [b.confidence for b in plain]


def test_the_pace_is_kept_with_the_model(film, tmp_path: Path):
    shots, features, _ = film
    model = replace(default_model(), pace=Pace(0.7, 0.1))
    assert model.digest != default_model().digest
    model.save(tmp_path / "m.safetensors")
    back = StoryModel.load(tmp_path / "m.safetensors")
    assert back.pace == model.pace
    assert detect(shots, features, back) == detect(shots, features, model)
