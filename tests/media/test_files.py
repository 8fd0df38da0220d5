"""Folders and files that are not videos give one clear error line each."""

from __future__ import annotations

import os
import sys

import pytest

from films import Tone, make_film
from storyscope.config import MediaConfig
from storyscope.core import Picture
from storyscope.errors import MediaError
from storyscope.media import find_videos, probe, scan


def complaint(path) -> str:
    """The error of both entry points for a bad file, which must be one line that names it."""
    with pytest.raises(MediaError) as probed:
        probe(path)
    with pytest.raises(MediaError) as scanning:
        list(scan(path))
    assert str(probed.value) == str(scanning.value)
    assert str(path) in str(probed.value)
    assert "\n" not in str(probed.value)
    return str(probed.value)


def test_a_missing_file_is_named(tmp_path):
    assert "does not exist" in complaint(tmp_path / "none.mp4")


def test_a_folder_is_no_video(tmp_path):
    assert "is a folder" in complaint(tmp_path)


def test_an_empty_file_is_called_empty(tmp_path):
    path = tmp_path / "empty.mp4"
    path.write_bytes(b"")
    assert "empty (0 bytes)" in complaint(path)


def test_text_in_disguise_is_no_video(tmp_path):
    path = tmp_path / "text.mp4"
    path.write_text("I am a letter to a friend, not a film.\n" * 50)
    assert "is not a video" in complaint(path)


def test_sound_alone_is_no_video(tmp_path):
    import av

    from films import _add_track, _write_tone

    path = tmp_path / "song.mp4"
    with av.open(str(path), "w") as out:
        _write_tone(out, _add_track(out, Tone()), Tone(), 0.0)
    assert "has only sound" in complaint(path)


def test_a_forbidden_file_is_called_that(tmp_path, monkeypatch):
    path = make_film(tmp_path / "secret.mp4", frame_count=2)

    def forbid(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", forbid)
    assert "cannot be read; change its permissions" in complaint(path)


def test_folders_give_their_videos_at_any_depth(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / ".hidden").mkdir()
    for name in ("z.mp4", "a/b/y.MKV", "a/notes.txt", "a/.hidden/x.mp4"):
        (tmp_path / name).write_bytes(b"x")
    found = find_videos([tmp_path])
    assert found == [tmp_path / "a/b/y.MKV", tmp_path / "z.mp4"]


def test_a_file_is_taken_whatever_its_name_and_only_once(tmp_path):
    odd, film = tmp_path / "film.bin", tmp_path / "film.mp4"
    for path in (odd, film):
        path.write_bytes(b"x")
    assert find_videos([odd, tmp_path, film]) == [odd, film]


def test_a_folder_without_videos_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(MediaError, match="contains no videos"):
        find_videos([tmp_path])


def test_a_path_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(MediaError, match="does not exist"):
        find_videos([tmp_path / "none"])


@pytest.mark.skipif(sys.platform == "win32", reason="files with holes are made otherwise there")
def test_a_file_that_is_mostly_holes_is_refused_at_once(tmp_path):
    film = make_film(tmp_path / "film.ts", frame_count=5)
    with film.open("r+b") as file:
        file.truncate(20 << 30)
    with pytest.raises(MediaError, match=r"21475 MB but only .* are on disk"):
        probe(film)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")
def test_a_name_that_is_not_utf_8_is_refused_in_a_line_that_can_be_printed(tmp_path):
    film = make_film(tmp_path / "film.mp4", frame_count=5)
    strange = film.rename(tmp_path / os.fsdecode(b"f\xfclm.mp4"))
    with pytest.raises(MediaError, match=r"f\\xfclm\.mp4 has a name that is not UTF-8; rename it"):
        probe(strange)


@pytest.mark.parametrize("size", [(16, 4096), (8, 700), (4096, 16)])
def test_pictures_of_a_narrow_film_are_not_too_narrow(tmp_path, size):
    film = make_film(tmp_path / "narrow.mkv", frame_count=3, size=size, codec="ffv1")
    picture = next(item for item in scan(film) if isinstance(item, Picture))
    height, width, _ = picture.rgb.shape
    assert height == MediaConfig().picture_height
    assert 1 / 16 <= width / height <= 16
