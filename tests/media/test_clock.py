"""Repair of timestamps."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope.decoder.clock import Continuity, FrameClock

stamps = st.one_of(st.none(), st.floats(-5, 100))


@given(st.lists(stamps, min_size=1, max_size=40))
def test_times_always_rise(presented):
    clock = FrameClock(zero=0.0, frame_seconds=0.04)
    times = [clock.stamp(stamp) for stamp in presented]
    assert times[0] >= 0
    assert all(earlier < later for earlier, later in pairwise(times))


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=40, unique=True), st.integers(0, 99))
def test_good_stamps_are_kept_as_they_are(milliseconds, zero):
    rising = [ms / 1000 for ms in sorted(milliseconds)]
    clock = FrameClock(zero=float(zero), frame_seconds=0.04)
    assert [clock.stamp(zero + stamp) for stamp in rising] == pytest.approx(rising, abs=1e-9)


def test_a_missing_stamp_is_one_frame_after_the_last():
    clock = FrameClock(zero=1.0, frame_seconds=0.04)
    assert [clock.stamp(stamp) for stamp in (1.0, None, None)] == pytest.approx([0, 0.04, 0.08])


def test_a_doubled_stamp_leaves_room_for_the_next():
    clock = FrameClock(zero=0.0, frame_seconds=0.04)
    times = [clock.stamp(stamp) for stamp in (0.0, 0.04, 0.04, 0.08, 0.12)]
    assert times == pytest.approx([0.0, 0.04, 0.06, 0.08, 0.12])


def joined(continuity: Continuity, decoded: list[float], duration: float) -> list[float]:
    return [stamp + continuity.shift(0, stamp, duration) for stamp in decoded]


@pytest.mark.parametrize("duration", [0.5, 0.0])
def test_a_clock_that_was_reset_continues(duration):
    found = joined(Continuity(leaps=False), [10.0, 10.5, 11.0, 0.0, 0.5], duration)
    assert found == pytest.approx([10.0, 10.5, 11.0, 11.5, 12.0])


def test_a_jump_ahead_is_a_pause_except_in_broadcasts():
    decoded = [0.0, 0.5, 900.0, 900.5]
    assert joined(Continuity(leaps=False), decoded, 0.5) == decoded
    assert joined(Continuity(leaps=True), decoded, 0.5) == pytest.approx([0.0, 0.5, 1.0, 1.5])


def test_a_stream_that_pauses_while_another_continues_has_not_jumped():
    continuity = Continuity(leaps=True)
    assert continuity.shift(1, 0.0, 0.5) == 0
    assert [continuity.shift(0, float(second), 1.0) for second in range(60)] == [0] * 60
    assert continuity.shift(1, 60.0, 0.5) == 0


def test_all_streams_move_together():
    continuity = Continuity(leaps=False)
    assert continuity.shift(0, 10.0, 0.5) == 0
    assert continuity.shift(1, 10.0, 0.5) == 0
    assert continuity.shift(0, 0.0, 0.5) == 10.5
    assert continuity.shift(1, 0.0, 0.5) == 10.5
