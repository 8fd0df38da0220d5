"""Keyframes are picked as pictures stream by, in constant memory and outside transitions."""

import weakref

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from storyscope.config import FeatureConfig
from storyscope.core import Picture, Shot, Span, Transition
from storyscope.features import (
    Decoded,
    KeyframePicker,
    from_jpeg,
    join_keyframes,
    pick_keyframes,
    to_jpeg,
)
from storyscope.features.keyframes import (
    RECENT,
    RECENT_FRAMES,
    SECONDS_PER_CANDIDATE,
    nearest_to_uniform,
)

FPS = 25
STEP = 5
"""One picture every five frames."""


@st.composite
def films(draw):
    """Shots of 1 to 400 frames; some begin with a dissolve that reaches to both sides."""
    lengths = draw(st.lists(st.integers(1, 400), min_size=1, max_size=8))
    room = [min(pair) // 2 for pair in zip(lengths, [0, *lengths], strict=False)]
    reaches = [draw(st.integers(0, min(12, most))) for most in room]
    return _shots(lengths, reaches)


@given(films())
def test_keyframes_lie_in_their_shot_in_time_order(shots):
    keyframes = pick_keyframes(_pictures(shots), shots)
    assert (np.diff(keyframes.frames) > 0).all()
    for shot, frame, second in zip(
        keyframes.shots, keyframes.frames, keyframes.seconds, strict=True
    ):
        assert frame in shots[shot].frames
        assert second == frame / FPS


@given(films())
def test_no_keyframe_lies_in_a_transition_if_a_clear_picture_exists(shots):
    keyframes = pick_keyframes(_pictures(shots), shots)
    clear = {picture.index for picture in _pictures(shots) if not _in_transition(picture, shots)}
    for number, shot in enumerate(shots):
        own = keyframes.frames[keyframes.shots == number]
        if clear.intersection(shot.frames):
            assert clear.issuperset(own.tolist())
            assert len(own)
        else:
            assert len(own) <= 1


@given(films(), st.integers(0, 3 * FPS))
def test_shots_that_come_late_change_nothing(shots, delay_frames):
    known = pick_keyframes(_pictures(shots), shots)
    picker, parts, waiting = KeyframePicker(), [], list(shots)
    for picture in _pictures(shots):
        picker.see(picture)
        while waiting and picture.index >= waiting[0].frames.stop + delay_frames:
            picker.add_shot(waiting.pop(0))
        parts.append(picker.drain())
    for shot in waiting:
        picker.add_shot(shot)
    streamed = join_keyframes([*parts, picker.close()])
    assert streamed.frames.tolist() == known.frames.tolist()
    assert streamed.pictures == known.pictures


def test_memory_does_not_grow_with_the_length_of_a_shot():
    picker, alive = KeyframePicker(), weakref.WeakSet()
    for number in range(3000):
        picture = _picture(number * STEP)
        alive.add(picture)
        picker.see(picture)
        most = max(RECENT, RECENT_FRAMES // STEP)
        assert len(alive) <= most + FeatureConfig().candidates_per_shot + 1


def test_an_hour_long_shot_is_sampled_over_its_whole_length():
    end = 5000 * STEP
    shot = _shots([end], [0])
    picker = KeyframePicker()
    for number in range(5000):
        picker.see(_picture(number * STEP))
    picker.add_shot(shot[0])
    frames = picker.close().frames
    for share in (1 / 6, 3 / 6, 5 / 6):
        assert np.abs(frames - share * end).min() < end / 8


def test_a_long_shot_has_more_candidates_than_keyframes():
    shots = _shots([20 * FPS], [0])
    assert len(pick_keyframes(_pictures(shots), shots)) > FeatureConfig().keyframes_per_shot


def test_the_extra_candidate_is_the_sharpest():
    shots = _shots([160], [0])
    flat = np.full((40, 60, 3), 100, np.uint8)
    sharp = flat.copy()
    sharp[:, ::2] = 200
    pictures = [
        Picture(frame, frame / FPS, sharp if frame == 20 else flat) for frame in range(0, 160, 5)
    ]
    assert 20 in pick_keyframes(pictures, shots).frames


def test_a_shot_without_a_picture_has_no_keyframe():
    shots = _shots([11, 3, 20], [0, 0, 0])
    keyframes = pick_keyframes(_pictures(shots), shots)
    assert set(keyframes.shots.tolist()) == {0, 2}


def test_uniform_keyframes_lie_nearest_the_middles_of_thirds():
    assert nearest_to_uniform(np.arange(60.0), 0, 60, 3).tolist() == [10, 30, 50]
    assert nearest_to_uniform(np.array([4.0, 5.0]), 0, 60, 3).tolist() == [0, 1]


def test_pictures_survive_their_coding():
    ramp = np.add.outer(np.arange(64), np.arange(96)).astype(np.uint8)
    rgb = np.stack([ramp, ramp, ramp], axis=2)
    data = to_jpeg(rgb)
    assert data == to_jpeg(rgb)
    assert np.abs(from_jpeg(data).astype(int) - rgb).max() < 12


def _shots(lengths, reaches):
    shots, start = [], 0
    for number, (length, reach) in enumerate(zip(lengths, reaches, strict=True)):
        kind = "start" if number == 0 else "dissolve" if reach else "cut"
        reach = reach if number else 0
        transition = Transition(kind, max(0, start - reach), start + reach)
        span = Span(start / FPS, (start + length) / FPS)
        shots.append(Shot(span, range(start, start + length), transition))
        start += length
    return tuple(shots)


def _pictures(shots):
    return [_picture(frame) for frame in range(0, shots[-1].frames.stop, STEP)]


def _picture(frame):
    rgb = np.full((8, 8, 3), frame % 251, np.uint8)
    rgb[::2, :: 1 + frame % 3] = frame % 199
    return Picture(frame, frame / FPS, rgb)


def _in_transition(picture, shots):
    return any(
        shot.transition.first_frame <= picture.index < shot.transition.end_frame for shot in shots
    )


@given(films())
def test_a_shot_has_no_more_uniform_keyframes_than_seconds(shots):
    keyframes = pick_keyframes(_pictures(shots), shots)
    generous = pick_keyframes(_pictures(shots), shots, FeatureConfig(seconds_per_keyframe=0.0))
    for number, shot in enumerate(shots):
        own, most = (np.sum(k.shots == number) for k in (keyframes, generous))
        extra = int(shot.span.length / SECONDS_PER_CANDIDATE)
        assert own <= max(1, int(shot.span.length)) + extra
        assert own == most or shot.span.length < FeatureConfig().keyframes_per_shot


def test_pictures_are_decoded_one_by_one_or_in_a_row():
    coded = tuple(to_jpeg(_picture(number).rgb) for number in range(5))
    decoded = Decoded(coded)
    assert len(decoded) == 5
    np.testing.assert_array_equal(decoded[3], from_jpeg(coded[3]))
    np.testing.assert_array_equal(decoded[1:3], [from_jpeg(data) for data in coded[1:3]])
