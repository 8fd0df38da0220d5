"""Reading and writing label files and tables of other programs."""

from fractions import Fraction
from xml.etree import ElementTree as xml

import pytest

from storyscope.core import Span, Video
from storyscope.errors import FormatError
from storyscope.formats import Entry, Timeline, find_format, read_annotations

SCENES = """Timecode List:,00:00:04.000,00:00:10.000
Scene Number,Start Frame,Start Timecode,Start Time (seconds),End Frame,End Time (seconds)
1,1,00:00:00.000,0.000,100,4.000
2,101,00:00:04.000,4.000,250,10.000
"""


def timeline(fps=25.0, entries=None):
    video = Video("film", "/film.mp4", "d", 30.0, 750, fps, 192, 108, True)
    stories = entries or (
        Entry(Span(0, 10.04), 'the "ice"', ("ice",)),
        Entry(Span(10.04, 30), "sea\nand sky"),
    )
    return Timeline(
        video, stories, shots=(Entry(Span(0, 4), "Shot 1"), Entry(Span(4, 30), "Shot 2"))
    )


def read(tmp_path, name, text, **hints):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_annotations(path, **hints)


def test_tables_of_pyscenedetect_are_read(tmp_path):
    (found,) = read(tmp_path, "film-Scenes.csv", SCENES)
    assert (found.unit, found.starts, found.end) == ("seconds", (0, 4), 10)
    (bare,) = read(tmp_path, "bare.csv", SCENES.partition("\n")[2])
    assert bare.starts == (0, 4)


def test_tables_of_times_and_names_are_read(tmp_path):
    table = "Start Time,End Time,Name\n0:00,1:02:03.5,Ice\n1:02:03.5,1:30:00,Sea\n"
    (found,) = read(tmp_path, "times.csv", table)
    assert found.starts == (0, 3723.5)
    assert found.titles == ("Ice", "Sea")


def test_audacity_labels_are_written_and_read(tmp_path):
    text = find_format("audacity").write(timeline())
    assert text.splitlines()[1] == "10.040000\t30.000000\tsea and sky"
    (found,) = read(tmp_path, "labels.txt", text + "\\\t100.0\t2000.0\n")
    assert (found.starts, found.end) == ((0, 10.04), 30)
    assert found.titles == ('the "ice"', "sea and sky")


def test_a_textgrid_is_written_and_read(tmp_path):
    text = find_format("textgrid").write(timeline())
    (found,) = read(tmp_path, "film.TextGrid", text)
    assert (found.starts, found.end) == ((0, 10.04), 30)
    assert found.titles == ('the "ice"', "sea and sky")
    (shots,) = read(tmp_path, "shots.TextGrid", text, tier="shots")
    assert shots.starts == (0, 4)
    with pytest.raises(FormatError, match="stories, shots"):
        read(tmp_path, "none.TextGrid", text, tier="verbs")


def test_avid_markers_have_a_timecode_and_a_length():
    first, second = find_format("avid").write(timeline()).split("\r\n")[:2]
    assert first.split("\t") == ["storyscope", "00:00:00:00", "V1", "Red", 'the "ice"', "251"]
    assert second.split("\t")[1] == "00:00:10:01"


def test_xml_of_final_cut_pro_7_cuts_picture_and_sound_at_the_stories():
    root = xml.fromstring(find_format("fcp7").write(timeline(fps=29.97)).partition("\n")[2])
    clips = root.findall(".//video/track/clipitem")
    assert [clip.find("start").text for clip in clips] == ["0", "301"]
    assert len(root.findall(".//audio/track/clipitem")) == 2
    assert root.find("sequence/rate/timebase").text == "30"
    assert root.find("sequence/rate/ntsc").text == "TRUE"
    assert len(root.findall("sequence/marker")) == 2
    assert [file.find("pathurl") is not None for file in root.iter("file")] == [True, *[False] * 3]


def test_a_web_annotation_points_into_the_film():
    import json

    page = json.loads(find_format("web-annotation").write(timeline()))
    assert page["type"] == "AnnotationPage"
    first = page["items"][0]
    assert first["target"]["selector"]["value"] == "t=0.000000,10.040000"
    assert [body["value"] for body in first["body"]] == ['the "ice"', "ice"]


@pytest.mark.parametrize("name", ["edl", "resolve", "premiere", "avid", "fcp7", "fcpxml"])
def test_a_variable_rate_counts_in_the_nearest_standard_rate(name, tmp_path):
    line = timeline(fps=23.3)
    assert line.rate == Fraction(24000, 1001)
    assert find_format(name).counts_frames
    assert abs(line.seconds(line.frame(10.04)) - 10.04) <= float(1 / line.rate)
    assert "23.300 on average" in line.rate_note
    assert timeline(fps=25.0).rate_note == ""
    text = find_format(name).write(line)
    if name in ("edl", "resolve", "fcpxml"):
        assert "23.300 on average" in text.replace("ON AVERAGE", "on average")


def test_final_cut_pro_never_meets_a_rate_that_it_does_not_know():
    text = find_format("fcpxml").write(timeline(fps=48.0))
    assert 'frameDuration="1/24s"' in text


def test_an_edl_of_a_variable_rate_comes_back_within_a_frame(tmp_path):
    text = find_format("edl").write(timeline(fps=23.3))
    (found,) = read(tmp_path, "film.edl", text, fps=23.3)
    assert found.starts[1] == pytest.approx(10.04, abs=0.042)


def test_youtube_chapters_are_chapters_only():
    entries = tuple(Entry(Span(start, start + 6), f"<b>{start}</b>") for start in range(0, 60, 6))
    text = find_format("youtube").write(timeline(entries=entries))
    lines = text.splitlines()
    assert lines[0].startswith("00:00 ")
    assert all(line[:2].isdigit() for line in lines)
    assert "<" not in text
    assert ">" not in text


def test_kodi_keeps_existing_content(tmp_path):
    nfo = tmp_path / "film.nfo"
    nfo.write_text("<movie><title>My film</title><rating>9</rating><tag>ice</tag></movie>")
    find_format("kodi").save(timeline(), tmp_path / "film.edl")
    root = xml.parse(nfo).getroot()
    assert root.find("title").text == "My film"
    assert root.find("rating").text == "9"
    assert "0:00 the" in root.find("plot").text
    assert [tag.text for tag in root.findall("tag")] == ["ice"]


def test_kodi_refuses_to_replace_what_it_cannot_read(tmp_path):
    nfo = tmp_path / "film.nfo"
    nfo.write_text("https://www.example.org/title/1")
    with pytest.raises(FormatError, match=r"film\.nfo"):
        find_format("kodi").save(timeline(), tmp_path / "film.edl")
    assert nfo.read_text() == "https://www.example.org/title/1"
    assert not (tmp_path / "film.edl").exists()
