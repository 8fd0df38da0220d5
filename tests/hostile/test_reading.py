"""Pipes, devices, links, and files that are swapped between check and use."""

import os
import shutil

import pytest

from serving import client_of
from storyscope import reading
from storyscope.config import load_config
from storyscope.errors import FormatError, InvalidSetting, MediaError, TranscriptError
from storyscope.formats import read_annotations
from storyscope.media import probe, process
from storyscope.reading import never_behind_links, read_at_most
from storyscope.search.images import read_image
from storyscope.transcripts import find_sidecar, read_transcript
from storyscope.web import create_app, indexing
from waiting import wait_until

READERS = {
    "film.mp4": (probe, MediaError),
    "words.srt": (read_transcript, TranscriptError),
    "marks.json": (read_annotations, FormatError),
    "picture.png": (read_image, MediaError),
    "storyscope.toml": (load_config, InvalidSetting),
}


@pytest.fixture
def guarded(tmp_path, monkeypatch):
    """A folder in which this process follows no link."""
    monkeypatch.setattr(reading, "_real_folders", set())
    folder = tmp_path / "media"
    folder.mkdir()
    never_behind_links([folder])
    return folder


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
@pytest.mark.parametrize("name", sorted(READERS))
def test_what_is_no_file_is_not_read(tmp_path, name, kind):
    path, (read, error) = tmp_path / name, READERS[name]
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    with pytest.raises(error, match=name) as raised:
        read(path)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["words.srt", "marks.json", "storyscope.toml"])
def test_a_file_that_is_too_large_is_not_read(tmp_path, name):
    path, (read, error) = tmp_path / name, READERS[name]
    with path.open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(error, match="at most"):
        read(path)


def test_deeply_nested_settings_are_one_clear_sentence(tmp_path):
    path = tmp_path / "storyscope.toml"
    path.write_text(f"[stories]\npenalty = {'[' * 50_000}")
    with pytest.raises(InvalidSetting, match=r"storyscope\.toml is not a TOML file"):
        load_config(path)


@pytest.mark.parametrize("setting", ["penalty", "granularity", "about"])
def test_a_number_of_thousands_of_digits_is_one_clear_sentence(tmp_path, setting):
    path = tmp_path / "storyscope.toml"
    path.write_text(f"[stories]\n{setting} = {'9' * 4000}\n")
    with pytest.raises(InvalidSetting, match=f"stories.{setting} must be a number"):
        load_config(path)


def test_deeply_nested_json_beside_a_film_is_not_its_transcript(tmp_path):
    (tmp_path / "film.mp4").write_bytes(b"a film")
    (tmp_path / "film.json").write_text("[" * 100_000)
    assert find_sidecar(tmp_path / "film.mp4") is None


def test_a_folder_of_subtitles_behind_a_link_is_not_the_films(tmp_path):
    folder, outside = tmp_path / "films", tmp_path / "outside"
    for made in (folder, outside):
        made.mkdir()
    (folder / "film.mp4").write_bytes(b"a film")
    (outside / "film.srt").write_text("secret")
    (folder / "subs").symlink_to(outside)
    assert find_sidecar(folder / "film.mp4") is None


def test_the_film_that_was_checked_is_the_one_that_is_decoded(film, tmp_path, monkeypatch):
    mine, other = tmp_path / "mine.mp4", tmp_path / "other.mp4"
    shutil.copy(film, mine)
    other.write_bytes(b"something secret" * 100)
    wanted, start = probe(film), process.subprocess.Popen

    def swap(*arguments, **options):
        other.replace(mine)
        return start(*arguments, **options)

    monkeypatch.setattr(process.subprocess, "Popen", swap)
    found = probe(mine)
    assert mine.read_bytes().startswith(b"something secret")
    assert (found.digest, found.duration) == (wanted.digest, wanted.duration)


@pytest.mark.parametrize("behind", ["file", "folder"])
def test_nothing_behind_a_link_is_read_in_a_guarded_folder(guarded, tmp_path, behind):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "film.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nA secret.\n")
    if behind == "file":
        (guarded / "film.srt").symlink_to(outside / "film.srt")
        path = guarded / "film.srt"
    else:
        (guarded / "sub").symlink_to(outside)
        path = guarded / "sub" / "film.srt"
    with pytest.raises(TranscriptError, match="replaced by a link"):
        read_transcript(path)
    assert read_transcript(outside / "film.srt").words
    shutil.copy(outside / "film.srt", guarded / "real.srt")
    assert b"secret" in read_at_most(guarded / "real.srt", 1000)


def test_a_link_that_appears_after_the_servers_check_is_not_indexed(
    guarded, library, film, tmp_path, monkeypatch
):
    outside = tmp_path / "outside.mp4"
    shutil.copy(film, outside)
    mine = guarded / "mine.mp4"
    mine.symlink_to(outside)
    monkeypatch.setattr(indexing, "refuse_link", lambda *_: None)
    app = create_app(library, media_folders=(guarded,))
    job = app.state.indexer.add(mine)
    wait_until(lambda: job.state == "failed")
    assert "replaced by a link" in job.failure
    assert client_of(app).get("/api/v1/videos").json()["videos"][0]["id"] == "film"
