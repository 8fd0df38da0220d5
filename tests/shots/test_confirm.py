"""A second look tells gradual transitions from cameras and things that move."""

import numpy as np
import pytest

from storyscope.config import ShotConfig
from storyscope.core import SmallFrame
from storyscope.shots import detect_shots
from storyscope.shots.confirm import Confirmation, features
from storyscope.shots.decide import find_transitions
from storyscope.shots.describe import AFTER, AROUND, BEFORE, SAMPLES, around, describe, sampled


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


def slide(old, new, count):
    """The new picture moves in from the left, over the old one."""
    frames = held(old, count)
    for i, frame in enumerate(frames):
        edge = round((i + 1) / (count + 1) * 48)
        frame[:, :edge] = new[:, 48 - edge :]
    return frames


@pytest.mark.parametrize("seed", range(3))
def test_something_that_slides_over_the_picture_is_no_transition(seed):
    old, new = scenery(seed), scenery(seed + 10)
    film = np.concatenate([held(old, 60), slide(old, new, 30), held(new, 60)])
    assert found(film) == []


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


@pytest.mark.parametrize("length", [5, 20, 200])
def test_samples_are_taken_before_inside_and_after_a_change(length):
    at = sampled(length + 2 * AROUND)
    assert len(at) == SAMPLES
    assert (np.diff(at) >= 0).all()
    assert 0 <= at[0] < at[BEFORE] < AROUND <= at[BEFORE + 1]
    assert at[AFTER - 1] < AROUND + length < at[AFTER] < at[-1] < length + 2 * AROUND


def test_a_black_screen_has_finite_features():
    assert np.isfinite(describe(np.zeros((SAMPLES, 27, 48, 3), np.uint8), 10)).all()
    film = np.zeros((60, 27, 48, 3), np.uint8)
    assert np.isfinite(features(film, range(20, 30), np.zeros((10, 4), np.float32))).all()


def test_a_weak_cut_counts_if_the_middle_of_the_picture_changes_at_once():
    scores = np.zeros((80, 4), np.float32)
    scores[40, 0] = 0.3
    never = lambda first, end: False  # noqa: E731
    for cut in (True, False):
        kept = find_transitions([scores], never, is_cut=lambda frame, cut=cut: cut and frame == 40)
        assert [t.first_frame for t in kept] == [40] * cut
    film = np.concatenate([held(scenery(1), 40), held(scenery(2), 40)])
    barred = held(scenery(1), 80)
    barred[40:, :4] = barred[40:, -4:] = 0
    turning = pan(scenery(1, width=200), 80, 1.5)
    for pixels, cut in ((film, True), (barred, False), (turning, False)):
        confirm = Confirmation()
        list(confirm.watching([pixels[:50], pixels[50:]]))
        assert confirm.is_cut(40) == cut
