"""Every format keeps the boundaries, for any frame rate and any titles."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope.core import Span, Video
from storyscope.formats import FORMATS, Entry, Timeline, find_format
from storyscope.formats.timecode import frame_of, is_drop, timecode

RATES = [Fraction(24000, 1001), Fraction(25), Fraction(30000, 1001), Fraction(60000, 1001)]
TITLES = [
    'He said "no", then left',
    "a, b; c = d # e \\ f",
    "first line\nsecond line",
    "🐳 whales & <b>birds</b>",
    "שלום עולם",
    "x" * 500,
    "[CHAPTER]",
    "--> not a cue",
    "",
]


def timeline(rate=Fraction(25), titles=TITLES, seconds=12.0):
    edges = [seconds * number for number in range(len(titles) + 1)]
    video = Video("film", "/film.mp4", "d", edges[-1], 0, float(rate), 640, 360, True)
    entries = [
        Entry(Span(edges[n], edges[n + 1]), title, ("sea", "ice")) for n, title in enumerate(titles)
    ]
    return Timeline(video, tuple(entries), storyboard=lambda: "<!doctype html>")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_says_what_it_is_for_and_what_it_loses(name):
    kind = find_format(name)
    assert kind.name == name
    assert kind.summary
    assert kind.loses
    assert kind.suffix.startswith(".")
    assert (kind.write is None) != (kind.save is None)


@pytest.mark.parametrize("rate", RATES, ids=str)
@pytest.mark.parametrize("name", [name for name in FORMATS if find_format(name).write])
def test_hostile_titles_change_nothing_but_themselves(name, rate):
    written = find_format(name).write(timeline(rate))
    plain = find_format(name).write(timeline(rate, [f"T{n}" for n in range(len(TITLES))]))
    numbers = re.compile(r"\d+[:;.]\d+[:;.\d]*|START=\d+|END=\d+")
    assert numbers.findall(written) == numbers.findall(plain)


@given(st.integers(0, 24 * 3600 * 60), st.sampled_from(RATES))
def test_a_timecode_reads_back_as_its_frame(frame, rate):
    frame %= 24 * 3600 * int(rate)
    assert frame_of(timecode(frame, rate), rate) == frame


@pytest.mark.parametrize(
    ("frame", "rate", "written"),
    [
        (1799, RATES[2], "00:00:59;29"),
        (1800, RATES[2], "00:01:00;02"),
        (17982, RATES[2], "00:10:00;00"),
        (3600, RATES[3], "00:01:00;04"),
        (1500, RATES[1], "00:01:00:00"),
        (1440, RATES[0], "00:01:00:00"),
    ],
)
def test_numbers_are_dropped_as_smpte_drops_them(frame, rate, written):
    assert timecode(frame, rate) == written


def test_drop_frame_is_for_2997_and_5994_alone():
    assert [is_drop(rate) for rate in RATES] == [False, False, True, True]


@given(st.floats(0, 36000), st.sampled_from(RATES))
def test_a_time_survives_as_its_frame(seconds, rate):
    line = timeline(rate)
    assert abs(line.seconds(line.frame(seconds)) - seconds) <= float(1 / rate) / 2 + 1e-9


def test_an_odd_rate_is_taken_for_the_standard_it_is_near():
    assert timeline(Fraction("29.970029")).rate == Fraction(30000, 1001)
    assert timeline(Fraction("12.5")).rate == 25
    assert timeline(Fraction("23.3")).rate == Fraction(24000, 1001)
