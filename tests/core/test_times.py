"""Times print as people write them, and read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope.core import format_time, parse_time
from storyscope.core.times import format_timestamp
from storyscope.errors import InvalidSpan


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (0, "0:00"),
        (5.9, "0:05"),
        (65, "1:05"),
        (3753, "1:02:33"),
        (36000, "10:00:00"),
        (-3, "-0:03"),
    ],
)
def test_times_are_written_as_people_write_them(seconds, written):
    assert format_time(seconds) == written


def test_decimals_are_cut_not_rounded():
    assert format_time(59.999, decimals=2) == "0:59.99"
    assert format_time(0.3, decimals=2) == "0:00.30"


@given(st.integers(0, 10**8))
def test_what_is_written_reads_back(milliseconds):
    seconds = milliseconds / 1000
    assert parse_time(format_time(seconds, decimals=3)) == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize("text", ["", "soon", "1:2:3:4", "-5", "1:xx"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(InvalidSpan):
        parse_time(text)


@given(st.floats(0, 400_000))
def test_a_timestamp_never_shows_sixty_seconds(seconds):
    hours, minutes, rest = format_timestamp(seconds).split(":")
    assert int(minutes) < 60
    assert float(rest) < 60
    shown = int(hours) * 3600 + int(minutes) * 60 + float(rest)
    assert shown == pytest.approx(seconds, abs=0.00051)


def test_a_timestamp_just_below_a_minute_is_the_minute():
    assert format_timestamp(59.9996) == "00:01:00.000"
    assert format_timestamp(3725.5, mark=",") == "01:02:05,500"
