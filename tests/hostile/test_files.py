"""No file of another program is overwritten."""

import subprocess
import sys

import pytest

from command_line import storyscope
from storyscope import Library
from storyscope.errors import FormatError, ModelError
from storyscope.formats import find_format, save_files
from storyscope.library.training import refuse_other_file
from storyscope.transcripts import find_sidecar

THEIRS = b"a person's own file"


@pytest.mark.parametrize(
    ("name", "beside"), [("kodi", "film.edl"), ("thumbnails", "film.jpg"), ("csv", "film.csv")]
)
def test_files_beside_an_export_are_not_replaced(library, tmp_path, name, beside):
    kind, timeline = find_format(name), library.timeline("film")
    output = tmp_path / f"film{kind.suffix}"
    (tmp_path / beside).write_bytes(THEIRS)
    with pytest.raises(FormatError, match=f"{beside} already exists.*--overwrite"):
        save_files(kind, timeline, output)
    assert [path.name for path in tmp_path.iterdir()] == [beside]
    assert (tmp_path / beside).read_bytes() == THEIRS
    save_files(kind, timeline, output, overwrite=True)
    assert (tmp_path / beside).read_bytes() != THEIRS


def test_kodi_adds_to_an_nfo_and_leaves_nothing_half_made(library, tmp_path):
    (tmp_path / "film.nfo").write_text("<movie><title>Mine</title></movie>")
    save_files(find_format("kodi"), library.timeline("film"), tmp_path / "film.edl")
    assert "<title>Mine</title>" in (tmp_path / "film.nfo").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["film.edl", "film.nfo"]


@pytest.mark.parametrize(
    "words",
    [
        ("transcript", "film", "--output"),
        ("export", "film", "--format", "json", "--output"),
        ("search", "whale", "--sheet"),
        ("shots", "film", "--csv"),
        ("shots", "film", "--strip"),
    ],
)
def test_no_command_replaces_a_file_unasked(library, tmp_path, words):
    theirs = tmp_path / "theirs.mp4"
    theirs.write_bytes(THEIRS)
    assert "--overwrite" in storyscope(*words, theirs, library=library, code=1).stderr
    assert theirs.read_bytes() == THEIRS


def test_a_network_is_not_trained_over_another_file(tmp_path):
    (tmp_path / "film.mp4").write_bytes(THEIRS)
    with pytest.raises(ModelError, match="not a trained network"):
        refuse_other_file(tmp_path / "film.mp4")


def test_subtitles_behind_a_link_out_of_the_folder_are_not_the_films(film, tmp_path):
    folder = tmp_path / "films"
    folder.mkdir()
    (tmp_path / "secret.srt").write_text("secret")
    video = folder / "film.mp4"
    video.write_bytes(film.read_bytes())
    (folder / "film.srt").symlink_to(tmp_path / "secret.srt")
    assert find_sidecar(video) is None
    (folder / "real.srt").write_text("words")
    (folder / "film.srt").unlink()
    (folder / "film.srt").symlink_to(folder / "real.srt")
    assert find_sidecar(video) == folder / "film.srt"


def test_a_full_output_is_one_line(tmp_path):
    Library(tmp_path).store.close()
    command = [sys.executable, "-m", "storyscope", "list", "--json", "--library", str(tmp_path)]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "storyscope: No space left on device\n")
