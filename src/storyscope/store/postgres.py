"""A library in PostgreSQL, with its arrays in a folder or bucket that all machines share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from storyscope.core import Passages
from storyscope.errors import DamagedVideo, LibraryError, VideoBusy
from storyscope.store.arrays import DamagedArrays
from storyscope.store.artefacts import SCAN, Artefact
from storyscope.store.buckets import in_bucket
from storyscope.store.codec import pack, unpack
from storyscope.store.content_arrays import UNUSED_SECONDS, open_content_arrays
from storyscope.store.explaining import explained
from storyscope.store.postgres_address import parse_address
from storyscope.store.postgres_connection import Database
from storyscope.store.postgres_documents import PostgresDocuments
from storyscope.store.postgres_jobs import PostgresJobs
from storyscope.store.postgres_locks import SessionLocks
from storyscope.store.postgres_text import PostgresText, file_words, texts_of, tokenize
from storyscope.store.postgres_vectors import PostgresVectors
from storyscope.store.protocol import OUTDATED, PATIENCE, VideoRecord
from storyscope.store.records import columns_of, nearest_picture, record_of

if TYPE_CHECKING:
    from psycopg import Connection

Taken = TypeVar("Taken")
EVERY_READER = 0
"""Version counters of a library in PostgreSQL are the same for all readers."""


class PostgresStore:
    """Stores a library in a database; any number of processes on any machine may use it at once.

    A stage's arrays are written under the digest of their content before the transaction that
    refers to them, so every reference in the database is valid. `folder` is a local cache.
    """

    def __init__(self, address: str | Path) -> None:
        self.address = parse_address(os.fspath(address))
        self.folder = _cache_folder() / self.address.digest
        with explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        self.database = Database(self.address)
        self.arrays = open_content_arrays(self.address.arrays, self.folder / "arrays")
        self.text = PostgresText(self.database)
        self.jobs = PostgresJobs(self.database)
        self._locks = SessionLocks(self.database)
        self._documents = PostgresDocuments(self.database, self.folder)
        self._collected_on: date | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies, and other processes, have their own connections."""
        return type(self), (self.place,)

    @property
    def place(self) -> str:
        return self.address.shown

    @property
    def uploads(self) -> Path:
        return (self.folder if self.upload_bucket else Path(self.address.arrays)) / "uploads"

    @property
    def upload_bucket(self) -> str:
        arrays = self.address.arrays
        return f"{arrays.rstrip('/')}/uploads" if in_bucket(arrays) else ""

    def records(self) -> Sequence[VideoRecord]:
        return [record_of(row) for row in self._ask("SELECT * FROM video ORDER BY id")]

    def record(self, video: str) -> VideoRecord | None:
        row = self._ask_one("SELECT * FROM video WHERE id = %s", (video,))
        return record_of(row) if row else None

    def add_record(self, record: VideoRecord) -> VideoRecord:
        values = columns_of(record)

        def add(connection: Connection[Any]) -> VideoRecord:
            # Two processes that add videos with the same name would both find the same id free.
            connection.execute("LOCK TABLE video IN SHARE ROW EXCLUSIVE MODE")
            known = connection.execute(
                "SELECT * FROM video WHERE path = %s", (record.video.path,)
            ).fetchone()
            if known:
                return record_of(known)
            names = chain([record.video.id], (f"{record.video.id}-{number}" for number in count(2)))
            free = next(name for name in names if not _is_taken(connection, name))
            connection.execute(_insertion(values), values | {"id": free})
            return replace(record, video=replace(record.video, id=free))

        return self.database.write(add)

    def put_record(self, record: VideoRecord) -> None:
        values = columns_of(record)
        updates = ", ".join(f"{name} = excluded.{name}" for name in values if name != "id")
        self._write(f"{_insertion(values)} ON CONFLICT (id) DO UPDATE SET {updates}", values)
        if record.state == "ready":
            self._collect_daily()

    @contextmanager
    def busy(self, video: str, *, patience: float = PATIENCE) -> Iterator[None]:
        with ExitStack() as stack:
            try:
                stack.enter_context(self._locks.holding("video", video, patience=patience))
            except TimeoutError as error:
                raise VideoBusy(
                    f"{video} is being indexed by another process; wait until it is done"
                ) from error
            yield

    def remove(self, video: str) -> None:
        def forget(connection: Connection[Any]) -> None:
            connection.execute("DELETE FROM said WHERE video = %s", (video,))
            connection.execute("DELETE FROM video WHERE id = %s", (video,))

        self.database.write(forget)

    def outdate_artefacts(self, video: str) -> None:
        self._write(
            "UPDATE artefact SET key = %s || key WHERE video = %s AND NOT starts_with(key, %s)",
            (OUTDATED, video, OUTDATED),
        )

    def version(self) -> tuple[int, tuple[int, int]]:
        ((count,),) = [row.values() for row in self._ask("SELECT sum(count)::bigint FROM change")]
        return EVERY_READER, (count, 0)

    def key(self, video: str, artefact: Artefact[Any]) -> str | None:
        row = self._ask_one(
            "SELECT key FROM artefact WHERE video = %s AND stage = %s", (video, artefact.name)
        )
        return row["key"] if row else None

    def keys(self, video: str) -> dict[str, str]:
        rows = self.database.recall(_prefetched(video)) or self._ask(
            "SELECT stage, key FROM artefact WHERE video = %s ORDER BY stage", (video,)
        )
        return {row["stage"]: row["key"] for row in rows}

    def prefetch(self, videos: Sequence[str], artefacts: Sequence[Artefact[Any]]) -> None:
        rows = self._ask(
            "SELECT video, stage, key, file, CASE WHEN stage = ANY(%s) THEN facts END AS facts"
            " FROM artefact WHERE video = ANY(%s) ORDER BY stage",
            ([artefact.name for artefact in artefacts], list(videos)),
        )
        for video in videos:
            own = [row for row in rows if row["video"] == video]
            self.database.known(_prefetched(video), partial(list, own))

    def ready_keys(self, artefact: Artefact[Any]) -> dict[str, str]:
        rows = self._ask(
            "SELECT video, key FROM artefact JOIN video ON video.id = artefact.video"
            " WHERE stage = %s AND state = 'ready' ORDER BY video",
            (artefact.name,),
        )
        return {row["video"]: row["key"] for row in rows}

    def load(self, video: str, artefact: Artefact[Taken]) -> Taken:
        value: Taken = self._read(video, artefact.name, "facts", lambda whole, _: whole)
        return value

    def save(self, video: str, artefact: Artefact[Taken], key: str, value: Taken) -> None:
        facts, arrays = pack(value)
        texts = texts_of(value)
        tokenized = tokenize(texts)
        first = self._new_addresses(len(texts))

        def keep(connection: Connection[Any]) -> None:
            connection.execute(
                "INSERT INTO artefact (video, stage, key, facts, file) VALUES (%s, %s, %s, %s, %s)"
                " ON CONFLICT (video, stage) DO UPDATE"
                " SET key = excluded.key, facts = excluded.facts, file = excluded.file",
                (video, artefact.name, key, facts, file),
            )
            if isinstance(value, Passages):
                file_words(connection, video, first, texts, *tokenized)

        while True:
            file = self.arrays.put(arrays) if arrays else None
            self.database.write(keep)
            # The files may have been deleted as unreferenced before this transaction referred to
            # them.
            if file is None or self.arrays.has(file):
                return

    def load_picture(self, video: str, seconds: float) -> tuple[int, bytes, str]:
        nearest = partial(nearest_picture, video, seconds)
        return self._read(video, SCAN.name, "(facts::json -> 'keyframes')::text", nearest)

    def annotations(self, video: str) -> dict[str, str]:
        rows = self._ask(
            "SELECT annotator, facts FROM annotation WHERE video = %s ORDER BY annotator", (video,)
        )
        return {row["annotator"]: row["facts"] for row in rows}

    def put_annotation(self, video: str, annotator: str, facts: str | None) -> None:
        if facts is None:
            forget = "DELETE FROM annotation WHERE video = %s AND annotator = %s"
            self._write(forget, (video, annotator))
        else:
            self._write(
                "INSERT INTO annotation VALUES (%s, %s, %s)"
                " ON CONFLICT (video, annotator) DO UPDATE SET facts = excluded.facts",
                (video, annotator, facts),
            )

    def vector_index(self) -> PostgresVectors:
        return PostgresVectors(self.database)

    def files(self, video: str) -> dict[str, str]:
        """The name of the array file of every artefact of a video that has one."""
        rows = self._ask(
            "SELECT stage, file FROM artefact WHERE video = %s AND file IS NOT NULL", (video,)
        )
        return {row["stage"]: row["file"] for row in rows}

    def drop(self, video: str, stage: str) -> None:
        """Delete one artefact of a video."""
        self._write("DELETE FROM artefact WHERE video = %s AND stage = %s", (video, stage))

    def unused_arrays(self, *, older_than: float) -> list[tuple[str, float]]:
        """Unreferenced array files, with their age in seconds."""
        old = [(name, age) for name, age in self.arrays.names() if age > older_than]
        named = self._named([name for name, _ in old])
        return [(name, age) for name, age in old if name not in named]

    def collect(self, *, older_than: float = UNUSED_SECONDS) -> int:
        """Delete array files that have been unreferenced for a day; return how many."""
        unused = [name for name, _ in self.unused_arrays(older_than=older_than)]

        def delete(connection: Connection[Any]) -> int:
            # No process can add a reference now; one that tries later sees that the file is gone.
            connection.execute("LOCK TABLE artefact IN SHARE MODE")
            named = self._named(unused, connection)
            gone = [name for name in unused if name not in named]
            for name in gone:
                self.arrays.delete(name)
            return len(gone)

        return self.database.write(delete, counted=False) if unused else 0

    def _collect_daily(self) -> None:
        """Delete unreferenced files if that was not done today."""
        if self._collected_on == date.today():
            return
        self._collected_on = date.today()
        first = "INSERT INTO collection VALUES (%s) ON CONFLICT DO NOTHING RETURNING day"
        begun = self.database.write(
            lambda connection: connection.execute(first, (date.today(),)).fetchall(), counted=False
        )
        if begun:
            # What cannot be listed or deleted now is tried again tomorrow.
            with suppress(LibraryError, OSError):
                self.collect()

    def snapshot(self) -> AbstractContextManager[None]:
        return self.database.snapshot()

    def document(self, name: str) -> Path:
        return self._documents.fetched(name)

    def put_document(self, name: str, content: bytes | None) -> None:
        self._documents.put(name, content)

    def documents(self) -> list[str]:
        return self._documents.names()

    def lock(self, name: str) -> AbstractContextManager[object]:
        return self._locks.holding("lock", name)

    def close(self) -> None:
        self._locks.close()
        self.database.close()

    def _ask(self, question: str, values: Any = ()) -> list[dict[str, Any]]:
        return self.database.ask(question, values)

    def _ask_one(self, question: str, values: Any = ()) -> dict[str, Any] | None:
        return next(iter(self._ask(question, values)), None)

    def _named(self, files: Sequence[str], connection: Connection[Any] | None = None) -> set[str]:
        """Those of the array files that some artefact refers to."""
        question = "SELECT DISTINCT file FROM artefact WHERE file = ANY(%s)"
        if connection is None:
            return {row["file"] for row in self._ask(question, (list(files),))}
        return {row["file"] for row in connection.execute(question, (list(files),))}

    def _write(self, statement: str, values: Any) -> None:
        self.database.write(lambda connection: connection.execute(statement, values))

    def _new_addresses(self, wanted: int) -> int:
        """The first of `count` addresses that no passage ever had."""
        if not wanted:
            return 0
        take = "UPDATE next_address SET address = address + %s RETURNING address - %s AS first"
        (row,) = self.database.write(
            lambda connection: connection.execute(take, (wanted, wanted)).fetchall(), counted=False
        )
        return int(row["first"])

    def _read(self, video: str, stage: str, part: str, take: Callable[[Any, str], Taken]) -> Taken:
        """Load an artefact, or a part of its facts; `take` gets it with its key."""
        prefetched = self.database.recall(_prefetched(video)) if part == "facts" else None
        row = next((row for row in prefetched or () if row["stage"] == stage), None)
        if row is None or row["facts"] is None:
            row = self._ask_one(
                f"SELECT {part} AS facts, file, key FROM artefact WHERE video = %s AND stage = %s",
                (video, stage),
            )
        if row is None:
            raise LibraryError(
                f"{video} has no {stage} yet; run `storyscope add` on its file again"
            )
        try:
            arrays = self.arrays.open(row["file"]) if row["file"] else {}
            return take(unpack(row["facts"], arrays), row["key"])
        except (OSError, DamagedArrays, ValueError, LookupError, TypeError) as error:
            raise DamagedVideo(
                f"{video}'s {stage} cannot be read ({error}); run `storyscope check --repair`",
                video,
            ) from error


def _prefetched(video: str) -> str:
    """The name under which a snapshot knows the artefacts of a video."""
    return f"artefacts of {video}"


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "storyscope" / "libraries"


def _insertion(values: dict[str, Any]) -> str:
    marks = ", ".join(f"%({name})s" for name in values)
    return f"INSERT INTO video ({', '.join(values)}) VALUES ({marks})"


def _is_taken(connection: Connection[Any], name: str) -> bool:
    found = connection.execute("SELECT 1 FROM video WHERE id = %s", (name,)).fetchone()
    return found is not None
