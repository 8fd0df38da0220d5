"""Stories marked in other programs are imported completely or not at all."""

import json
import sys
from dataclasses import replace
from itertools import pairwise
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command_line import storyscope
from films import make_film
from storyscope.core import Shot, Span, Transition, Video
from storyscope.errors import AnnotationError, FormatError, MissingDependency, StoryscopeError
from storyscope.formats import FORMATS, Entry, Timeline, find_format, read_annotations
from storyscope.library import LocalLibrary
from storyscope.library.exchange import import_annotations
from storyscope.store import VideoRecord

FILM = Video("film", "/film.mp4", "d", 30.0, 750, 25.0, 192, 108, True)
LINE = Timeline(
    FILM, (Entry(Span(0, 10), "ice"), Entry(Span(10, 20), "sea"), Entry(Span(20, 30), "sky"))
)
NOT_TEXT = {"mp4", "mkv", "clips", "clips-exact", "html", "thumbnails", "kodi", "jellyfin", "sheet"}
ONLY_OUT = {"avid", "fcp7", "web-annotation"}
READABLE = [name for name in FORMATS if name not in NOT_TEXT | ONLY_OUT]


class FakeLibrary(LocalLibrary):
    """A library with a record of a film of six shots that was never decoded."""

    def shots(self, video):
        return tuple(
            Shot(
                Span(5.0 * number, 5.0 * number + 5),
                range(125 * number, 125 * number + 125),
                Transition("cut", 125 * number, 125 * number),
            )
            for number in range(6)
        )


@pytest.fixture
def library(tmp_path):
    library = FakeLibrary(tmp_path / "library")
    library.store.put_record(VideoRecord(FILM, "ready", 1, 1))
    return library


@pytest.mark.parametrize("name", READABLE)
def test_every_format_that_can_be_read_is_imported(library, tmp_path, name):
    path = tmp_path / f"chapters{find_format(name).suffix}"
    path.write_text(find_format(name).write(LINE), encoding="utf-8")
    import_annotations(library, path, "film", annotator="ann")
    kept = library.annotations("film")["ann"]
    assert kept.starts == pytest.approx((0, 10, 20), abs=0.04)
    assert kept.titles == ("ice", "sea", "sky")
    assert kept.end == FILM.duration


def test_several_tiers_are_several_annotators(library, tmp_path):
    path = tmp_path / "film.eaf"
    text = find_format("eaf").write(LINE)
    tier = text[text.index("<TIER") : text.index("</TIER>") + len("</TIER>")]
    other = tier.replace('TIER_ID="stories"', 'TIER_ID="scenes"').replace("stories", "scenes")
    path.write_text(text.replace(tier, tier + other))
    import_annotations(library, path, "film")
    assert list(library.annotations("film")) == ["scenes", "stories"]
    path.write_text(text.replace(tier, tier + other.replace('="storyscope"', '="bob"')))
    import_annotations(library, path, "film")
    assert list(library.annotations("film")) == ["bob", "scenes", "stories", "storyscope"]
    with pytest.raises(AnnotationError, match=r"2 people \(storyscope, bob\)"):
        import_annotations(library, path, "film", annotator="eve")


@pytest.mark.parametrize(
    ("positions", "starts"),
    [
        ({"end": 6, "starts": [0, 2, 5]}, (0, 10, 25)),
        ({"end": 750, "starts": [0, 125, 260]}, (0, 5, 10.4)),
    ],
)
def test_positions_are_shots_or_frames_as_their_end_tells(library, tmp_path, positions, starts):
    path = tmp_path / "ann.json"
    path.write_text(json.dumps(positions))
    import_annotations(library, path, "film")
    assert library.annotations("film")["ann"].starts == pytest.approx(starts)


@pytest.mark.parametrize("name", ["mp4", "mkv"])
def test_chapters_inside_a_film_are_imported(library, tmp_path, name):
    film = make_film(tmp_path / "film.ts", times=range(30), start=1.4)
    with pytest.raises(FormatError, match="no chapters inside"):
        import_annotations(library, film, "film")
    copy = tmp_path / f"copy.{name}"
    find_format(name).save(replace(LINE, video=replace(FILM, path=str(film))), copy)
    import_annotations(library, copy, "film")
    kept = library.annotations("film")["copy"]
    assert kept.starts == pytest.approx((0, 10, 20), abs=0.04)
    assert kept.titles == ("ice", "sea", "sky")


