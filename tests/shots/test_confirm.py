"""A second look tells gradual transitions from cameras and things that move."""

import numpy as np
import pytest

from storyscope.config import ShotConfig
from storyscope.core import SmallFrame
from storyscope.shots import detect_shots
from storyscope.shots.confirm import AROUND, ONE_WAY, Confirmation, agreement, around, describe
from storyscope.shots.decide import find_transitions


def scenery(seed, height=27, width=48):
    """A smooth picture in a few colours, uint8."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width]
    waves = sum(
        np.sin(x / rng.uniform(2, 9) + y / rng.uniform(2, 9) + rng.uniform(0, 6))[..., None]
        * rng.normal(0, 28, 3)
        for _ in range(6)
    )
    return np.clip(rng.uniform(60, 190, 3) + waves, 0, 255).astype(np.uint8)


def held(picture, count):
    return np.repeat(picture[None], count, axis=0)


def dissolve(old, new, count):
    weight = (np.arange(1, count + 1) / (count + 1))[:, None, None, None]
    return ((1 - weight) * old + weight * new).astype(np.uint8)


def wipe(old, new, count):
    edge = (np.arange(1, count + 1) / (count + 1) * 48)[:, None, None, None]
    return np.where(np.arange(48)[None, None, :, None] < edge, new, old)


def pan(picture, count, step):
    return np.stack([picture[:27, round(i * step) : round(i * step) + 48] for i in range(count)])


def found(film):
    frames = [SmallFrame(i, i / 25, rgb) for i, rgb in enumerate(film)]
    return [s.transition for s in detect_shots(frames, ShotConfig(min_shot_seconds=0))][1:]


@pytest.mark.parametrize(("join", "kind"), [(dissolve, "dissolve"), (wipe, "wipe")])
def test_a_gradual_transition_between_two_pictures_is_found_and_sure(join, kind):
    old, new = scenery(1), scenery(2)
    film = np.concatenate([held(old, 60), join(old, new, 20), held(new, 60)])
    (transition,) = found(film)
    assert transition.kind == kind
    assert abs(transition.first_frame - 60) <= 3
    assert abs(transition.end_frame - 80) <= 3
    assert transition.confidence > 0.5


@pytest.mark.parametrize("seed", range(4))
def test_blocks_agree_under_a_camera_and_not_in_a_dissolve_or_a_wipe(seed):
    old, new, wide = scenery(seed), scenery(seed + 10), scenery(seed, width=200)
    assert agreement(pan(wide, 40 + 2 * AROUND, 1.0)) > ONE_WAY
    for join in (dissolve, wipe):
        film = np.concatenate([held(old, AROUND), join(old, new, 40), held(new, AROUND)])
        assert agreement(film) < ONE_WAY


@pytest.mark.parametrize("seed", range(4))
def test_a_camera_that_turns_over_one_picture_is_no_transition(seed):
    wide = scenery(seed, width=200)
    film = np.concatenate([held(wide[:, :48], 50), pan(wide, 60, 2.0), held(wide[:, 118:166], 50)])
    assert found(film) == []


def test_what_is_not_confirmed_is_left_out_and_a_cut_inside_it_stays():
    scores = np.zeros((80, 4), np.float32)
    scores[30:50, 1] = 0.95
    scores[40, 0] = 0.9
    never = lambda first, end: False  # noqa: E731
    kept = list(find_transitions([scores], never, lambda first, scores: 0.9))
    assert [(t.kind, t.first_frame, t.end_frame) for t in kept] == [("dissolve", 30, 50)]
    assert kept[0].confidence == pytest.approx(0.9)
    left = list(find_transitions([scores], never, lambda first, scores: 0.1))
    assert [(t.kind, t.first_frame) for t in left] == [("cut", 40)]


def test_the_frames_looked_at_do_not_depend_on_how_they_arrived():
    film = np.random.default_rng(0).integers(0, 256, (5000, 27, 48, 3)).astype(np.uint8)
    scores = np.full((30, 4), 0.5, np.float32)
    answers = set()
    for size in (64, 256, 1000):
        confirm = Confirmation()
        for first in range(0, len(film), size):
            list(confirm.watching([film[first : first + size]]))
        answers.add(confirm(4000, scores))
    assert len(answers) == 1


def test_the_ends_of_a_film_are_repeated_around_a_change():
    film = np.arange(20, dtype=np.uint8)[:, None, None, None] + np.zeros((1, 27, 48, 3), np.uint8)
    seen = around(film, range(3, 18))[:, 0, 0, 0]
    assert len(seen) == 15 + 2 * AROUND
    assert seen[0] == 0
    assert seen[-1] == 19


def test_a_black_screen_has_finite_features():
    film = np.zeros((10 + 2 * AROUND, 27, 48, 3), np.uint8)
    assert np.isfinite(describe(film, np.zeros((10, 4), np.float32))).all()
