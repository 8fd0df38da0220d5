"""Features of the PostgreSQL store only: addresses, many machines, lost connections."""

import json
import os
import pickle
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from passages import passages
from storyscope import Library
from storyscope.core import Video
from storyscope.errors import DamagedVideo, LibraryError, MissingDependency, VideoBusy
from storyscope.store import PASSAGES, Artefact, PostgresStore, SqliteStore, TextQuery, VideoRecord
from storyscope.store.postgres_address import parse_address
from storyscope.store.postgres_connection import reason_of
from storyscope.store.postgres_migrations import MIGRATIONS
from storyscope.store.postgres_vectors import _narrower
from waiting import wait_until

AUDIO = Artefact("audio")
RECORD = VideoRecord(Video("film", "/f.mp4", "d", 1.0, 24, 24.0, 64, 36, True), "ready", 1, 2)


@pytest.fixture
def store(postgres, tmp_path):
    store = PostgresStore(postgres.address(tmp_path))
    store.put_record(RECORD)
    yield store
    store.close()


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (
            "postgresql://ann:secret@host:5433/films?arrays=s3://bucket/some",
            "postgresql://ann@host:5433/films?arrays=s3://bucket/some",
        ),
        (
            "postgres:/ann@host/films?arrays=s3:/bucket/some&sslmode=require",
            "postgresql://ann@host/films?sslmode=require&arrays=s3://bucket/some",
        ),
        (
            "postgresql://ann@/films?host=/run/pg&password=secret&arrays=/shared&schema=news",
            "postgresql://ann@/films?host=/run/pg&arrays=/shared&schema=news",
        ),
    ],
)
def test_an_address_is_shown_without_its_password_and_opens_the_same_library(written, shown):
    address = parse_address(written)
    assert address.shown == shown
    assert parse_address(shown).shown == shown
    assert "secret" not in address.server
    assert address.password == ("secret" if "secret" in written else "")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("postgresql://host/films", "does not say where its arrays are"),
        ("postgresql://host/films?arrays=/a&schema=A-B", "not a plain name"),
        (
            "postgresql://ann:secret@127.0.0.1:1/films?arrays=/tmp/a",
            "cannot be reached: .*check the address",
        ),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_in_one_line(address, words, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", "")
    with pytest.raises(LibraryError, match=words) as refusal:
        Library(address)
    assert "secret" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("state", "said", "words"),
    [
        ("0A000", 'extension "vector" is not available', "apt install postgresql-17-pgvector"),
        (
            "42501",
            "permission denied for secret",
            r"\*\*\*; ask its owner to run `CREATE EXTENSION",
        ),
        ("53300", "too many clients already", "raise its max_connections"),
        ("53100", "could not extend file", "is full; free some space"),
        (None, 'FATAL: database "films" does not exist', "create it with `createdb films`"),
        ("28P01", "password authentication failed", "cannot be reached: password authentication"),
    ],
)
def test_what_a_server_refuses_is_explained_without_the_password(state, said, words):
    address = parse_address("postgresql://ann:secret@host/films?arrays=/a")
    error = type("Refused", (Exception,), {"sqlstate": state})(said)
    assert re.search(words, reason_of(error, address))
    assert "secret" not in reason_of(error, address)


def test_without_the_extra_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg_pool", None)
    with pytest.raises(MissingDependency, match=r"storyscope\[cluster\]"):
        PostgresStore("postgresql://host/films?arrays=/a")


def test_a_folder_needs_none_of_it(tmp_path):
    code = (
        "import sys; from storyscope import Library; Library(sys.argv[1]).videos();"
        "print([m for m in ('psycopg', 'obstore', 'distributed') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_settings_of_a_folder_may_name_the_library(store, tmp_path):
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "storyscope.toml").write_text(f'library = "{store.place}"\n')
    library = Library(folder)
    assert library.place == store.place
    assert [record.video.id for record in library.videos()] == ["film"]
    library.store.close()


