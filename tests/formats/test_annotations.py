"""Annotation files: what they contain, and the location of errors."""

import json

import pytest

from storyscope.core import Annotation, Segmentation
from storyscope.errors import AnnotationError, FormatError
from storyscope.formats import on_one_scale, read_annotations

EAF = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="2020-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0">
<TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="0"/>
<TIME_SLOT TIME_SLOT_ID="ts2" TIME_VALUE="120000"/>
<TIME_SLOT TIME_SLOT_ID="ts3" TIME_VALUE="300000"/>
<TIME_SLOT TIME_SLOT_ID="ts4" TIME_VALUE="500000"/>
<TIME_SLOT TIME_SLOT_ID="ts5"/>
</TIME_ORDER>
<TIER TIER_ID="speech" LINGUISTIC_TYPE_REF="default">
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a0" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2">
<ANNOTATION_VALUE>hello</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
</TIER>
<TIER TIER_ID="Stories" ANNOTATOR="eve" LINGUISTIC_TYPE_REF="default">
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2">
<ANNOTATION_VALUE>ice &amp; snow</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a2" TIME_SLOT_REF1="ts2" TIME_SLOT_REF2="ts3">
<ANNOTATION_VALUE>penguins</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a3" TIME_SLOT_REF1="ts3" TIME_SLOT_REF2="ts4">
<ANNOTATION_VALUE>whales</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
</TIER>
</ANNOTATION_DOCUMENT>
"""
VTT = """WEBVTT

1
00:00:00.000 --> 00:02:00.000
ice

00:02:00.000 --> 00:05:00.000
penguins

