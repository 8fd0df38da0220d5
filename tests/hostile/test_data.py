"""User data: lost databases, damaged files, links, moved films, and interrupted commands."""

import json
import os
import shutil
import sqlite3
import tempfile
import time
import traceback
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.attacks import films
from storyscope import Library
from storyscope.core import Annotation
from storyscope.errors import DamagedVideo, LibraryError, MediaError, StoryscopeError
from storyscope.formats import find_format
from storyscope.library.backups import back_up, restore_database
from storyscope.library.checking import check_library
from storyscope.library.relinking import relink
from storyscope.progress import Step
from storyscope.store import PASSAGES, RATINGS, SCAN, VISION, opening


@pytest.fixture
def folder(indexed, tmp_path):
    """A library of one film, to be damaged."""
    return shutil.copytree(indexed, tmp_path / "library")


@pytest.fixture
def annotated(folder):
    """A library of one film with one person's version."""
    library = Library(folder)
    library.annotate("film", Annotation("ann", (0.0, 5.0), library.video("film").duration))
    library.store.close()
    return folder


def array_file(folder, stage):
    (path,) = (folder / "arrays/film").glob(f"{stage}-*.safetensors")
    return path


def zero_numbers(path):
    """Zero the last part of a file, which contains the array data, but not its header."""
    content = bytearray(path.read_bytes())
    content[-64:] = bytes(64) if any(content[-64:]) else b"\xff" * 64
    path.write_bytes(content)


@pytest.mark.parametrize("content", [None, b""])
def test_a_lost_database_is_refused_and_not_recreated(annotated, content):
    database = annotated / "library.sqlite"
    for path in annotated.glob("library.sqlite*"):
        path.unlink()
    if content is not None:
        database.write_bytes(content)
    with pytest.raises(LibraryError, match=r"lost its database.*storyscope restore"):
        Library(annotated)


def test_a_copy_brings_annotations_back(annotated, tmp_path):
    copy = back_up(Library(annotated), tmp_path / "copy.sqlite")
    for path in annotated.glob("library.sqlite*"):
        path.unlink()
    assert restore_database(annotated, copy) is None
    assert Library(annotated).annotations("film")["ann"].starts == (0.0, 5.0)


def test_what_a_copy_replaces_is_kept(annotated, tmp_path):
    library = Library(annotated)
    copy = back_up(library, tmp_path / "copy.sqlite")
    library.discard_annotation("film", "ann")
    kept = restore_database(annotated, copy)
    assert list(library.annotations("film")) == ["ann"]
    restore_database(annotated, kept)
    assert list(library.annotations("film")) == []


def test_only_copies_of_libraries_are_restored(annotated, tmp_path):
    other = tmp_path / "other.sqlite"
    sqlite3.connect(other).execute("CREATE TABLE shop (id)").connection.close()
    text = tmp_path / "text.sqlite"
    text.write_text("not a database at all, only words" * 40)
    for wrong in (other, text, tmp_path / "missing.sqlite"):
        with pytest.raises(LibraryError):
            restore_database(annotated, wrong)
    assert list(Library(annotated).annotations("film")) == ["ann"]


def test_the_database_is_copied_before_it_is_migrated(annotated, monkeypatch):
    now = len(opening.MIGRATIONS)
    longer = (*opening.MIGRATIONS, "CREATE TABLE another (id INTEGER) STRICT;")
    monkeypatch.setattr(opening, "MIGRATIONS", longer)
    Library(annotated)
    with sqlite3.connect(annotated / f"backups/before-version-{now + 1}.sqlite") as found:
        assert found.execute("PRAGMA user_version").fetchone() == (now,)
        assert found.execute("SELECT annotator FROM annotation").fetchall() == [("ann",)]


def test_the_database_is_copied_before_the_first_change_of_a_day(annotated):
    today = annotated / f"backups/daily-{time.strftime('%Y-%m-%d')}.sqlite"
    today.unlink(missing_ok=True)
    for day in range(1, 9):
        (annotated / f"backups/daily-2020-01-0{day}.sqlite").touch()
    Library(annotated).discard_annotation("film", "ann")
    with sqlite3.connect(today) as found:
        assert found.execute("SELECT annotator FROM annotation").fetchall() == [("ann",)]
    assert len(list(today.parent.glob("daily-*"))) == 7


