"""The index is always up to date with the library, for any writer and location."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from storyscope.config import Config
from storyscope.core import Passages, Span, Story, Video
from storyscope.errors import LibraryError
from storyscope.search import index_files
from storyscope.search.index_files import SEGMENTS, LibraryIndex
from storyscope.search.query import QueryVectors
from storyscope.store import PASSAGES, TITLES, SqliteStore, VideoRecord

CLASS_VECTORS = np.random.default_rng(1).normal(size=(30, 8)).astype(np.float32)
QUERY = QueryVectors(np.full(8, 8**-0.5, np.float32))


@pytest.fixture(autouse=True)
def small_models(monkeypatch):
    monkeypatch.setattr(index_files, "load_text_model", lambda name: None)
    monkeypatch.setattr(index_files, "embed_classes", lambda model, names: CLASS_VECTORS)
    monkeypatch.setattr(index_files, "VIDEOS_PER_FILE", 3)


def put(store, name, seed=0):
    """A video of two stories, with a passage in each."""
    video = Video(name, f"/{name}.mp4", name, 20.0, 500, 25.0, 64, 36, True)
    chance = np.random.default_rng([seed, *name.encode()])
    passages = Passages(
        texts=("a word", "another word"),
        spans=np.array([[0.0, 5.0], [10.0, 15.0]]),
        text_vectors=chance.normal(size=(2, 8)).astype(np.float16),
        seconds=np.array([1.0, 11.0]),
        shots=np.arange(2, dtype=np.int32),
        classes=np.tile(np.arange(10, dtype=np.uint16), (2, 1)),
        shares=np.full((2, 10), 0.1, np.float16),
    )
    stories = tuple(
        Story(f"{name}/{n}", name, range(n, n + 1), Span(10.0 * n, 10.0 * n + 10)) for n in range(2)
    )
    store.put_record(VideoRecord(video, "indexing", 0, 0))
    store.save(name, PASSAGES, f"{seed}", passages)
    store.save(name, TITLES, f"{seed}", stories)
    store.put_record(VideoRecord(video, "ready", 0, 0))


def contents(library):
    """Every story with its score and the words found in it."""
    index = library.up_to_date()
    scores = index.score(QUERY)
    shares = index.passages.term_shares([np.array([], np.int64), np.arange(0, 1000)])
    spoken = index.passages.best_per_story(shares, index.story_count, on_screen=False)
    return {
        index.locate(n): (round(float(scores.best_window[n]), 4), float(spoken[n]))
        for n in np.flatnonzero(index.current()).tolist()
    }


def opened(store):
    return LibraryIndex(store, Config(), store.folder)


def files(store):
    return sorted((store.folder / SEGMENTS).glob("*"))


def test_a_new_process_finds_the_same_in_files(tmp_path):
    store = SqliteStore(tmp_path)
    for number in range(13):
        put(store, f"video{number:02}")
    first = contents(opened(store))
    assert len(first) == 26
    assert len(files(store)) == 4
    loads = []
    store.load = lambda *stage: loads.append(stage) or SqliteStore.load(store, *stage)
    assert list(contents(opened(store)).items()) == list(first.items())
    assert {video for video, _ in loads} == {"video12"}
    assert contents(LibraryIndex(store, Config(), None)) == first


def test_changes_are_seen_at_once_whoever_made_them(tmp_path):
    store, other = SqliteStore(tmp_path), SqliteStore(tmp_path)
    for number in range(4):
        put(store, f"video{number}")
    library = opened(store)
    before = contents(library)
    put(other, "video1", seed=5)
    other.remove("video2")
    put(store, "new")
    after = contents(library)
    assert after == contents(LibraryIndex(store, Config(), None))
    assert after["video1", 0] != before["video1", 0]
    assert {video for video, _ in after} == {"new", "video0", "video1", "video3"}
    assert contents(opened(store)) == after


def test_a_new_video_is_found_where_an_old_one_was_filed(tmp_path):
    store = SqliteStore(tmp_path)
    put(store, "film")
    library = opened(store)
    before = contents(library)
    store.remove("film")
    put(store, "another")
    put(store, "film", seed=5)
    assert store.text.addresses()["another"] == range(1, 3)
    after = contents(library)
    assert after == contents(LibraryIndex(store, Config(), None))
    assert {spoken for _, spoken in after.values()} == {spoken for _, spoken in before.values()}


def test_a_video_that_cannot_be_read_is_named(tmp_path):
    store = SqliteStore(tmp_path)
    put(store, "video0")
    (array_file,) = (tmp_path / "arrays/video0").iterdir()
    array_file.write_bytes(b"")
    with pytest.raises(LibraryError, match="video0's passages cannot be read"):
        opened(store).up_to_date()


def test_another_thread_sees_what_this_one_wrote(tmp_path):
    store = SqliteStore(tmp_path)
    put(store, "video0")
    library = opened(store)
    with ThreadPoolExecutor(1) as thread:
        assert len(thread.submit(contents, library).result()) == 2
        put(store, "video1")
        assert len(thread.submit(contents, library).result()) == 4
        assert len(contents(library)) == 4


def test_what_is_changed_again_and_again_leaves_nothing_behind(tmp_path):
    store = SqliteStore(tmp_path)
    put(store, "video0")
    put(store, "video1")
    library = opened(store)
    for seed in range(1, 20):
        put(store, "video1", seed)
        assert contents(library) == contents(LibraryIndex(store, Config(), None))
        assert library.up_to_date().story_count <= 2 * (2 * 2 + 1)
    assert not files(store)


def test_old_files_are_deleted(tmp_path):
    store = SqliteStore(tmp_path)
    for number in range(3):
        put(store, f"video{number}")
    contents(opened(store))
    (old,) = files(store)
    for number in range(2):
        put(store, f"video{number}", seed=9)
    damaged = old.with_name("damaged.segment")
    damaged.write_bytes(b"no segment")
    assert contents(opened(store)) == contents(LibraryIndex(store, Config(), None))
    assert old not in files(store)
    assert damaged not in files(store)


def test_incomplete_files_of_a_killed_process_are_deleted(tmp_path):
    store = SqliteStore(tmp_path)
    put(store, "video0")
    left, being_written = (tmp_path / SEGMENTS / f".part-{name}" for name in ("old", "new"))
    left.parent.mkdir()
    left.write_bytes(b"half")
    being_written.write_bytes(b"half")
    os.utime(left, (0, 0))
    assert len(contents(opened(store))) == 2
    assert files(store) == [being_written]


def test_a_library_that_cannot_be_written_is_searched(tmp_path):
    store = SqliteStore(tmp_path)
    for number in range(4):
        put(store, f"video{number}")
    (tmp_path / SEGMENTS).write_text("a file where the folder would be")
    assert len(contents(opened(store))) == 8
