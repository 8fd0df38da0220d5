"""Which frames become pictures: some of every shot, few of unchanging scenes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from storyscope.decoder.choosing import LULL_SECONDS, PictureChooser
from storyscope.decoder.scaling import Scaled

FPS, PER_SECOND = 25, 5


def chosen(levels):
    """Numbers of the frames chosen from a film of evenly grey frames."""
    chooser = PictureChooser(per_second=PER_SECOND)
    return [n for n, level in enumerate(levels) if chooser.wants(n / FPS, _frame(level))]


@given(st.lists(st.tuples(st.integers(0, 255), st.integers(1, 60)), min_size=1, max_size=8))
def test_pictures_are_neither_too_rare_nor_too_frequent(shots):
    levels = [level for level, frames in shots for _ in range(frames)]
    pictures = chosen(levels)
    assert pictures[0] == 0
    gaps = np.diff([*pictures, len(levels)]) / FPS
    assert gaps.max() <= LULL_SECONDS + 1 / PER_SECOND
    slots = [int(n / FPS * PER_SECOND + 1e-6) for n in pictures]
    assert len(set(slots)) == len(slots)


@given(st.integers(0, 255), st.integers(0, 255), st.integers(5, 60))
def test_a_new_shot_has_a_picture_within_a_slot(before, after, frames):
    pictures = chosen([before] * frames + [after] * 20)
    if abs(after - before) > 12:
        assert any(frames <= n < frames + FPS / PER_SECOND for n in pictures)


def test_a_still_gives_two_a_second_and_a_flicker_the_maximum():
    assert len(chosen([100] * 10 * FPS)) == 20
    assert len(chosen([100, 200] * 5 * FPS)) == 50


def _frame(level):
    """The frame as in memory, with arbitrary padding between the rows."""
    rows = np.random.default_rng().integers(0, 256, (27, 192), np.uint8)
    rows[:, : 48 * 3] = level
    return Scaled(rows.ravel(), 48, 27, 192)