@pytest.mark.parametrize("place", ["start", "middle"])
def test_a_damaged_database_is_one_clear_sentence(annotated, place):
    database = annotated / "library.sqlite"
    sqlite3.connect(database).execute("PRAGMA wal_checkpoint(TRUNCATE)").connection.close()
    content = bytearray(database.read_bytes())
    first = 0 if place == "start" else 4096
    content[first : first + 60_000] = os.urandom(len(content[first : first + 60_000]))
    database.write_bytes(content)
    with pytest.raises(LibraryError, match=r"damaged.*storyscope restore") as raised:
        check_library(Library(annotated))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [b"\xff\xfe\0", b"[search", b"search = 3", b"preset = 'x'"])
def test_a_damaged_settings_file_is_one_clear_sentence(folder, content):
    (folder / "storyscope.toml").write_bytes(content)
    with pytest.raises(StoryscopeError, match=r"storyscope\.toml") as raised:
        Library(folder)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("artefact", [SCAN, VISION, PASSAGES, RATINGS], ids=lambda a: a.name)
def test_corrupted_arrays_are_detected_named_and_repaired(folder, artefact):
    zero_numbers(array_file(folder, artefact.name))
    library = Library(folder)
    with pytest.raises(DamagedVideo, match=f"film's {artefact.name} cannot be read"):
        library.store.load("film", artefact)
    assert [problem.repaired for problem in check_library(library)] == [False]
    assert [problem.repaired for problem in check_library(library, repair=True)] == [True]
    assert check_library(library) == []


def test_damage_is_contained_to_its_video(folder, tmp_path):
    other = tmp_path / "other.mp4"
    other.write_bytes(films.film(0))
    (tmp_path / "other.srt").write_text("1\n00:00:00,000 --> 00:00:02,000\nA whale dives.\n")
    library = Library(folder)
    library.add(other)
    stories = library.stories("film")
    before = library.search("whale")
    assert {hit.video for hit in before} == {"film", "other"}
    for stage in ("passages", "ratings", "vision"):
        for path in (folder / "arrays/other").glob(f"{stage}-*"):
            zero_numbers(path)
    (folder / "thumbnails.json").write_bytes(b"\0\0")
    library = Library(folder)
    assert library.thumbnail("film", stories[0]) is not None
    found = library.search("whale")
    assert {hit.video for hit in found} <= {"film"}
    assert [hit.story for hit in before if hit.video == "film"] == [hit.story for hit in found]
    library.remove("other")
    check_library(library, repair=True)
    assert not (folder / "thumbnails.json").exists()


def test_annotations_are_read_exported_and_saved_whatever_is_damaged(annotated):
    for path in (annotated / "arrays/film").iterdir():
        path.write_bytes(b"\0" * 9)
    library = Library(annotated)
    assert library.annotations("film")["ann"].starts == (0.0, 5.0)
    line = library.timeline("film", annotator="ann")
    assert [entry.span.start for entry in line.entries] == [0.0, 5.0]
    library.annotate("film", Annotation("bob", (0.0, 3.0), library.video("film").duration))
    assert list(library.annotations("film")) == ["ann", "bob"]


@pytest.mark.parametrize("name", ["arrays", "arrays/film", "pictures"])
def test_nothing_is_written_or_deleted_behind_a_link(folder, film, tmp_path, name):
    place, outside = folder / name, tmp_path / "outside"
    if place.exists():
        shutil.move(place, outside)
    (outside / "film").mkdir(parents=True, exist_ok=True)
    (outside / "film/mine.txt").write_text("mine")
    place.symlink_to(outside)
    before = sorted(path for path in outside.rglob("*"))
    library = Library(folder)
    with pytest.raises(LibraryError, match="is a link"):
        library.remove("film")
    if name != "pictures":
        with pytest.raises(LibraryError, match="is a link"):
            library.add(film, again=True)
    assert sorted(path for path in outside.rglob("*")) == before


def test_no_backup_is_written_or_deleted_behind_a_link(annotated, tmp_path):
    outside = tmp_path / "outside"
    shutil.rmtree(annotated / "backups", ignore_errors=True)
    outside.mkdir()
    for day in range(9):
        (outside / f"daily-2000-01-0{day}.sqlite").write_text("mine")
    (annotated / "backups").symlink_to(outside)
    library = Library(annotated)
    for change in (lambda: back_up(library), lambda: library.remove("film")):
        with pytest.raises(LibraryError, match="is a link"):
            change()
    assert len(list(outside.iterdir())) == 9
    assert "backups is a link" in str(check_library(library))


