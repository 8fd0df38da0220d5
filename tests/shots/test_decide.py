"""Scores become transitions, and an empty screen between two fades becomes part of one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storyscope.core import SmallFrame, Transition
from storyscope.shots.decide import find_transitions
from storyscope.shots.tile import Timestamps

RATE = 25


def never(first_frame, end_frame):
    return False


def blocks_of(scores, size):
    return [scores[i : i + size] for i in range(0, len(scores), size)]


@st.composite
def films(draw):
    """Stretches of a film in order: pictures, empty screens, and how each is entered."""
    kinds = st.sampled_from(["cut", "fade"])
    lengths = st.integers(8, 40)
    count = draw(st.integers(1, 6))
    stretches = [("cut", draw(lengths), False)]
    for _ in range(count):
        stretches.append((draw(kinds), draw(lengths), draw(st.booleans())))
    return stretches


def scored(stretches):
    """Scores, which frames are empty, and every transition as it stands."""
    scores, empty, transitions = [], [], []
    for number, (kind, length, is_empty) in enumerate(stretches):
        frames = np.zeros((length, 4), np.float32)
        if number and kind == "cut":
            frames[0, 0] = 0.9
            transitions.append(Transition("cut", len(empty), len(empty)))
        elif number:
            change = np.tile(np.float32([0, 0.9, 0.9, 0]), (10, 1))
            transitions.append(Transition("fade", len(empty), len(empty) + 10))
            scores.append(change)
            empty += [False] * 10
        scores.append(frames)
        empty += [is_empty] * length
    return np.concatenate(scores), np.array(empty), transitions


def joined_by_hand(transitions, empty):
    """What is meant, said without any streaming."""
    out = []
    for after in transitions:
        if out:
            before = out[-1]
            pause = empty[before.end_frame : after.first_frame]
            gradual = {before.kind, after.kind} != {"cut"}
            if gradual and pause.all() and len(pause) <= RATE:
                out[-1] = Transition("fade", before.first_frame, after.end_frame)
                continue
        out.append(after)
    last = out[-1] if out else None
    if last and last.kind == "fade":
        rest = empty[last.end_frame :]
        if rest.all() and len(rest) <= RATE:
            out.pop()
    return out


@settings(max_examples=150, deadline=None)
@given(film=films(), size=st.sampled_from([1, 7, 64, 1000]))
def test_pauses_join_fades_whatever_the_block(film, size):
    scores, empty, transitions = scored(film)

    def is_pause(first, end):
        return end - first <= RATE and bool(empty[first:end].all())

    found = list(find_transitions(blocks_of(scores, size), is_pause))
    assert found == joined_by_hand(transitions, empty)


@pytest.mark.parametrize(("length", "kinds"), [(5, []), (20, []), (60, ["fade"])])
def test_a_short_empty_screen_before_the_first_fade_is_no_shot(length, kinds):
    film = [("cut", length, True), ("fade", 60, False)]
    scores, empty, _ = scored(film)

    def is_pause(first, end):
        return end - first <= RATE and bool(empty[first:end].all())

    assert [t.kind for t in find_transitions([scores], is_pause)] == kinds


def frames(pixels, rate):
    return [SmallFrame(i, i / rate, rgb) for i, rgb in enumerate(pixels)]


@pytest.mark.parametrize("rate", [12, 25, 60])
def test_a_pause_is_measured_in_seconds(rate):
    times = Timestamps()
    film = frames(np.zeros((3 * rate, 27, 48, 3), np.uint8), rate)
    list(times.looking(np.stack([f.rgb for f in times.noting(film)])[None]))
    assert times.is_pause(5, 5 + rate)
    assert not times.is_pause(5, 6 + rate + 1)


def test_a_picture_is_no_pause():
    pixels = np.zeros((40, 27, 48, 3), np.uint8)
    pixels[20, 10:14, 20:28] = 60
    times = Timestamps()
    list(times.looking(np.stack([f.rgb for f in times.noting(frames(pixels, 25))])[None]))
    assert times.is_pause(0, 20)
    assert not times.is_pause(10, 30)


def test_an_old_empty_screen_is_no_pause():
    times = Timestamps()
    black = np.zeros((27, 48, 3), np.uint8)
    for block in range(90):
        some = [SmallFrame(100 * block + i, 4.0 * block + i / 25, black) for i in range(100)]
        list(times.looking(np.stack([f.rgb for f in times.noting(some)])[None]))
    assert times.is_pause(8990, 9000)
    assert not times.is_pause(0, 10)