def test_a_version_is_written_over_only_when_asked(library, tmp_path):
    path = tmp_path / "ann.csv"
    path.write_text("0,10\n10,30\n")
    import_annotations(library, path, "film")
    path.write_text("0,20\n20,30\n")
    with pytest.raises(AnnotationError, match="ann has annotated film already"):
        import_annotations(library, path, "film")
    assert library.annotations("film")["ann"].starts == (0, 10)
    import_annotations(library, path, "film", replace_kept=True)
    assert library.annotations("film")["ann"].starts == (0, 20)


def test_nothing_is_kept_of_a_file_when_a_part_of_it_is_wrong(library, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("annotator,start,end\nann,0,10\nann,10,30\nbob,0,20\nbob,20,50\n")
    with pytest.raises(AnnotationError, match=r"people\.csv:5: the stories end at 50\.0 s"):
        import_annotations(library, path, "film")
    path.write_text("annotator,start,end\nann,0,30\nbob,0,30\nann,0,30\n")
    with pytest.raises(AnnotationError, match="two versions by ann"):
        import_annotations(library, path, "film")
    assert library.annotations("film") == {}


BOMB = '<!DOCTYPE {0} [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
EVENT = "001  AX       V     C        {0} 00:00:10:00 {0} 00:00:10:00\n"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.txt", ";FFMETADATA1\n[CHAPTER]\nSTART=0\n", r"a\.txt:2: a chapter needs TIMEBASE"),
        ("a.txt", ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/0\nSTART=0\nEND=1", r"a\.txt:2: a chapter"),
        ("a.txt", ";FFMETADATA1\n[CHAPTER]\nSTART\n", r"a\.txt:3: expected key=value"),
        ("a.txt", ";FFMETADATA1\ntitle=x\n", r"a\.txt:1: expected one \[CHAPTER\] per story"),
        ("a.txt", "Dear diary\n", r"a\.txt:1: chapters begin with"),
        ("a.xml", "<Chapters><EditionEntry>\n</Chapters>", r"a\.xml:2: not a Matroska chapter"),
        ("a.xml", "<Tags/>", r"a\.xml:1: expected Matroska <Chapters>, got <Tags>"),
        ("a.xml", "<Chapters/>", r"a\.xml:1: expected one chapter per story"),
        (
            "a.xml",
            "<Chapters><EditionEntry>\n<ChapterAtom/></EditionEntry></Chapters>",
            r"a\.xml:2: a time is written",
        ),
        ("a.xml", BOMB.format("Chapters") + "<Chapters>&b;</Chapters>", r"a\.xml:1: .*declares no"),
        ("a.xml", '<!DOCTYPE C SYSTEM "file:///etc/passwd"><C/>', r"a\.xml:1: .*declares no"),
        ("a.fcpxml", BOMB.format("fcpxml") + "<fcpxml>&b;</fcpxml>", "declares no entities"),
        ("a.fcpxml", "<!DOCTYPE fcpxml>\n<fcpxml/>", r"a\.fcpxml:2: expected a project with clips"),
        (
            "a.fcpxml",
            '<fcpxml><spine>\n<clip offset="1/0s" duration="1s"/></spine></fcpxml>',
            r"a\.fcpxml:2: offset is written as",
        ),
        ("a.eaf", BOMB.format("X") + "<X>&b;</X>", "declares no entities"),
        ("a.eaf", "<X><TIER/>\n</X>", r"a\.eaf:1: TIER has no TIER_ID"),
        (
            "a.eaf",
            '<X><TIME_ORDER>\n<TIME_SLOT TIME_SLOT_ID="a" TIME_VALUE="x"/></TIME_ORDER></X>',
            r"a\.eaf:2: a time is whole milliseconds",
        ),
        ("a.edl", "TITLE: x\n" + EVENT.format("00:00:00:30"), r"a\.edl:2: .*frames past 24"),
        ("a.edl", "001  AX  V  C  00:00:00:00\n", r"a\.edl:1: an event has four timecodes"),
        ("a.edl", "TITLE: x\n", r"a\.edl:1: expected one event per story"),
        ("a.otio", '{"OTIO_SCHEMA":\n', r"a\.otio:\d: not JSON"),
        ("a.otio", '{"OTIO_SCHEMA": "Clip.1"}', r"a\.otio:1: not an OTIO timeline"),
        ("a.otio", "[1]", r"a\.otio:1: "),
        ("a.otio", "[" * 100_000, r"a\.otio:1: not JSON that can be read"),
        ("a.json", "[" * 100_000, r"a\.json:1: not JSON that can be read"),
        (
            "a.json",
            '{"type": "Manifest"}',
            r"a\.json:1: expected a manifest with one range per story",
        ),
        (
            "a.json",
            '{"type": "Manifest", "structures": [{"items": [\n{"id": "x", "items": []}]}]}',
            r"a\.json:2: a range points into its canvas",
        ),
        ("a.json", '{"chapters": [{"title": "x"}]}', r"a\.json:1: chapters need a startTime"),
        (
            "a.json",
            '{"chapters": [{"startTime": 0},\n{"startTime": NaN}]}',
            r"a\.json:2: a time is a number of seconds, got nan",
        ),
        ("a.json", '{"chapters": []}', r"a\.json:1: expected at least one chapter"),
        ("a.csv", "in,out\n00:00:00:00,00:00:10:30\n", r"a\.csv:2: .*frames past 24"),
    ],
)
def test_a_bad_file_is_named_with_its_line_and_nothing_is_kept(library, tmp_path, name, text, says):
    (tmp_path / name).write_text(text)
    with pytest.raises(StoryscopeError, match=says):
        import_annotations(library, tmp_path / name, "film")
    assert library.annotations("film") == {}


