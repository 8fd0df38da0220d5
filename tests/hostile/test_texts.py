"""Titles and words made to break out of the files they are written to."""

import csv
import io
import json
import tracemalloc

import pytest

from benchmarks.attacks import texts
from storyscope.core import Annotation
from storyscope.errors import StoryscopeError
from storyscope.formats import Entry, Timeline, find_format, format_names, read_annotations
from storyscope.formats.timeline import film_address
from storyscope.transcripts import read_transcript

TEXT_FORMATS = [name for name in format_names() if find_format(name).write is not None]


def titled(title, keywords=()):
    line = texts.whole_timeline()
    entries = tuple(Entry(entry.span, title, keywords) for entry in line.entries)
    return Timeline(line.video, entries)


@pytest.mark.parametrize("name", [name for name in TEXT_FORMATS if name != "html"])
def test_half_a_character_in_a_title_is_written_as_a_question_mark(name):
    written = find_format(name).write(titled("a\ud800b", ("\udfff",)))
    assert written.encode()


def test_half_a_character_of_a_person_or_a_word_is_none(tmp_path):
    marked = Annotation("Ann\ud800", (0.0,), 10.0, ("\ud800",))
    assert (marked.annotator, marked.titles) == ("Ann?", ("?",))
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"segments": [{"start": 0, "end": 1, "text": "wh\ud800le"}]}))
    assert [word.text for word in read_transcript(path).words] == ["wh?le"]


@pytest.mark.parametrize(("name", "delimiter"), [("csv", ","), ("premiere", "\t")])
@pytest.mark.parametrize("title", ["=1+1", "@SUM(A1)", "+1", "-1"])
def test_no_cell_of_an_export_is_a_formula(name, delimiter, title):
    written = find_format(name).write(titled(title, (title,)))
    rows = list(csv.reader(io.StringIO(written), delimiter=delimiter))
    assert f"'{title}" in rows[1]
    assert title not in rows[1]


def test_a_film_of_a_server_is_named_without_its_folder():
    video = texts.whole_timeline().video
    assert film_address(video) == "./film.mp4"
    for name in ("otio", "fcpxml", "eaf", "fcp7"):
        assert "file://" not in find_format(name).write(titled("A story"))


def test_chapters_without_a_blank_line_between_them_cost_no_more_than_others(tmp_path):
    path = tmp_path / "chapters.vtt"
    path.write_text("WEBVTT\n\n" + "00:00:01.000 --> 00:00:02.000\n" * 3000)
    tracemalloc.start()
    try:
        with pytest.raises(StoryscopeError, match="begins at 1 twice"):
            read_annotations(path)
        # A single read takes 32 MB; keeping the rest of the file with every title took 130 MB.
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


def test_a_title_of_a_million_angle_brackets_is_read(tmp_path):
    path = tmp_path / "chapters.vtt"
    path.write_text(f"WEBVTT\n\n00:00.000 --> 00:02.000\n{'<' * 1_000_000}\n")
    (read,) = read_annotations(path)
    assert read.starts == (0.0,)


def test_a_sami_file_whose_words_are_all_of_another_class_holds_none(tmp_path):
    path = tmp_path / "words.smi"
    path.write_text("<SAMI><P Class=A>x<SYNC Start=500><P Class=B>The whale dives.</SAMI>")
    assert read_transcript(path).words == ()


def test_a_textgrid_line_of_blanks_is_read(tmp_path):
    path = tmp_path / "stories.TextGrid"
    head = (
        'File type = "ooTextFile"\nclass = "IntervalTier"\nname = "stories"\nxmin = 0\nxmax = 9\n'
    )
    path.write_text(f"{head}text = a{' ' * 300_000}b\n")
    (read,) = read_annotations(path)
    assert read.titles[0].split() == ["a", "b"]


def test_a_title_of_a_hundred_thousand_letters_is_drawn_as_far_as_it_fits(library, tmp_path):
    end = library.video("film").duration
    marked = Annotation("eve", (0.0,), end, ("a" * 100_000,))
    stories = library.stories_marked("film", marked)
    find_format("sheet").save(library.timeline("film", stories=stories), tmp_path / "sheet.png")
    assert (tmp_path / "sheet.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("before", ["", "start,title\n"])
def test_a_cell_that_is_too_large_is_named_with_its_line(tmp_path, before):
    path = tmp_path / "stories.csv"
    path.write_text(f'{before}0,"{"a" * 200_000}"\n')
    with pytest.raises(StoryscopeError, match=rf"stories\.csv:{1 + bool(before)}: field larger"):
        read_annotations(path)
