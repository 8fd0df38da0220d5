"""The library on disk stays consistent with its database, whatever happens."""

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from passages import passages
from storyscope.core import (
    Film,
    Keyframes,
    Video,
)
from storyscope.errors import LibraryError
from storyscope.store import PASSAGES, SCAN, Artefact, SqliteStore, TextQuery, VideoRecord, sqlite
from storyscope.store.codec import pack, unpack
from storyscope.store.explaining import explained
from storyscope.store.migrations import MIGRATIONS

AUDIO, HUE = Artefact("audio"), Artefact("hue")

FILM = Video("film", "/films/film.mp4", "d1", 12.5, 300, 24.0, 640, 360, True)
RECORD = VideoRecord(FILM, "indexing", size=10, modified_ns=20)


@pytest.fixture
def store(tmp_path):
    store = SqliteStore(tmp_path / "library")
    store.put_record(RECORD)
    yield store
    store.close()


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text() | st.floats(-1e9, 1e9),
    lambda inner: (
        st.lists(inner, max_size=4).map(tuple) | st.dictionaries(st.text(), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(plain)
def test_plain_artefacts_come_back_as_they_were(artefact):
    facts, arrays = pack(artefact)
    assert unpack(facts, arrays) == artefact
    assert arrays == {}


def test_a_record_of_no_core_type_is_refused():
    @dataclass
    class Stranger:
        x: int

    with pytest.raises(TypeError, match="not a core type"):
        pack(Stranger(1))


def test_a_record_of_an_older_version_is_refused_by_name():
    facts = '{"@record": "Span", "start": 0.0, "finish": 1.0}'
    with pytest.raises(LibraryError, match="Span of an older version"):
        unpack(facts, {})


def test_a_newer_artefact_replaces_the_older_and_its_file(store):
    store.save("film", AUDIO, "one", np.arange(3))
    store.save("film", AUDIO, "two", np.arange(5))
    assert store.key("film", AUDIO) == "two"
    assert store.load("film", AUDIO).tolist() == [0, 1, 2, 3, 4]
    assert len(list((store.folder / "arrays/film").iterdir())) == 1


def test_removing_a_video_leaves_nothing_behind(store):
    store.save("film", AUDIO, "one", np.arange(3))
    store.put_annotation("film", "ann", "{}")
    store.remove("film")
    assert store.records() == []
    assert store.annotations("film") == {}
    assert list((store.folder / "arrays").iterdir()) == []


def test_a_save_that_fails_half_way_keeps_the_older_artefact(store, monkeypatch):
    store.save("film", AUDIO, "one", np.arange(3))

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LibraryError, match="is full"):
        store.save("film", AUDIO, "two", np.arange(5))
    assert store.load("film", AUDIO).tolist() == [0, 1, 2]
    assert len(list((store.folder / "arrays/film").iterdir())) == 1


def test_others_write_while_large_arrays_are_written_and_do_not_sweep_them(store, monkeypatch):
    other, write = SqliteStore(store.folder), sqlite.serialized

    def meanwhile(arrays):
        monkeypatch.undo()
        for piece in write(arrays):
            other.save("film", HUE, "one", np.arange(2))
            yield piece

    other._connection.execute("PRAGMA busy_timeout = 0")
    monkeypatch.setattr(sqlite, "serialized", meanwhile)
    store.save("film", AUDIO, "one", np.arange(3))
    assert store.load("film", AUDIO).tolist() == [0, 1, 2]
    assert store.load("film", HUE).tolist() == [0, 1]


def test_sweeping_waits_for_a_file_that_is_about_to_be_named(store, monkeypatch):
    other, file_words = SqliteStore(store.folder), sqlite.file_words
    sweeping = threading.Thread(target=other._sweep, args=("film",))

    def meanwhile(*words):
        sweeping.start()
        sweeping.join(0.3)
        file_words(*words)

    monkeypatch.setattr(sqlite, "file_words", meanwhile)
    store.save("film", PASSAGES, "one", passages("The whales were singing"))
    sweeping.join()
    assert store.load("film", PASSAGES).texts == ("The whales were singing",)


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
def test_what_a_killed_save_left_is_swept_once_nobody_can_be_writing_it(store):
    script = (
        "import os, signal, sys\n"
        "import numpy as np\n"
        "from pathlib import Path\n"
        "from storyscope.store import Artefact, SqliteStore\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "SqliteStore(Path(sys.argv[1])).save('film', Artefact('audio'), 'one', np.arange(3))\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(store.folder)], check=False)
    assert done.returncode == -9
    (left,) = (path for path in (store.folder / "arrays").rglob("*") if path.is_file())
    store.save("film", AUDIO, "one", np.arange(3))
    assert left.exists()
    os.utime(left, (0, 0))
    store.save("film", AUDIO, "two", np.arange(3))
    assert len([path for path in (store.folder / "arrays").rglob("*") if path.is_file()]) == 1
    assert store.load("film", AUDIO).tolist() == [0, 1, 2]


def test_an_artefact_that_is_replaced_under_the_same_key_stays_when_that_fails(store):
    store.save("film", AUDIO, "one", np.arange(3))
    with store.transaction() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(LibraryError, match="is full"):
        store.save("film", AUDIO, "one", (np.arange(5), "x" * 100_000))
    assert store.load("film", AUDIO).tolist() == [0, 1, 2]
    store.save("film", AUDIO, "one", np.arange(5))
    assert store.load("film", AUDIO).tolist() == [0, 1, 2, 3, 4]
    assert len(list((store.folder / "arrays/film").iterdir())) == 1