05:00.000 --> 08:20.000
whales
"""
CSV = "start,end,title\n0,2:00,ice\n2:00,5:00,penguins\n5:00,8:20,whales\n"
JSON = '{"end": 500,\n "starts": [0,\n 120,\n 300],\n "annotator": "anna"}'


@pytest.fixture
def write(tmp_path):
    def writing(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return writing


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", JSON),
        ("a.csv", CSV),
        ("a.vtt", VTT),
        ("a.eaf", EAF),
        ("a.tsv", CSV.replace(",", "\t")),
    ],
)
def test_every_format_says_the_same(write, name, text):
    (written,) = read_annotations(write(name, text))
    assert written.starts == (0, 120, 300)
    assert written.end == 500


def test_formats_can_be_mixed(write):
    files = [("a.json", JSON), ("b.csv", CSV), ("c.vtt", VTT), ("d.eaf", EAF)]
    written = [each for name, text in files for each in read_annotations(write(name, text))]
    scale = on_one_scale(written)
    assert set(scale.segmentations) == {Segmentation((0, 120_000, 300_000), 500_000)}
    assert scale.written((0, 120_000)) == [0, 120]
    assert [each.annotator for each in written] == ["anna", "b", "c", "eve"]


def test_with_a_frame_rate_positions_are_frames(write):
    frames = write("a.json", json.dumps({"end": 12_500, "starts": [0, 3000, 7500]}))
    written = [*read_annotations(frames), *read_annotations(write("b.vtt", VTT))]
    assert set(on_one_scale(written, fps=25).segmentations) == {
        Segmentation((0, 3000, 7500), 12_500)
    }


def test_positions_alone_stay_as_they_are(write):
    (written,) = read_annotations(write("a.json", JSON))
    assert on_one_scale([written]).segmentations == (Segmentation((0, 120, 300), 500),)


def test_titles_and_times_make_an_annotation_of_a_video(write):
    (written,) = read_annotations(write("a.eaf", EAF))
    assert written.in_seconds() == Annotation(
        "eve", (0.0, 120.0, 300.0), 500.0, ("ice & snow", "penguins", "whales")
    )


def test_a_table_may_hold_several_people(write):
    table = "annotator,start,end\nann,0,10\nann,10,30\nbob,0,20\nbob,20,30\n"
    ann, bob = read_annotations(write("a.csv", table))
    assert (ann.annotator, ann.starts) == ("ann", (0, 10))
    assert (bob.annotator, bob.starts) == ("bob", (0, 20))


def test_a_list_of_segmentations_holds_several_people(write):
    one, two = {"end": 9, "starts": [0, 4]}, {"end": 9, "starts": [0, 5], "annotator": "bob"}
    first, second = read_annotations(write("a.json", json.dumps([one, two], indent=1)))
    assert (first.annotator, second.annotator) == ("a 1", "bob")
    assert second.starts == (0, 5)


def test_a_header_can_say_that_numbers_are_frames(write):
    (written,) = read_annotations(write("a.csv", "first_frame;end_frame\n0;50\n50;80\n"))
    assert (written.unit, written.starts, written.end) == ("positions", (0, 50), 80)


def test_a_bare_column_of_cuts_leaves_out_the_zero_and_the_end(write):
    (cuts,) = read_annotations(write("a.csv", "120\n300\n"))
    (whole,) = read_annotations(write("b.json", JSON))
    assert cuts.starts == (0, 120, 300)
    assert len(set(on_one_scale([cuts, whole]).segmentations)) == 1
    assert on_one_scale([cuts], end=500).segmentations[0].end == 500_000
    with pytest.raises(AnnotationError, match=r"a\.csv does not say where the last story ends"):
        on_one_scale([cuts])


def test_what_stories_prints_can_be_read(write):
    printed = {
        "video": {"id": "film"},
        "stories": [
            {"start": 0.0, "end": 4.5, "title": "a", "keywords": [], "shots": [0, 2]},
            {"start": 4.5, "end": 9.0, "title": "b", "keywords": [], "shots": [2, 5]},
        ],
    }
    (written,) = read_annotations(write("a.json", json.dumps(printed, indent=2)))
    assert (written.starts, written.end, written.titles) == ((0, 4.5), 9, ("a", "b"))


def test_ends_that_differ_by_rounding_are_the_same_end(write):
    one = write("a.vtt", VTT.replace("08:20.000", "08:20.013"))
    written = [*read_annotations(one), *read_annotations(write("b.csv", CSV))]
    assert {each.end for each in on_one_scale(written).segmentations} == {500_013}


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        (
            "a.json",
            JSON.replace("120", "320"),
            r"a\.json:4: stories must be in order, got 300 after 320",
        ),
        ("a.json", JSON.replace("120", "300"), r"a\.json:4: a story begins at 300 twice"),
        (
            "a.json",
            JSON.replace("300", "600"),
            r"a\.json:4: a story begins at 600, but the end is 500",
        ),
        ("a.json", JSON.replace("[0", "[-5"), r"a\.json:2: stories begin at 0, got -5"),
        ("a.json", JSON.replace("[0,", "["), r"a\.json:3: stories begin at 0, got 120"),
        ("a.json", JSON.replace("120", "120.5"), r"a\.json:1: .* in whole numbers"),
        ("a.json", JSON.replace("120", "NaN"), r"a\.json:1: .* in whole numbers"),
        ("a.json", '{"end": 4,\n "starts": [0,]}', r"a\.json:2: not JSON"),
        ("a.json", "[]", r"a\.json:1: expected a segmentation"),
        ("a.json", '{"starts": [0]}', r"a\.json:1: a segmentation is"),
        (
            "a.json",
            '{"stories": [{"start": 0, "end": 4}, {"begin": 4, "end": 9}]}',
            r"a\.json:1: stories need a start and an end",
        ),
        ("a.csv", CSV.replace("2:00,5:00", "6:00,5:00"), r"a\.csv:4: .* got 300 after 360"),
        ("a.csv", CSV.replace("2:00,5:00", "5:00,5:00"), r"a\.csv:4: a story begins at 300 twice"),
        ("a.csv", CSV.replace("5:00,8:20", "5:00,4:10"), r"a\.csv:4: .*300, but the end is 250"),
        ("a.csv", CSV.replace("5:00,8:20", "noon,8:20"), r"a\.csv:4: a time is written"),
        ("a.csv", "-3\n5\n", r"a\.csv:1: stories begin at 0, got -3"),
        ("a.csv", "\n", r"a\.csv:1: expected one story per line"),
        ("a.csv", "start,end\n", r"a\.csv:1: expected one story per line"),
        (
            "a.vtt",
            VTT.replace("05:00.000 --> 08", "01:00.000 --> 08"),
            r"a\.vtt:10: .*60 after 120",
        ),
        ("a.vtt", VTT.replace("05:00.000 --> 08", "5 --> 08"), r"a\.vtt:10: cue times"),
        ("a.vtt", "WEBVTT\n", r"a\.vtt:1: expected one cue per story"),
        ("a.vtt", "hello", r"a\.vtt:1: a WebVTT file begins"),
        ("a.eaf", EAF.replace('"120000"', '"400000"'), r"a\.eaf:19: .*got 300 after 400"),
        ("a.eaf", EAF.replace('REF1="ts3"', 'REF1="ts5"'), r"a\.eaf:19: whales has no time"),
        ("a.eaf", EAF.replace("</TIER>", ""), r"a\.eaf:\d+: not an ELAN file"),
        ("a.eaf", EAF.replace("Stories", "gesture"), r"a\.eaf: which tier .* speech, gesture"),
        (
            "a.eaf",
            EAF.replace("<ANNOTATION_DOC", '<!DOCTYPE x [<!ENTITY e "e">]><ANNOTATION_DOC', 1),
            "declares no entities",
        ),
        ("a.doc", "hello", r"read from \.json, \.csv"),
    ],
)
def test_a_mistake_is_named_with_file_and_line(write, name, text, says):
    with pytest.raises((AnnotationError, FormatError), match=says):
        read_annotations(write(name, text))


def test_a_tier_is_chosen_by_name(write):
    (written,) = read_annotations(write("a.eaf", EAF), tier="speech")
    assert written.starts == (0,)
    with pytest.raises(FormatError, match="no tier is called 'x'; it has speech, Stories"):
        read_annotations(write("a.eaf", EAF), tier="x")


def test_different_lengths_name_the_shorter_file_and_its_line(write):
    written = [
        *read_annotations(write("a.json", JSON)),
        *read_annotations(write("b.vtt", VTT.replace("08:20", "08:10"))),
    ]
    with pytest.raises(AnnotationError, match=r"b\.vtt:10: ends at 490, but .*a\.json at 500"):
        on_one_scale(written)


def test_a_missing_or_binary_file_is_refused(tmp_path):
    with pytest.raises(FormatError, match="No such file"):
        read_annotations(tmp_path / "a.json")
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(FormatError, match="not text in UTF-8"):
        read_annotations(tmp_path / "b.csv")