def test_many_that_start_at_once_make_one_library(postgres, tmp_path):
    address, failures, stores = postgres.address(tmp_path), [], []

    def start():
        try:
            stores.append(PostgresStore(address))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    steps = stores[0].database.ask("SELECT version FROM migration ORDER BY version")
    assert [row["version"] for row in steps] == list(range(1, len(MIGRATIONS) + 1))
    for store in stores:
        store.close()


def test_settings_beside_the_name_of_a_library_are_refused(store, tmp_path):
    text = f'library = "{store.place}"\n[stories]\nabout = 5\n'
    (tmp_path / "storyscope.toml").write_text(text)
    with pytest.raises(LibraryError, match=r"leave stories out of the file .*storyscope config"):
        Library(tmp_path)


def test_a_library_of_a_newer_version_is_refused(store):
    store.database.write(lambda c: c.execute("INSERT INTO migration VALUES (99)"))
    with pytest.raises(LibraryError, match=r"newer Storyscope .*pip install -U"):
        PostgresStore(store.place)


def test_a_cut_connection_is_replaced_and_nothing_is_lost(store, postgres):
    store.save("film", AUDIO, "one", np.arange(3))
    with store.busy("film"):
        postgres.cut_connections()
        assert store.load("film", AUDIO).tolist() == [0, 1, 2]
        postgres.cut_connections()
        store.save("film", AUDIO, "two", np.arange(4))
    assert store.key("film", AUDIO) == "two"
    with PostgresStore(store.place).busy("film", patience=0):
        pass


def test_a_server_that_is_killed_in_the_middle_of_saves_loses_none(store, postgres):
    saved, failures, over = [], [], threading.Event()

    def save():
        number = 0
        while not over.is_set():
            number += 1
            try:
                store.save("film", Artefact(f"stage{number}"), "one", np.arange(number))
                saved.append(number)
            except LibraryError as error:
                failures.append(error)

    saving = threading.Thread(target=save, daemon=True)
    saving.start()
    wait_until(lambda: len(saved) > 5)
    postgres.kill()
    before = len(saved)
    postgres.start_again()
    wait_until(lambda: len(saved) > before + 5)
    over.set()
    saving.join()
    assert failures == []
    for number in saved:
        assert store.load("film", Artefact(f"stage{number}")).tolist() == list(range(number))


