"""Differences between a library's arrays and its database: damaged, lost or unused files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Protocol

from storyscope.errors import LibraryError
from storyscope.store.artefacts import Artefact
from storyscope.store.content_arrays import UNUSED_SECONDS
from storyscope.store.explaining import explained
from storyscope.store.opening import ARRAYS
from storyscope.store.postgres import PostgresStore
from storyscope.store.protocol import Store
from storyscope.store.sqlite import SqliteStore


class StoreCheck(Protocol):
    """Checks one kind of store, and repairs it."""

    def require_sound_database(self) -> None:
        """Run the integrity check of the database; raise LibraryError if it finds damage."""

    def damaged(self, video: str) -> Iterator[tuple[str, str]]:
        """Every stage of a video whose artefact is damaged, and why."""

    def drop(self, video: str, stage: str) -> None:
        """Delete the artefact of a stage, so that adding the video again recomputes it."""

    def strays(self) -> list[str]:
        """Names of array files that the database does not refer to."""

    def delete_strays(self) -> None: ...


def check_of(store: Store) -> StoreCheck:
    """The checker for this kind of store."""
    if isinstance(store, SqliteStore):
        return FolderCheck(store)
    if isinstance(store, PostgresStore):
        return DatabaseCheck(store)
    raise LibraryError(f"{store.place} cannot be checked: its kind of store is not supported")


class FolderCheck:
    """Checks a library in a folder."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    def require_sound_database(self) -> None:
        with explained(self._store.folder), self._store.reading() as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                raise sqlite3.DatabaseError(f"malformed: {found.splitlines()[-1]}")

    def damaged(self, video: str) -> Iterator[tuple[str, str]]:
        yield from _unreadable(self._store, video)

    def drop(self, video: str, stage: str) -> None:
        with self._store.transaction() as connection:
            connection.execute("DELETE FROM artefact WHERE video = ? AND stage = ?", (video, stage))

    def strays(self) -> list[str]:
        with self._store.reading() as connection:
            named = {row["file"] for row in connection.execute("SELECT file FROM artefact")}
        folders = [path for path in (self._store.folder / ARRAYS).iterdir() if path.is_dir()]
        files = [
            f"{ARRAYS}/{folder.name}/{path.name}"
            for folder in sorted(folders)
            if not folder.is_symlink()
            for path in sorted(folder.iterdir())
        ]
        return [file for file in files if file not in named]

    def delete_strays(self) -> None:
        for file in self.strays():
            (self._store.folder / file).unlink()


class DatabaseCheck:
    """Checks a library in PostgreSQL; the server checks its own pages."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store

    def require_sound_database(self) -> None:
        self._store.version()

    def damaged(self, video: str) -> Iterator[tuple[str, str]]:
        files = self._store.files(video)
        for stage, file in files.items():
            try:
                self._store.arrays.verify(file)
            except (LibraryError, OSError) as error:
                yield stage, str(error)
        for stage, reason in _unreadable(self._store, video):
            if stage not in files:
                yield stage, reason

    def drop(self, video: str, stage: str) -> None:
        self._store.drop(video, stage)

    def strays(self) -> list[str]:
        return [name for name, _ in self._store.unused_arrays(older_than=UNUSED_SECONDS)]

    def delete_strays(self) -> None:
        self._store.collect()


def _unreadable(store: Store, video: str) -> Iterator[tuple[str, str]]:
    for stage in store.keys(video):
        try:
            store.load(video, Artefact(stage))
        except LibraryError as error:
            yield stage, str(error)
