"""A library on disk: one SQLite database, with the arrays next to it."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any, TypeVar

from storyscope.core import Passages
from storyscope.errors import DamagedVideo, LibraryError, VideoBusy
from storyscope.store.arrays import (
    DIGEST_DIGITS,
    DamagedArrays,
    StoredRows,
    hashed,
    open_arrays,
    serialized,
)
from storyscope.store.artefacts import SCAN, Artefact
from storyscope.store.backups import back_up, back_up_daily
from storyscope.store.codec import pack, unpack
from storyscope.store.explaining import explained
from storyscope.store.opening import (
    ARRAYS,
    DATABASE,
    connect,
    has_lost_database,
    migrate,
    require_database,
    roll_back,
)
from storyscope.store.protocol import OUTDATED, PATIENCE, VideoRecord
from storyscope.store.records import columns_of, nearest_picture, record_of
from storyscope.store.sqlite_jobs import SqliteJobs
from storyscope.store.sqlite_text import SqliteText, file_words
from storyscope.writing import half_written, real_folder, write_whole

LOCKS = "locks"
DOCUMENT_SUFFIXES = {".json", ".npz", ".safetensors", ".toml"}
"""Extensions of the documents in a library's folder."""
Taken = TypeVar("Taken")


class SqliteStore:
    """Stores a library in a folder; many processes may read while one writes.

    A stage's arrays are written to a temporary file, which is moved into place in the transaction
    that refers to it, so every reference in the database is valid. If a process is killed before
    that, a later save deletes its temporary file, once nobody can be writing it any more, and any
    file that no row refers to.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = folder = Path(folder).expanduser()
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._numbers = count(1)
        self._backed_up = False
        with explained(folder):
            require_database(folder)
            (folder / ARRAYS).mkdir(parents=True, exist_ok=True)
            migrate(self._connection, folder)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies, and other processes, have their own connections."""
        return type(self), (self.folder,)

    @property
    def place(self) -> str:
        return str(self.folder.resolve())

    @property
    def uploads(self) -> Path:
        return self.folder.absolute() / "uploads"

    @property
    def upload_bucket(self) -> str:
        return ""

    @property
    def text(self) -> SqliteText:
        return SqliteText(self._ask)

    @property
    def jobs(self) -> SqliteJobs:
        return SqliteJobs(self._ask, self.transaction)

    @staticmethod
    def exists(folder: Path) -> bool:
        """Whether a library was ever created in this folder, even if its database was lost
        since."""
        return (folder / DATABASE).exists() or has_lost_database(folder)

    def records(self) -> Sequence[VideoRecord]:
        rows = self._ask("SELECT * FROM video ORDER BY id")
        return [record_of(row) for row in rows]

    def record(self, video: str) -> VideoRecord | None:
        row = self._ask_one("SELECT * FROM video WHERE id = ?", (video,))
        return record_of(row) if row else None

    def add_record(self, record: VideoRecord) -> VideoRecord:
        values = columns_of(record)
        with self.transaction() as connection:
            known = connection.execute(
                "SELECT * FROM video WHERE path = ?", (record.video.path,)
            ).fetchone()
            if known:
                return record_of(known)
            taken = {row["id"] for row in connection.execute("SELECT id FROM video")}
            values["id"] = _free_name(record.video.id, taken)
            connection.execute(
                f"INSERT INTO video ({', '.join(values)})"
                f" VALUES ({', '.join(f':{name}' for name in values)})",
                values,
            )
        return replace(record, video=replace(record.video, id=values["id"]))

    def put_record(self, record: VideoRecord) -> None:
        values = columns_of(record)
        names = ", ".join(values)
        marks = ", ".join(f":{name}" for name in values)
        updates = ", ".join(f"{name} = excluded.{name}" for name in values if name != "id")
        with self.transaction() as connection:
            connection.execute(
                f"INSERT INTO video ({names}) VALUES ({marks})"
                f" ON CONFLICT (id) DO UPDATE SET {updates}",
                values,
            )

    @contextmanager
    def busy(self, video: str, *, patience: float = PATIENCE) -> Iterator[None]:
        from filelock import FileLock, Timeout

        path = real_folder(self.folder, LOCKS) / f"{video}.lock"
        with explained(self.folder):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                held = FileLock(path).acquire(timeout=patience)
            except Timeout as error:
                raise VideoBusy(
                    f"{video} is being indexed by another process; wait until it is done"
                ) from error
        with held:
            yield
            if self.record(video) is None:
                # Windows cannot delete open files.
                with suppress(PermissionError):
                    path.unlink(missing_ok=True)

    def remove(self, video: str) -> None:
        real_folder(self.folder, ARRAYS, video)
        with self.transaction() as connection:
            connection.execute("DELETE FROM video WHERE id = ?", (video,))
        self._sweep(video)

    def outdate_artefacts(self, video: str) -> None:
        real_folder(self.folder, ARRAYS, video)
        with self.transaction() as connection:
            connection.execute(
                "UPDATE artefact SET key = ?1 || key WHERE video = ?2 AND key NOT LIKE ?1 || '%'",
                (OUTDATED, video),
            )

    def version(self) -> tuple[int, tuple[int, int]]:
        connection = self._connection
        # The first counts what others wrote, the second what was written through this connection.
        ((others,),) = self._ask("PRAGMA data_version")
        return self._local.number, (others, connection.total_changes)

    def key(self, video: str, artefact: Artefact[Any]) -> str | None:
        row = self._ask_one(
            "SELECT key FROM artefact WHERE video = ? AND stage = ?", (video, artefact.name)
        )
        return row["key"] if row else None

    def keys(self, video: str) -> dict[str, str]:
        rows = self._ask("SELECT stage, key FROM artefact WHERE video = ? ORDER BY stage", (video,))
        return {row["stage"]: row["key"] for row in rows}

    def ready_keys(self, artefact: Artefact[Any]) -> dict[str, str]:
        rows = self._ask(
            "SELECT video, key FROM artefact JOIN video ON video.id = artefact.video"
            " WHERE stage = ? AND state = 'ready' ORDER BY video",
            (artefact.name,),
        )
        return {row["video"]: row["key"] for row in rows}

    def prefetch(self, videos: Sequence[str], artefacts: Sequence[Artefact[Any]]) -> None:
        """Nothing: every read is local."""

    def load(self, video: str, artefact: Artefact[Taken]) -> Taken:
        value: Taken = self._read(video, artefact.name, "facts", lambda whole, _: whole)
        return value

    def save(self, video: str, artefact: Artefact[Taken], key: str, value: Taken) -> None:
        facts, arrays = pack(value)
        file = None
        folder = real_folder(self.folder, ARRAYS)
        real_folder(self.folder, ARRAYS, video)
        # Writing large arrays takes longer than others would wait for the database.
        digest = hashlib.sha256()
        pieces = hashed(serialized(arrays), digest)
        written = half_written(folder, pieces) if arrays else nullcontext()
        with explained(self.folder), written as part, self.transaction() as connection:
            if part:
                # The file of the older row stays, in case this is rolled back.
                there = {path.stem for path in (folder / video).glob("*")}
                digits = digest.hexdigest()[:DIGEST_DIGITS]
                name = _free_name(f"{artefact.name}-{key[:16]}-{digits}", there)
                file = f"{ARRAYS}/{video}/{name}.safetensors"
                (folder / video).mkdir(exist_ok=True)
                part.replace(self.folder / file)
            connection.execute(
                "INSERT OR REPLACE INTO artefact (video, stage, key, facts, file)"
                " VALUES (?, ?, ?, ?, ?)",
                (video, artefact.name, key, facts, file),
            )
            if isinstance(value, Passages):
                file_words(connection, video, value)
        self._sweep(video)

    def load_picture(self, video: str, seconds: float) -> tuple[int, bytes, str]:
        nearest = partial(nearest_picture, video, seconds)
        return self._read(video, SCAN.name, "facts ->> '$.keyframes'", nearest)

    def annotations(self, video: str) -> dict[str, str]:
        rows = self._ask(
            "SELECT annotator, facts FROM annotation WHERE video = ? ORDER BY annotator", (video,)
        )
        return {row["annotator"]: row["facts"] for row in rows}

    def put_annotation(self, video: str, annotator: str, facts: str | None) -> None:
        with self.transaction() as connection:
            if facts is None:
                connection.execute(
                    "DELETE FROM annotation WHERE video = ? AND annotator = ?", (video, annotator)
                )
            else:
                connection.execute(
                    "INSERT OR REPLACE INTO annotation VALUES (?, ?, ?)", (video, annotator, facts)
                )

    def vector_index(self) -> None:
        return None

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction."""
        connection = self._connection
        with explained(self.folder):
            if not self._backed_up:
                back_up_daily(connection, self.folder)
                self._backed_up = True
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                roll_back(connection)
                raise
            connection.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The database, for queries that only this kind of store can answer."""
        with explained(self.folder):
            yield self._connection

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with explained(self.folder):
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                roll_back(self._connection)

    def back_up(self, path: Path) -> None:
        """Write a complete copy of the database, while others read and write."""
        with explained(self.folder):
            back_up(self._connection, path)

    def document(self, name: str) -> Path:
        return self.folder / name

    def put_document(self, name: str, content: bytes | None) -> None:
        with explained(self.folder):
            if content is None:
                (self.folder / name).unlink(missing_ok=True)
            else:
                write_whole(self.folder / name, [content])

    def documents(self) -> list[str]:
        files = (path for path in self.folder.iterdir() if path.is_file())
        return sorted(path.name for path in files if path.suffix in DOCUMENT_SUFFIXES)

    def lock(self, name: str) -> AbstractContextManager[object]:
        from filelock import FileLock

        return FileLock(self.folder / f"{name}.lock")

    def close(self) -> None:
        while self._connections:
            self._connections.pop().close()
        self._local = threading.local()

    def _ask(self, question: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        with explained(self.folder):
            return self._connection.execute(question, values).fetchall()

    def _ask_one(self, question: str, values: Sequence[Any] = ()) -> sqlite3.Row | None:
        return next(iter(self._ask(question, values)), None)

    @property
    def _connection(self) -> sqlite3.Connection:
        """A connection of this thread's own: readers never wait for each other."""
        if not hasattr(self._local, "connection"):
            connection = connect(self.folder)
            self._local.connection, self._local.number = connection, next(self._numbers)
            self._connections.append(connection)
        own: sqlite3.Connection = self._local.connection
        return own

    def _read(self, video: str, stage: str, part: str, take: Callable[[Any, str], Taken]) -> Taken:
        """Load an artefact, or a part of its facts; `take` gets it with its key."""
        file = None
        while True:
            row = self._ask_one(
                f"SELECT {part} AS facts, file, key FROM artefact WHERE video = ? AND stage = ?",
                (video, stage),
            )
            if row is None:
                raise _unfinished(video, stage)
            try:
                arrays = self._open_arrays(row["file"])
                return take(unpack(row["facts"], arrays), row["key"])
            except (OSError, DamagedArrays, ValueError, LookupError, TypeError) as error:
                # Another process may have recomputed the stage since the row was read.
                if row["file"] == file:
                    raise _unreadable(video, stage, error) from error
                file = row["file"]

    def _open_arrays(self, file: str | None) -> dict[str, StoredRows]:
        return open_arrays(self.folder / file) if file else {}

    def _sweep(self, video: str) -> None:
        """Delete array files of this video that no artefact refers to."""
        folder = real_folder(self.folder, ARRAYS, video)
        with self.transaction() as connection:
            rows = connection.execute("SELECT file FROM artefact WHERE video = ?", (video,))
            named = {row["file"] for row in rows}
            for path in folder.glob("*"):
                if f"{ARRAYS}/{video}/{path.name}" not in named:
                    # Windows cannot delete open files; the next save will.
                    with suppress(PermissionError):
                        path.unlink(missing_ok=True)
            if not named:
                with suppress(OSError):
                    folder.rmdir()


def _free_name(wanted: str, taken: Set[str]) -> str:
    numbered = (f"{wanted}-{number}" for number in count(2))
    return next(name for name in chain([wanted], numbered) if name not in taken)


def _unfinished(video: str, stage: str) -> LibraryError:
    return LibraryError(f"{video} has no {stage} yet; run `storyscope add` on its file again")


def _unreadable(video: str, stage: str, error: Exception) -> DamagedVideo:
    return DamagedVideo(
        f"{video}'s {stage} cannot be read ({error}); run `storyscope check --repair`", video
    )
