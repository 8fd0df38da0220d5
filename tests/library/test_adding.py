"""The library stays consistent whatever happens while a video is added."""

import re
import shutil
import threading
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope.core import Annotation, Video
from storyscope.errors import LibraryError, TranscriptError
from storyscope.library import Library, adding
from storyscope.library.adding import plain_name
from storyscope.stages import indexing as stages
from storyscope.store import PASSAGES, Artefact, SqliteStore, VideoRecord


@pytest.fixture
def library(indexed, tmp_path):
    """A library of one small film, ready."""
    return Library(shutil.copytree(indexed, tmp_path / "library"))


def record(name, path):
    return VideoRecord(Video(name, path, "d", 1.0, 24, 24.0, 64, 36, False), "indexing", 1, 1)


def test_films_of_one_name_added_at_once_are_all_kept(tmp_path):
    folder, many = tmp_path / "library", 8
    start = threading.Barrier(many, timeout=60)
    names = []

    def add(number):
        store = SqliteStore(folder)
        start.wait()
        names.append(store.add_record(record("film", f"/{number}/film.mp4")).video.id)
        store.close()

    threads = [threading.Thread(target=add, args=(number,)) for number in range(many)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(names) == ["film", *(f"film-{number}" for number in range(2, many + 1))]
    assert len(SqliteStore(folder).records()) == many


def test_a_file_that_another_process_has_added_is_left_unchanged(tmp_path):
    store = SqliteStore(tmp_path)
    first = store.add_record(record("film", "/film.mp4"))
    store.put_record(first.failed("no sound"))
    assert store.add_record(record("film", "/film.mp4")).failure == "no sound"


def test_only_one_process_indexes_a_video(library, film):
    with (
        library.store.busy("film"),
        pytest.raises(LibraryError, match="being indexed by another process"),
    ):
        library.add(film)
    assert library.add(film).id == "film"


def test_checking_whether_a_video_is_being_indexed_does_not_block_indexing(library, film):
    looks, looked = threading.Event(), threading.Event()

    def look():
        with library.store.busy("film", patience=0):
            looks.set()
            looked.wait(0.1)

    thread = threading.Thread(target=look)
    thread.start()
    looks.wait()
    assert library.add(film).id == "film"
    thread.join()


@pytest.mark.parametrize("content", [None, "not a transcript of any kind"])
def test_a_transcript_that_cannot_be_read_changes_nothing(library, film, tmp_path, content):
    words = tmp_path / "words.srt"
    if content is not None:
        words.write_text(content)
    before = library.facts(), library.stories("film")
    with pytest.raises(TranscriptError):
        library.add(film, transcript=words)
    assert (library.facts(), library.stories("film")) == before
    library.add(film)
    assert (library.facts(), library.stories("film")) == before


def test_a_video_stays_readable_while_its_stages_are_recomputed(library, film, monkeypatch):
    before = library.stories("film")

    def killed(*_, **__):
        assert [video["state"] for video in library.facts()] == ["ready"]
        assert library.stories("film") == before
        raise SystemExit

    monkeypatch.setattr(adding, "index_video", killed)
    with pytest.raises(SystemExit):
        library.add(film, again=True)
    assert [video["state"] for video in library.facts()] == ["ready"]
    assert library.stories("film") == before


def test_a_setting_that_fails_late_leaves_no_mixture(library, film, monkeypatch):
    def fail(source, config, execute):
        other = replace(stages.SCAN_FILM, version=99, run=lambda *_, **__: (1,))
        execute(other, source.film, settings=config.media)
        raise LibraryError("the network is gone")

    monkeypatch.setattr(adding, "index_video", fail)
    with pytest.raises(LibraryError, match="network"):
        library.add(film)
    assert library.facts()[0]["state"] == "failed"


def test_removing_a_video_removes_its_chosen_pictures(library, film):
    story = library.stories("film")[0]
    library.prefer_thumbnail(story, story.span.middle)
    assert library.thumbnail("film", story).because == "a person prefers it"
    library.remove("film")
    library.add(film)
    assert library.thumbnail("film", library.stories("film")[0]).because != "a person prefers it"


def test_a_removed_video_leaves_no_file_behind(film, tmp_path):
    library = Library(tmp_path / "library")
    before = set(library.folder.rglob("*"))
    library.add(film)
    library.picture("film", 1.0)
    library.remove("film")
    assert library.facts() == []
    left = {path for path in library.folder.rglob("*") if path.is_file()} - before
    assert left <= {library.folder / "thumbnails.lock"}


def test_pictures_of_an_earlier_scan_are_gone(library, film):
    library.write_thumbnails("film")
    old = library.picture("film", 1.0)
    library.with_settings(["media.picture_height=128"]).add(film)
    new = library.picture("film", 1.0)
    assert new != old
    assert list(new.parent.iterdir()) == [new]


def test_limits_and_threads_do_not_invalidate_a_film(library, film):
    steps = []
    busier = library.with_settings(["media.decoder_threads=2", "media.max_memory_mb=1024"])
    busier.add(film, report=steps.append)
    assert not [step for step in steps if step.done == 0]


def test_a_story_inside_one_shot_shows_that_shot(library):
    first = library.shots("film")[0].span
    starts = (0.0, first.end / 4, first.end / 3)
    library.annotate("film", Annotation("ann", starts, library.video("film").duration))
    assert [story.shots.start for story in library.stories("film", annotator="ann")] == [0, 0, 0]
    assert all(len(story.shots) for story in library.stories("film", annotator="ann"))


def test_words_filed_again_are_still_found_by_a_running_search(library):
    assert library.search("camel")
    other = Library(library.folder)
    passages, key = other.store.load("film", PASSAGES), other.store.key("film", PASSAGES)
    other.store.save("film", Artefact("other"), "k", (1, 2))
    other.store.save("film", PASSAGES, key, passages)
    assert library.search("camel")[0].parts == Library(library.folder).search("camel")[0].parts


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("My Film (1).mp4", "my-film-1"),
        ("Straße der Bücher.mkv", "strasse-der-bucher"),
        ("Ærø & Łódź.mp4", "aero-lodz"),
        ("映画.mp4", "video-d626ec"),
        ("映画 2.mp4", "2-9512fb"),
        ("Привет.mp4", "video-dd679c"),
        ("!!!.mp4", "video"),
    ],
)
def test_names_in_any_script_make_plain_ids(file, name):
    assert plain_name(Path(file)) == name


