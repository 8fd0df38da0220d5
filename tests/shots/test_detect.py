"""Shots tile the film, cuts fall on their frame, and what only looks like a cut is left alone."""

import weakref
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storyscope.config import ShotConfig
from storyscope.core import SmallFrame
from storyscope.errors import InvalidSetting
from storyscope.shots import detect_shots

SECONDS = 1 / 25


FINE = 4
"""Scenes are drawn finer than the screen, so that they move by fractions of its pixels."""


@cache
def scene(seed):
    """A random picture, twice the size of the screen: clouds of every size, in two colours."""
    rng = np.random.default_rng(seed)
    height, width = 2 * 27 * FINE, 2 * 48 * FINE
    field = np.zeros((height, width))
    for size in (24, 12, 8, 4):
        cells = rng.normal(0, size, (height // size + 1, width // size + 1))
        field += np.kron(cells, np.ones((size, size)))[:height, :width]
    field = (field - field.min()) / np.ptp(field)
    dark, light = rng.uniform(0, 120, 3), rng.uniform(100, 255, 3)
    return dark + field[..., None] * (light - dark)


def screen(picture, top, left):
    """What the camera sees at a place of the picture, 27 x 48."""
    moved = np.roll(picture, (-round(top * FINE), -round(left * FINE)), axis=(0, 1))
    return moved[: 27 * FINE, : 48 * FINE].reshape(27, FINE, 48, FINE, 3).mean(axis=(1, 3))


def take(seed, count, speed=(0.0, 0.0)):
    """The camera moves over a scene by `speed` pixels a frame."""
    down, right = speed
    if speed == (0.0, 0.0):
        return np.repeat(screen(scene(seed), 0, 0)[None], count, axis=0)
    return np.stack([screen(scene(seed), down * i, right * i) for i in range(count)])


def ramp(count):
    return (np.arange(1, count + 1) / (count + 1))[:, None, None, None]


def dissolve(first, second, count):
    return (1 - ramp(count)) * take(first, count) + ramp(count) * take(second, count)


def fade(seed, count):
    return take(seed, count) * (1 - ramp(count))


def film(*parts, start=0, seconds=None):
    pixels = np.concatenate(parts).clip(0, 255).astype(np.uint8)
    times = seconds if seconds is not None else np.arange(len(pixels)) * SECONDS
    return [SmallFrame(start + i, float(times[i]), rgb) for i, rgb in enumerate(pixels)]


def starts(frames, **options):
    return [shot.frames.start for shot in detect_shots(frames, **options)]


def test_no_frames_make_no_shots():
    assert list(detect_shots([])) == []


def test_one_frame_is_one_shot():
    (shot,) = detect_shots(film(take(1, 1)))
    assert shot.frames == range(0, 1)
    assert shot.span.length > 0
    assert shot.transition.kind == "start"


@settings(max_examples=12, deadline=None)
@given(
    lengths=st.lists(st.integers(10, 90), min_size=1, max_size=8),
    block=st.sampled_from([1, 7, 64, 256, 1000]),
    first=st.integers(0, 5),
    detector=st.sampled_from(["fast", "paper"]),
)
def test_shots_tile_the_frames_whatever_the_block(lengths, block, first, detector):
    frames = film(*(take(seed, length) for seed, length in enumerate(lengths)), start=first)
    config = ShotConfig(detector=detector)
    shots = list(detect_shots(frames, config, block=block))
    assert [f for shot in shots for f in shot.frames] == [frame.index for frame in frames]
    assert [shot.span.end for shot in shots[:-1]] == [shot.span.start for shot in shots[1:]]
    assert shots[-1].span.end == pytest.approx(frames[-1].seconds + SECONDS, abs=1e-6)
    assert shots == list(detect_shots(frames, config))


@settings(max_examples=12, deadline=None)
@given(
    lengths=st.lists(st.integers(12, 90), min_size=1, max_size=8),
    detector=st.sampled_from(["fast", "paper"]),
)
def test_cuts_between_still_scenes_fall_on_their_frame(lengths, detector):
    frames = film(*(take(seed, length) for seed, length in enumerate(lengths)))
    edges = [0, *np.cumsum(lengths[:-1]).tolist()]
    assert starts(frames, config=ShotConfig(detector=detector)) == edges


def test_cuts_keep_their_place_under_a_variable_frame_rate():
    gaps = np.random.default_rng(0).choice([0.02, 0.04, 0.12], 150)
    times = np.concatenate([[0.0], np.cumsum(gaps)[:-1]])
    shots = list(detect_shots(film(take(1, 70), take(2, 80), seconds=times)))
    assert [shot.frames.start for shot in shots] == [0, 70]
    assert shots[1].span.start == times[70]


def test_frames_are_read_no_further_ahead_than_a_few_seconds():
    read = []

    def counting():
        for frame in film(*(take(seed, 100) for seed in range(40))):
            read.append(frame.index)
            yield frame

    next(detect_shots(counting()))
    assert len(read) < 1000


@pytest.mark.parametrize("length", [8, 12, 24, 40])
def test_a_dissolve_is_one_transition_split_near_its_middle(length):
    frames = film(take(1, 80), dissolve(1, 2, length), take(2, 80))
    _, second = detect_shots(frames)
    assert second.transition.kind == "dissolve"
    assert abs(second.frames.start - (80 + length / 2)) <= 2
    assert abs(second.transition.frame_count - length) <= 4


@pytest.mark.parametrize("held", [0, 4, 12, 24])
@pytest.mark.parametrize("colour", [0.0, 250.0])
def test_a_fade_through_an_empty_screen_is_one_transition(held, colour):
    blank = np.full((held, 27, 48, 3), colour)
    out, back = ((1 - ramp(15)) * take(s, 15) + ramp(15) * colour for s in (1, 2))
    frames = film(take(1, 60), out, blank, back[::-1], take(2, 60))
    _, second = detect_shots(frames)
    assert second.transition.kind == "fade"
    assert abs(second.frames.start - (75 + held / 2)) <= 3


def test_less_than_a_second_of_black_is_part_of_the_fade_at_fifty_frames_a_second_too():
    black = np.zeros((45, 27, 48, 3))
    parts = [take(1, 90), fade(1, 30), black, fade(2, 30)[::-1], take(2, 90)]
    _, second = detect_shots(film(*parts, seconds=np.arange(285) / 50))
    assert second.transition.kind == "fade"
    assert abs(second.frames.start - 142) <= 3


def test_black_that_stays_is_a_shot_of_its_own():
    black = np.zeros((100, 27, 48, 3))
    frames = film(take(1, 60), fade(1, 15), black, fade(2, 15)[::-1], take(2, 60))
    _, dark, _ = detect_shots(frames)
    assert len(range(max(75, dark.frames.start), min(175, dark.frames.stop))) >= 96


def test_black_that_opens_or_closes_the_film_for_a_moment_is_no_shot():
    black = np.zeros((15, 27, 48, 3))
    frames = film(black, fade(1, 15)[::-1], take(1, 80), fade(1, 15), black)
    assert starts(frames) == [0]


def test_what_begins_or_ends_with_the_film_is_no_transition():
    frames = film(fade(1, 20)[::-1], take(1, 80), fade(1, 20))
    assert starts(frames) == [0]


NEGATIVES = {
    "a flash": lambda: [take(1, 60), np.full((2, 27, 48, 3), 250.0), take(1, 60)],
    "a fast pan": lambda: [
        np.stack([screen(scene(3), 0, 40 / (1 + np.exp(-0.4 * (i - 60)))) for i in range(120)])
    ],
    "grain": lambda: [take(4, 150) + np.random.default_rng(1).normal(0, 12, (150, 27, 48, 1))],
    "darkness": lambda: [take(5, 150, (0.2, 0.3)) * 0.06],
    "one still picture": lambda: [take(6, 400)],
    "a slow pan": lambda: [take(7, 300, (0.05, 0.3))],
    "light that comes and goes": lambda: [
        take(8, 200) * (1 + 0.3 * np.sin(np.arange(200) / 12))[:, None, None, None]
    ],
}


@pytest.mark.parametrize("happening", NEGATIVES)
def test_nothing_is_cut_by(happening):
    assert starts(film(*NEGATIVES[happening]())) == [0]


def test_subtitles_do_not_cut():
    pixels = take(9, 200)
    pixels[60:110, 22:25, 10:38] = 255
    assert starts(film(pixels)) == [0]


def test_bars_that_close_in_do_not_cut():
    pixels = take(10, 160, (0.1, 0.2))
    pixels[80:, :3] = pixels[80:, -3:] = 0
    assert starts(film(pixels)) == [0]


def test_combed_lines_do_not_hide_or_make_cuts():
    parts = [take(seed, 50, (0, 1.5)) for seed in (11, 12, 13)]
    for part in parts:
        part[:-1, 1::2] = part[1:, 1::2]
    assert starts(film(*parts)) == [0, 50, 100]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("frames", [4, 6, 9])
def test_a_fast_pan_is_no_cut(seed, frames):
    """It turns by most of the screen's width within that many frames."""
    way = 36 / (1 + np.exp(-(np.arange(120) - 60) * 6 / frames))
    assert starts(film(np.stack([screen(scene(seed), 0, x) for x in way]))) == [0]


def test_cuts_are_found_in_the_dark():
    dark = [take(seed, 50, (0.1, 0.2)) * 0.12 for seed in (14, 15, 16)]
    assert starts(film(*dark)) == [0, 50, 100]


def test_a_slideshow_is_split_at_its_pictures_for_every_transition():
    parts = [take(1, 75), dissolve(1, 2, 12), take(2, 75), take(3, 75), dissolve(3, 4, 25)]
    found = starts(film(*parts, take(4, 75)))
    assert [round(frame / 10) for frame in found] == [0, 8, 16, 25]


def test_a_shot_of_hours_is_one_shot_and_its_frames_are_let_go():
    back_and_forth = take(17, 400, (0.05, 0.1)).astype(np.uint8)
    back_and_forth = np.concatenate([back_and_forth, back_and_forth[::-1]])
    alive, most = set(), []

    def camera():
        for index in range(20_000):
            frame = SmallFrame(index, index * SECONDS, back_and_forth[index % 800].copy())
            alive.add(index)
            weakref.finalize(frame.rgb, alive.discard, index)
            most.append(len(alive))
            yield frame

    assert starts(camera()) == [0]
    assert max(most) < 1000


def test_a_rapid_montage_is_cut_at_every_picture():
    frames = film(*(take(seed, 6) for seed in range(20, 50)))
    found = starts(frames)
    assert len(set(found) & set(range(0, 180, 6))) >= 29
    assert len(found) <= 30


def test_an_unknown_detector_is_refused_by_name():
    with pytest.raises(InvalidSetting, match="fast"):
        list(detect_shots([], ShotConfig(detector="psychic")))