def test_timecode_without_a_rate_says_what_is_missing(tmp_path):
    (tmp_path / "a.edl").write_text(EVENT.format("00:00:00:00"))
    with pytest.raises(FormatError, match="timecodes need a frame rate"):
        read_annotations(tmp_path / "a.edl")


def test_an_edit_list_that_starts_at_one_hour_starts_at_0(tmp_path):
    second = EVENT.format("00:00:10:00").replace(
        "00:00:10:00 00:00:10:00", "01:00:10:00 01:00:30:00"
    )
    (tmp_path / "a.edl").write_text(
        EVENT.format("01:00:00:00").replace("00:00:10", "01:00:10")
        + "* FROM CLIP NAME: ice\n"
        + second
    )
    (written,) = read_annotations(tmp_path / "a.edl", fps=25)
    assert (written.starts, written.end) == ((0, 10), 30)


def test_writing_otio_without_the_extra_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentimelineio", None)
    with pytest.raises(MissingDependency, match=r"pip install storyscope\[formats\]"):
        find_format("otio").write(LINE)


def test_the_command_is_called_import(library, tmp_path):
    (tmp_path / "ann.vtt").write_text(find_format("webvtt").write(LINE), encoding="utf-8")
    done = storyscope("import", tmp_path / "ann.vtt", "--video", "film", "--json", library=library)
    people = [{"annotator": "ann", "stories": 3}]
    assert json.loads(done.stdout) == {"video": "film", "annotations": people}
    assert library.annotations("film")["ann"].titles == ("ice", "sea", "sky")


SUFFIXES = ["json", "csv", "vtt", "eaf", "txt", "xml", "edl", "otio", "fcpxml", "textgrid"]
WRITTEN = [(find_format(name).suffix, find_format(name).write(LINE)) for name in READABLE]


@settings(max_examples=150, deadline=None)
@given(suffix=st.sampled_from(SUFFIXES), text=st.text(max_size=200))
def test_no_text_breaks_a_reader(suffix, text):
    found, reason = read_or_refused(f".{suffix}", text)
    assert found or "file." in reason


@settings(max_examples=300, deadline=None)
@given(
    file=st.sampled_from(WRITTEN),
    place=st.floats(0, 1),
    cut=st.integers(0, 12),
    put=st.sampled_from(
        ["", "0", "-", '"', "<", ">", "\n", "\\", ":", "null", "[]", "{}", "1e999", "NaN", "99999"]
    ),
)
def test_no_damage_breaks_a_reader(file, place, cut, put):
    suffix, text = file
    at = int(place * len(text))
    damaged = text[:at] + put + text[at + cut :]
    found, reason = read_or_refused(suffix, damaged)
    assert found if damaged == text else found or "file." in reason


def read_or_refused(suffix, text):
    """The stories in a file, or the reason why it is refused."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_text(text, encoding="utf-8", errors="replace")
        try:
            found = [written.in_seconds(end=30.0) for written in read_annotations(path, fps=25.0)]
        except StoryscopeError as error:
            return [], str(error)
    for annotation in found:
        edges = (*annotation.starts, annotation.end)
        assert edges[0] == 0
        assert all(before < after < inf for before, after in pairwise(edges))
    return found, ""
