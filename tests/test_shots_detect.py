"""Shots tile the film, cuts fall on their frame, and what only looks like a cut is left alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storyscope.core import SmallFrame
from storyscope.shots import detect_shots

SECONDS = 1 / 25


def picture(seed):
    """A random scene: soft coloured patches, 27 x 48."""
    coarse = np.random.default_rng(seed).uniform(0, 255, (5, 8, 3))
    return np.kron(coarse, np.ones((6, 6, 1)))[:27, :48]


def still(seed, count):
    return np.repeat(picture(seed)[None], count, axis=0)


def dissolve(first, second, count):
    weight = (np.arange(1, count + 1) / (count + 1))[:, None, None, None]
    return (1 - weight) * picture(first) + weight * picture(second)


def film(*parts, start=0):
    pixels = np.concatenate(parts).clip(0, 255).astype(np.uint8)
    return [SmallFrame(start + i, i * SECONDS, rgb) for i, rgb in enumerate(pixels)]


def starts(frames, **options):
    return [shot.frames.start for shot in detect_shots(frames, **options)]


def test_no_frames_make_no_shots():
    assert list(detect_shots([])) == []


def test_one_frame_is_one_shot():
    (shot,) = detect_shots(film(still(1, 1)))
    assert shot.frames == range(0, 1)
    assert shot.span.length > 0
    assert shot.transition.kind == "start"


@settings(max_examples=25, deadline=None)
@given(
    lengths=st.lists(st.integers(10, 90), min_size=1, max_size=8),
    block=st.sampled_from([1, 7, 64, 256, 1000]),
    first=st.integers(0, 5),
)
def test_shots_tile_the_frames_whatever_the_block(lengths, block, first):
    frames = film(*(still(seed, length) for seed, length in enumerate(lengths)), start=first)
    shots = list(detect_shots(frames, block=block))
    assert [f for shot in shots for f in shot.frames] == [frame.index for frame in frames]
    assert [shot.span.end for shot in shots[:-1]] == [shot.span.start for shot in shots[1:]]
    assert shots[-1].span.end == pytest.approx(frames[-1].seconds + SECONDS, abs=1e-6)
    assert shots == list(detect_shots(frames))


@settings(max_examples=25, deadline=None)
@given(lengths=st.lists(st.integers(10, 90), min_size=1, max_size=8))
def test_cuts_between_still_scenes_fall_on_their_frame(lengths):
    frames = film(*(still(seed, length) for seed, length in enumerate(lengths)))
    assert starts(frames) == [0, *np.cumsum(lengths[:-1]).tolist()]


def test_frames_are_read_no_further_ahead_than_a_few_seconds():
    read = []
    frames = film(*(still(seed, 100) for seed in range(40)))

    def counting():
        for frame in frames:
            read.append(frame.index)
            yield frame

    next(detect_shots(counting()))
    assert len(read) < 1000


def test_a_flash_is_not_a_cut():
    flash = np.full((2, 27, 48, 3), 250.0)
    assert starts(film(still(1, 60), flash, still(1, 60))) == [0]


@pytest.mark.parametrize("length", [8, 12, 24])
def test_a_dissolve_is_one_transition_split_near_its_middle(length):
    frames = film(still(1, 80), dissolve(1, 2, length), still(2, 80))
    _, second = detect_shots(frames)
    assert second.transition.kind == "dissolve"
    assert abs(second.frames.start - (80 + length / 2)) <= 2
