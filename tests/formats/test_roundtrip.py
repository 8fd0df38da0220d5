"""Stories survive being written and read again."""

from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storyscope.core import Span, Video
from storyscope.formats import Entry, Timeline, find_format, read_annotations

RATES = [
    Fraction(24000, 1001),
    Fraction(25),
    Fraction(30000, 1001),
    Fraction(60000, 1001),
    Fraction("27.313"),
]
"""The last is the average of a variable rate."""
KEEP_TITLES = ("ffmetadata", "matroska", "otio", "fcpxml", "csv", "json", "eaf", "iiif", "podcast")
ONE_LINE = ("webvtt", "edl", "resolve", "premiere")
SAY_WHO = ("otio", "json", "eaf", "iiif")
HOSTILE = [
    'He said "no", then left',
    "a, b; c = d # e \\ f\\",
    "first line\nsecond line\n\n[CHAPTER]\nSTART=5",
    "🐳 whales &amp; <b>birds</b> ]]>",
    "שלום עולם ‏(עברית)‏",
    "x" * 500,
    "00:00:05.000 --> 00:00:06.000",
    "001  AX       V     C        00:00:00:00 00:00:01:00 00:00:00:00 00:00:01:00",
    "* FROM CLIP NAME: |M:other |D:5",
    ",;\t;,;,;;;;;;,,,,,,,",
    "=start,end",
    "",
]
TITLES = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn")), max_size=30),
)


@st.composite
def timelines(draw, *, nested=False):
    """Stories of a film at one of the rates; those of a variable rate begin between frames."""
    rate = draw(st.sampled_from(RATES))
    gaps = draw(st.lists(st.integers(3, 40_000), min_size=1, max_size=6))
    frames = [0, *accumulate(gaps)]
    variable = rate == RATES[-1]
    slip = st.floats(-0.9, 0.9) if variable else st.just(0.0)
    edges = [float((frame + Fraction(draw(slip) if frame else 0)) / rate) for frame in frames]
    video = Video("film", "/film.mp4", "d", edges[-1], frames[-1], float(rate), 640, 360, True)
    entries = [Entry(Span(*pair), draw(TITLES), ("sea", "ice; snow")) for pair in pairwise(edges)]
    halves = [Span(s, (s + e) / 2) for s, e in pairwise(edges)]
    shots = tuple(Entry(half, "Shot") for half in halves) if nested else ()
    return Timeline(video, tuple(entries), "ann", shots)


def read_back(name, line):
    kind = find_format(name)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"chapters{kind.suffix}"
        path.write_text(kind.write(line), encoding="utf-8", newline="")
        (written,) = read_annotations(path, fps=line.video.fps)
    return written.in_seconds(end=line.video.duration)


@pytest.mark.parametrize("name", [*KEEP_TITLES, *ONE_LINE])
@settings(max_examples=40, deadline=None)
@given(line=timelines())
def test_boundaries_come_back_within_a_frame(name, line):
    found = read_back(name, line)
    frame = float(1 / line.rate)
    starts = [entry.span.start for entry in line.entries]
    assert len(found.starts) == len(starts)
    assert found.starts == pytest.approx(starts, abs=frame)
    assert found.end == pytest.approx(line.video.duration, abs=frame)


@pytest.mark.parametrize("name", [*KEEP_TITLES, *ONE_LINE])
@settings(max_examples=40, deadline=None)
@given(line=timelines())
def test_titles_come_back(name, line):
    titles = [entry.title for entry in line.entries]
    if name in ONE_LINE:
        titles = [" ".join(title.split()) for title in titles]
    if name == "resolve":
        titles = [title.replace("|", "/") for title in titles]
    found = read_back(name, line)
    assert [title.strip() for title in found.titles] == [title.strip() for title in titles]


@pytest.mark.parametrize("name", ["matroska", "otio", "fcpxml", "json", "eaf", "iiif"])
@settings(max_examples=15, deadline=None)
@given(line=timelines(nested=True))
def test_nested_shots_do_not_disturb_the_stories(name, line):
    found = read_back(name, line)
    starts = [entry.span.start for entry in line.entries]
    assert found.starts == pytest.approx(starts, abs=float(1 / line.rate))


@pytest.mark.parametrize("name", SAY_WHO)
@settings(max_examples=5, deadline=None)
@given(line=timelines())
def test_some_formats_say_whose_version_it_is(name, line):
    assert read_back(name, line).annotator == "ann"


@settings(max_examples=40, deadline=None)
@given(
    gaps=st.lists(st.floats(11.5, 4000), min_size=3, max_size=8),
    titles=st.lists(TITLES, min_size=8, max_size=8),
)
def test_youtube_chapters_come_back_within_a_second(gaps, titles):
    edges = [0.0, *accumulate(gaps)]
    video = Video("film", "/film.mp4", "d", edges[-1], 0, 25.0, 640, 360, True)
    spans = [Span(*pair) for pair in pairwise(edges)]
    line = Timeline(video, tuple(map(Entry, spans, titles)))
    assert read_back("youtube", line).starts == pytest.approx(edges[:-1], abs=1)


@settings(max_examples=40, deadline=None)
@given(line=timelines(nested=True), place=st.floats(0.01, 0.99))
def test_shots_nested_in_a_story_never_reach_beyond_it(line, place):
    cut = place * line.video.duration
    ends = Span(0.0, cut), Span(cut, line.video.duration)
    other = replace(line, entries=tuple(Entry(span) for span in ends))
    for entry in other.entries:
        for shot in other.inside(entry):
            assert entry.span.start <= shot.span.start <= shot.span.end <= entry.span.end
    count = sum(len(other.inside(entry)) for entry in other.entries)
    assert count == len(line.shots)


def test_scene_markers_of_kodi_come_back(tmp_path):
    video = Video("film", "/film.mp4", "d", 30.0, 0, 25.0, 640, 360, True)
    line = Timeline(video, (Entry(Span(0, 12.48), "a"), Entry(Span(12.48, 30), "b")))
    find_format("kodi").save(line, tmp_path / "film.edl")
    (written,) = read_annotations(tmp_path / "film.edl")
    assert written.in_seconds(end=30.0).starts == (0.0, 12.48)