def test_a_lock_dies_with_its_process(store):
    code = (
        "import os, sys; from storyscope.store import PostgresStore\n"
        "with PostgresStore(sys.argv[1]).busy('film'): print(flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, store.place],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert other.stdout.readline()
    with pytest.raises(VideoBusy), store.busy("film", patience=0):
        pass
    other.kill()
    other.wait()
    with store.busy("film", patience=5):
        pass


def test_a_copy_in_another_process_carries_no_password(store, monkeypatch):
    secret = store.place.replace("postgres@", "postgres:secret@")
    monkeypatch.setenv("PGPASSWORD", "")
    other = PostgresStore(secret)
    assert b"secret" not in pickle.dumps(other)
    assert "secret" not in other.place
    assert os.environ["PGPASSWORD"] == "secret"
    other.close()


def test_equal_arrays_share_a_file_that_is_verified_when_read(store):
    other = VideoRecord(Video("b", "/b.mp4", "d", 1.0, 24, 24.0, 64, 36, True), "ready", 1, 2)
    store.put_record(other)
    store.save("film", AUDIO, "one", np.arange(300))
    store.save("b", AUDIO, "one", np.arange(300))
    ((name, _),) = store.arrays.names()
    path = store.arrays._path(name)
    damaged = bytearray(path.read_bytes())
    damaged[-1] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(DamagedVideo, match="has been changed since it was written"):
        store.load("b", AUDIO)


def test_full_text_search_answers_as_a_folder_does(store, tmp_path):
    texts = (
        "The generously organised universities were running, generating relations",
        "Whales' songs: naïve café owners don't mind O'Neil's re-entry at 3.5 km",
        "映画 の 物語 and Straße, ŒUVRE, ﬁne İstanbul \\ 'quoted' \"words\"",
        "flies dying skis news the of and",
    )
    folder = SqliteStore(tmp_path / "folder")
    folder.put_record(RECORD)
    for each in (store, folder):
        each.save("film", PASSAGES, "one", passages(*texts))
    words = sorted({word for text in texts for word in text.split()})
    pairs = [" ".join(text.split()[n : n + 2]) for text in texts for n in range(3)]
    queries = [TextQuery((term,)) for term in [*words, *pairs]]
    queries += [TextQuery((word[:3],), prefix=True) for word in words]
    for query in queries:
        found, wanted = (
            each.text.find(query) - each.text.addresses()["film"].start for each in (store, folder)
        )
        assert found.tolist() == wanted.tolist(), query
    assert store.text.vocabulary("") == folder.text.vocabulary("")
    assert any(len(store.text.find(query)) for query in queries)


def test_unused_arrays_are_collected_after_a_day_and_used_ones_never(store):
    store.save("film", AUDIO, "one", np.arange(300))
    store.save("film", AUDIO, "two", np.arange(400))
    (used,) = store.files("film").values()
    assert store.collect() == 0
    assert store.collect(older_than=-1) == 1
    assert [name for name, _ in store.arrays.names()] == [used]


def test_arrays_that_were_collected_while_they_were_saved_are_written_again(store, monkeypatch):
    put = store.arrays.put
    puts = []

    def put_and_lose(arrays):
        puts.append(put(arrays))
        if len(puts) == 1:
            assert store.collect(older_than=-1) == 1
        return puts[-1]

    monkeypatch.setattr(store.arrays, "put", put_and_lose)
    store.save("film", AUDIO, "one", np.arange(300))
    assert len(puts) == 2
    assert store.load("film", AUDIO).tolist() == list(range(300))


def test_the_list_says_how_far_a_cluster_is(store, capsys):
    from storyscope.cli.list import list as list_videos

    job = {"name": "a.mp4", "state": "indexing", "stage": "vision", "fraction": 0.4}
    store.jobs.add(json.dumps(job))
    for _ in range(2):
        store.jobs.add(json.dumps(job | {"state": "waiting", "stage": ""}))
    list_videos(Path(store.place))
    said = capsys.readouterr().err
    assert "a.mp4: analysing keyframes, 40%" in said
    assert "2 videos wait to be indexed" in said


def test_a_learned_model_makes_the_same_artefacts_on_every_machine(store, tmp_path, monkeypatch):
    from storyscope.config import StoryConfig
    from storyscope.stages.executor import LocalExecutor, Stage

    store.put_document("model.npz", b"learned")
    stage = Stage(AUDIO, 1, lambda settings, report: 1)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another"))
    other = PostgresStore(store.place)
    assert other.folder != store.folder
    keys = [
        LocalExecutor(each, "film")(
            stage, settings=StoryConfig(model=str(each.document("model.npz").resolve()))
        ).key
        for each in (store, other)
    ]
    assert keys[0] == keys[1]
    other.close()


def test_unused_arrays_are_collected_once_a_day_by_any_process(store):
    assert len(store.database.ask("SELECT * FROM collection")) == 1
    store.save("film", AUDIO, "one", np.arange(300))
    store.drop("film", "audio")
    ((name, _),) = store.arrays.names()
    os.utime(store.arrays._path(name), (1, 1))
    store.put_record(RECORD)
    assert store.arrays.has(name)
    store.database.write(lambda c: c.execute("DELETE FROM collection"))
    other = PostgresStore(store.place)
    other.put_record(RECORD)
    other.close()
    assert not store.arrays.has(name)


def test_words_that_are_too_frequent_are_looked_up_together():
    assert _narrower(["(a)"]) == ["(a)"]
    assert _narrower(["(a)", "(b)"]) == ["(a) & (b)"]
    pairs = "(a) & (b) | (a) & (c) | (b) & (c)"
    assert _narrower(["(a)", "(b)", "(c)"]) == [pairs, "(a) & (b) & (c)"]