@given(st.text(min_size=1))
def test_an_id_is_plain_and_does_not_depend_on_how_accents_are_coded(stem):
    name = plain_name(Path(f"{stem.replace('/', '-')}.mp4"))
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert len(name) <= 67
    composed, apart = (unicodedata.normalize(form, "Crème brûlée 映画") for form in ("NFC", "NFD"))
    assert plain_name(Path(composed)) == plain_name(Path(apart))


def test_a_file_is_the_same_under_any_spelling_of_its_path(library, film, monkeypatch):
    monkeypatch.chdir(film.parent)
    for spelling in (film.name, f"./{film.name}", f"../{film.parent.name}/{film.name}"):
        assert library.add(spelling).id == "film"
    assert len(library.facts()) == 1


def test_interrupting_prints_how_to_continue_and_the_video_resumes(film, tmp_path):
    library = Library(tmp_path / "library")

    def stop(step):
        if step.stage == "vision":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        library.add(film, report=stop)
    (facts,) = library.facts()
    assert (facts["state"], facts["failure"]) == ("stopped", adding.STOPPED)
    stages, states = [], set()

    def follow(step):
        states.add(library.facts()[0]["state"])
        if step.done == 0:
            stages.append(step.stage)

    library.add(film, report=follow)
    assert "scan" not in stages
    assert states == {"indexing"}
    assert library.facts()[0]["state"] == "ready"


def test_a_ready_video_stays_ready_when_a_person_stops_before_anything_changed(library, film):
    def stop(step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        library.add(film, report=stop)
    assert library.facts()[0]["state"] == "ready"


def test_stages_without_their_part_are_not_reported(film, tmp_path, monkeypatch):
    monkeypatch.setattr(stages, "find_spec", lambda name: None)
    seen = set()
    Library(tmp_path / "library").add(film, report=lambda step: seen.add(step.stage))
    assert {"scan", "vision", "stories"} <= seen
    assert not {"screen", "mined", "concepts"} & seen


def test_removing_deletes_the_library_s_own_copy_and_no_file_of_a_person(library, film):
    folder = library.uploads / "0f"
    folder.mkdir(parents=True)
    copy, words = folder / "copy.mp4", folder / "copy.srt"
    shutil.copy(film, copy)
    words.write_text("1\n00:00:00,000 --> 00:00:01,000\nhello\n")
    video = library.add(copy, transcript=words).id
    library.remove(video)
    library.remove("film")
    assert list(library.uploads.iterdir()) == []
    assert film.exists()


def test_an_unexpected_error_is_stored_with_its_reason(film, tmp_path, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("division by zero")

    library = Library(tmp_path / "library")
    monkeypatch.setattr(adding, "index_video", fail)
    with pytest.raises(LibraryError, match="ZeroDivisionError: division by zero"):
        library.add(film)
    (facts,) = library.facts()
    assert facts["state"] == "failed"
    assert facts["failure"].endswith("could not be indexed: ZeroDivisionError: division by zero")