@pytest.mark.parametrize("name", ["library.sqlite", "library.sqlite-wal"])
def test_a_database_is_not_opened_through_a_link(annotated, tmp_path, name):
    (annotated / name).unlink(missing_ok=True)
    (annotated / name).symlink_to(tmp_path / "elsewhere")
    shutil.rmtree(annotated / "arrays")
    shutil.rmtree(annotated / "backups", ignore_errors=True)
    with pytest.raises(LibraryError, match="is a link"):
        Library(annotated)
    assert not (tmp_path / "elsewhere").exists()


def test_a_moved_film_is_found_again_by_its_content(annotated, film, tmp_path):
    library = Library(annotated)
    moved = tmp_path / "moved" / "renamed.mp4"
    moved.parent.mkdir()
    here = shutil.copy(film, tmp_path / "here.mp4")
    record = library.store.record("film")
    library.store.put_record(replace(record, video=replace(record.video, path=str(here))))
    Path(here).rename(moved)
    assert [fact["missing"] for fact in library.facts()] == [True]
    decoy = tmp_path / "moved" / "decoy.mp4"
    decoy.write_bytes(bytes(moved.stat().st_size))
    (found,), lost = relink(library, moved.parent)
    assert (found.video, found.now, lost) == ("film", str(moved), [])
    assert [fact["missing"] for fact in library.facts()] == [False]
    assert list(library.annotations("film")) == ["ann"]
    assert library.stories("film", annotator="ann")


def test_the_same_film_twice_is_pointed_out(folder, tmp_path):
    library = Library(folder)
    assert "same_film" not in library.facts()[0]
    record = library.store.record("film")
    library.store.add_record(replace(record, video=replace(record.video, id="copy", path="b.mp4")))
    assert [fact["same_film"] for fact in library.facts()] == [["film"], ["copy"]]


def test_add_again_once_stopped_leaves_the_old_version_readable(annotated, film):
    library = Library(annotated)
    before, hits = library.stories("film"), library.search("whale")

    def stop_late(step: Step) -> None:
        if step.stage == "vision":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        library.add(film, again=True, report=stop_late)
    again = Library(annotated)
    assert [fact["state"] for fact in again.facts()] == ["ready"]
    assert again.stories("film") == before
    assert again.search("whale") == hits
    again.add(film)
    assert again.stories("film") == before


def test_a_library_that_cannot_be_written_is_read(indexed):
    """A process of a user who may only read lists, searches and exports."""
    if os.getuid() != 0:
        pytest.skip("only root can become somebody who may not write")
    home = Path(tempfile.mkdtemp())
    home.chmod(0o755)
    folder = shutil.copytree(indexed, home / "library")
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)

    def read(folder):
        library = Library(folder)
        assert [fact["state"] for fact in library.facts()] == ["ready"]
        assert library.stories("film")
        assert library.search("whale") is not None
        library.picture("film", 1.25).read_bytes()
        return find_format("webvtt").write(library.timeline("film"))[:6]

    read(shutil.copytree(indexed, home / "other"))  # Import all modules before the fork.
    receiver, sender = os.pipe()
    reader = os.fork()
    if reader == 0:
        try:
            os.environ["STORYSCOPE_CACHE"] = str(home / "cache")
            os.setgid(65534)
            os.setuid(65534)
            assert not os.access(folder, os.W_OK)
            os.write(sender, read(folder).encode())
        except BaseException:
            os.write(sender, traceback.format_exc().encode())
        finally:
            os._exit(0)
    os.close(sender)
    with open(receiver) as answer:
        assert answer.read() == "WEBVTT"
    os.waitpid(reader, 0)
    shutil.rmtree(home)


def test_choices_are_json_that_a_person_can_repair(folder):
    library = Library(folder)
    library.prefer_thumbnail(library.stories("film")[0], 1.0)
    assert json.loads((folder / "thumbnails.json").read_text())[0]["video"] == "film"
    with pytest.raises(MediaError):
        library.add(folder / "thumbnails.json")
