"""The command line as people and scripts use it."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import av
import pytest

from command_line import storyscope
from storyscope.cli.options import named
from storyscope.errors import MediaError
from storyscope.library import Library
from storyscope.library.adding import STOPPED

ALONE = ("--jobs", 1, "--set", "transcripts.speech=off")
"""Run a command in this process, without speech recognition."""


@pytest.fixture(scope="module")
def library(indexed, tmp_path_factory):
    return shutil.copytree(indexed, tmp_path_factory.mktemp("library") / "library")


def test_json_is_alone_on_standard_output(library):
    (video,) = json.loads(storyscope("list", "--json", library=library).stdout)["videos"]
    assert video["state"] == "ready"
    facts = json.loads(storyscope("stories", video["id"], "--json", library=library).stdout)
    assert len(facts["stories"]) == video["stories"]


def test_stories_are_shown_with_times_as_people_write_them(library):
    shown = storyscope("stories", "film", library=library)
    assert "0:05" in shown.stdout
    assert "cues used: appearance" in shown.stderr


def test_a_bad_file_in_a_folder_is_named_and_the_others_are_added(film, tmp_path):
    folder = tmp_path / "films"
    folder.mkdir()
    (folder / "a-bad.mp4").write_text("nothing")
    (folder / "good.mp4").symlink_to(film)
    done = storyscope("add", folder, *ALONE, library=tmp_path / "library", code=1)
    assert "1 of 2 videos failed" in done.stderr
    assert "a-bad.mp4" in done.stderr
    listed = json.loads(storyscope("list", "--json", library=tmp_path / "library").stdout)
    assert [video["id"] for video in listed["videos"]] == ["good"]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda p: p.write_bytes(b""), "empty"),
        (lambda p: p.write_text("hello"), "video"),
        (lambda p: p.mkdir(), "video"),
        (lambda p: None, "does not exist"),
    ],
    ids=["zero bytes", "text", "empty folder", "missing"],
)
def test_bad_input_is_one_line_and_code_1(make, says, tmp_path):
    path = tmp_path / "film.mp4"
    make(path)
    done = storyscope("add", path, library=tmp_path / "library", code=1)
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("storyscope: ")
    assert says in done.stderr.lower()
    assert Library(tmp_path / "library").facts() == []


def test_debug_lets_the_error_through(tmp_path):
    with pytest.raises(MediaError, match="does not exist"):
        storyscope("add", tmp_path / "none.mp4", "--debug", library=tmp_path / "s")


def test_settings_are_kept_and_refused(library, tmp_path):
    storyscope("config", "stories.penalty=0.25", library=tmp_path)
    kept = json.loads(storyscope("config", "--json", library=tmp_path).stdout)
    assert kept["stories"]["penalty"] == 0.25
    done = storyscope("config", "stories.penalti=1", library=tmp_path, code=1)
    assert "did you mean 'penalty'" in done.stderr


def test_the_doctor_lists_every_component(tmp_path):
    findings = json.loads(storyscope("doctor", "--json", library=tmp_path).stdout)["findings"]
    assert {f["part"] for f in findings} == {"Parts", "Models", "Codecs", "Safety", "Library"}
    assert all(f["ok"] or f["fix"] for f in findings)


@pytest.mark.parametrize(
    "command",
    ["add", "list", "stories", "search", "export", "import", "edit", "remove", "config", "doctor"],
)
def test_every_command_explains_itself_with_an_example(command):
    assert "Example" in storyscope(command, "--help").stdout


def test_every_format_is_written_from_an_indexed_film(library, tmp_path):
    from storyscope import Library
    from storyscope.formats import FORMATS, find_format

    library = Library(library)
    line, nested = (library.timeline("film", level=level) for level in ("stories", "nested"))
    for kind in map(find_format, FORMATS):
        if kind.save is not None:
            kind.save(line, tmp_path / f"{kind.name}{kind.suffix}")
            assert (tmp_path / f"{kind.name}{kind.suffix}").exists()
        elif kind.name != "youtube":
            assert kind.write(line)
            assert (kind.write(nested) == kind.write(line)) == (
                not kind.nests or kind.name == "html"
            )
    assert find_format("html").write(library.timeline("film", level="shots"))
    shown = storyscope("export", "film", "--format", "html", library=library).stdout
    assert shown.count('<li class="story"') == len(line.entries)
    assert "<script src" not in shown
    assert "<link" not in shown


def test_export_says_what_it_needs(library):
    says = {
        ("--format", "mp4"): "give a file with --output film.mp4",
        ("--format", "edl", "--level", "nested"): "edl cannot contain shots inside stories",
        ("--format", "edl", "--output", "/nowhere/film.edl"): "cannot be written",
        ("--format", "dvd"): "no format called 'dvd'",
    }
    for words, reason in says.items():
        assert reason in storyscope("export", "film", *words, library=library, code=1).stderr


def test_an_edit_is_saved_beside_the_automatic_version(library):
    before = json.loads(storyscope("stories", "film", "--json", library=library).stdout)
    person = ("--annotator", "ann")
    words = ("edit", "film", *person, "--move", "2=0:04", "--title", "2=Sand", "--split", "0:02.5")
    edited = json.loads(storyscope(*words, "--json", library=library).stdout)["stories"]
    assert [story["start"] for story in edited[:3]] == [0.0, 2.5, 4.0]
    assert edited[2]["title"] == "Sand"
    assert json.loads(storyscope("stories", "film", "--json", library=library).stdout) == before
    storyscope("edit", "film", *person, "--discard", library=library)
    assert (
        "NUMBER=VALUE" in storyscope("edit", "film", "--move", "x", library=library, code=1).stderr
    )


def test_annotated_videos_are_not_removed_by_accident(indexed, tmp_path):
    from storyscope import Library
    from storyscope.core import Annotation

    library = Library(shutil.copytree(indexed, tmp_path / "library"))
    video = library.video("film")
    library.annotate(video.id, Annotation("ann", (0.0,), video.duration))
    assert "would be lost" in storyscope("remove", video.id, library=library, code=1).stderr
    storyscope("remove", video.id, "--yes", library=library)
    assert library.videos() == []


def test_a_truncated_film_is_indexed_and_reported_as_damaged(film, tmp_path):
    whole = tmp_path / "whole.mkv"
    with av.open(str(film)) as source, av.open(str(whole), "w") as copy:
        picture = source.streams.video[0]
        stream = copy.add_stream_from_template(picture)
        for packet in source.demux(picture):
            if packet.dts is not None:
                packet.stream = stream
                copy.mux(packet)
    content = whole.read_bytes()
    (tmp_path / "broken.mkv").write_bytes(content[: len(content) // 2])
    done = storyscope("add", tmp_path / "broken.mkv", library=tmp_path / "library")
    assert "broken.mkv is damaged: it breaks off after" in done.stderr
    assert "damaged" not in storyscope("add", whole, library=tmp_path / "library").stderr


def test_an_edit_that_changes_nothing_is_refused(library):
    done = storyscope("edit", "film", "--annotator", "eve", library=library, code=1)
    assert "nothing to change" in done.stderr
    assert "eve" not in storyscope("stories", "film", "--json", library=library).stdout


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("stories", "film"),
        ("shots", "film"),
        ("search", "sea"),
        ("export", "film", "--format", "csv"),
        ("remove", "film"),
        ("explain", "film"),
        ("thumbnails", "film"),
        ("edit", "film", "--split", "1"),
        ("import", "chapters.vtt", "--video", "film"),
        ("train",),
        ("concepts", "list"),
    ],
    ids=lambda words: words[0],
)
def test_a_mistyped_library_is_named_and_not_made(words, tmp_path):
    missing = tmp_path / "mistyped"
    done = storyscope(*words, library=missing, code=1)
    assert done.stderr.count("\n") == 1
    assert f"there is no library in {missing}" in done.stderr
    assert "storyscope add" in done.stderr
    assert not missing.exists()


@pytest.mark.skipif(os.name == "nt", reason="signals are not sent on Windows")
@pytest.mark.parametrize("jobs", [(), ("--jobs", "2")], ids=["alone", "in a process of its own"])
def test_control_c_prints_how_to_resume_in_one_line(film, tmp_path, jobs):
    command = [sys.executable, "-m", "storyscope", "add", str(film), *jobs]
    process = subprocess.Popen(
        [*command, "--library", str(tmp_path / "library")],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_heed_control_c,
    )
    assert "reading the video" in process.stderr.readline()
    os.killpg(process.pid, signal.SIGINT)
    printed = process.stderr.read()
    assert process.wait() == 130
    assert printed.splitlines()[-1] == (
        "storyscope: stopped; finished stages are kept, run the same command again to continue"
    )
    shown = storyscope("list", "--json", library=tmp_path / "library")
    (video,) = json.loads(shown.stdout)["videos"]
    assert (video["state"], video["failure"]) == ("stopped", STOPPED)


def _heed_control_c():
    """Handle Ctrl-C again, which shells make background commands ignore."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_the_library_may_stand_before_the_command(library):
    listed = storyscope("--library", library, "list", "--json").stdout
    assert listed == storyscope("list", "--json", library=library).stdout
    assert storyscope(f"--library={library}", "list", "--json").stdout == listed


def test_a_library_is_named_as_people_write_it():
    assert named(Path("http://host:8000")) == "http://host:8000"
    assert named(Path("films/library")) == str(Path("films/library"))