def test_a_video_is_removed_and_added_again_where_open_files_cannot_be_deleted(store, monkeypatch):
    def held(path, missing_ok=False):
        raise PermissionError(errno.EACCES, "The process cannot access the file")

    store.save("film", AUDIO, "one", np.arange(3))
    monkeypatch.setattr(Path, "unlink", held)
    store.remove("film")
    assert store.records() == []
    store.put_record(RECORD)
    store.save("film", AUDIO, "one", np.arange(5))
    monkeypatch.undo()
    assert store.load("film", AUDIO).tolist() == [0, 1, 2, 3, 4]
    store.save("film", AUDIO, "two", np.arange(5))
    assert len(list((store.folder / "arrays/film").iterdir())) == 1


def test_a_database_that_may_not_grow_says_the_disk_is_full(store):
    with store.transaction() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(LibraryError, match="is full"):
        store.put_annotation("film", "ann", "x" * 100_000)
    assert store.annotations("film") == {}


def test_no_room_for_even_the_database_is_a_full_disk(tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)._replace(free=4096)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage)
    with pytest.raises(LibraryError, match="is full"), explained(tmp_path):
        raise sqlite3.OperationalError("disk I/O error")


def test_readers_see_the_last_finished_write_while_another_is_under_way(store):
    with store.transaction() as connection:
        connection.execute("UPDATE video SET state = 'ready'")
        seen = []
        reader = threading.Thread(target=lambda: seen.append(store.record("film").state))
        reader.start()
        reader.join()
    assert seen == ["indexing"]
    assert store.record("film").state == "ready"


def test_a_process_killed_inside_a_transaction_changes_nothing(store):
    script = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from storyscope.store import SqliteStore\n"
        "store = SqliteStore(Path(sys.argv[1]))\n"
        "with store.transaction() as c:\n"
        "    c.execute(\"UPDATE video SET state = 'ready'\")\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(store.folder)], check=False)
    assert done.returncode == -9
    assert store.record("film").state == "indexing"


def test_a_library_of_a_newer_version_is_refused(tmp_path):
    SqliteStore(tmp_path).close()
    with sqlite3.connect(tmp_path / "library.sqlite") as connection:
        connection.execute("PRAGMA user_version = 999")
    with pytest.raises(LibraryError, match="newer Storyscope"):
        SqliteStore(tmp_path)


def test_a_library_that_another_process_is_making_is_opened_when_it_is_made(tmp_path):
    database = tmp_path / "library.sqlite"
    maker = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
    maker.execute("CREATE TABLE half (made)")
    maker.execute("BEGIN IMMEDIATE")
    made = threading.Timer(0.2, lambda: maker.execute("ROLLBACK"))
    made.start()
    assert SqliteStore(tmp_path).records() == []
    made.join()


def test_a_database_that_is_none_is_refused_by_name(tmp_path):
    (tmp_path / "library.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(LibraryError, match="cannot be used"):
        SqliteStore(tmp_path)


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "library").write_text("I am a file")
    with pytest.raises(LibraryError, match="cannot be used"):
        SqliteStore(tmp_path / "library")


def test_damaged_arrays_are_named(store):
    store.save("film", AUDIO, "one", np.arange(3))
    (file,) = (store.folder / "arrays/film").iterdir()
    file.write_bytes(b"rubbish")
    with pytest.raises(LibraryError, match="film's audio cannot be read"):
        store.load("film", AUDIO)


def test_an_older_library_knows_where_its_words_are(tmp_path):
    connection = sqlite3.connect(tmp_path / "library.sqlite")
    for step in MIGRATIONS[:2]:
        connection.executescript(step)
    rows = [("whales", "film"), ("sing", "film"), ("camels", "other")]
    connection.executemany("INSERT INTO said VALUES (?, ?, 0.0, 1.0, 'said')", rows)
    connection.execute("PRAGMA user_version = 2")
    connection.commit()
    connection.close()
    store = SqliteStore(tmp_path)
    assert store.text.addresses() == {"film": range(1, 3), "other": range(3, 4)}
    store.put_record(RECORD)
    store.remove("film")
    assert not len(store.text.find(TextQuery(("whale",))))
    assert len(store.text.find(TextQuery(("camel",)))) == 1
    store.close()


def test_a_picture_is_found_while_its_film_is_scanned_again(store):
    opened, other = store._open_arrays, SqliteStore(store.folder)

    def scan(key, picture):
        keyframes = Keyframes(np.zeros(1, np.int32), np.zeros(1, int), np.zeros(1), (picture,))
        other.save("film", SCAN, key, Film((), keyframes, None))

    def too_late(file):
        store._open_arrays = opened
        scan("two", b"new")
        return opened(file)

    scan("one", b"old")
    store._open_arrays = too_late
    assert store.load_picture("film", 0.0) == (0, b"new", "two")


def test_a_damaged_database_is_named_in_one_line(store, tmp_path):
    store.close()
    database = tmp_path / "library" / "library.sqlite"
    database.write_bytes(b"not a database" * 1000)
    with pytest.raises(LibraryError, match="cannot be used"):
        SqliteStore(tmp_path / "library").records()
