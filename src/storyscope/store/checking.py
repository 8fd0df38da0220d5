"""What of a library's folder does not fit its database: damaged, lost or left over."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from storyscope.errors import LibraryError
from storyscope.store.artefacts import Artefact
from storyscope.store.explaining import explained
from storyscope.store.opening import ARRAYS
from storyscope.store.sqlite import SqliteStore


def require_sound_database(store: SqliteStore) -> None:
    """Let SQLite look through its whole file; LibraryError where it finds damage."""
    with explained(store.folder), store.reading() as connection:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(f"malformed: {found.splitlines()[-1]}")


def damaged_artefacts(store: SqliteStore, video: str) -> Iterator[tuple[str, str]]:
    """Every stage of a video whose artefact cannot be read as it was written, and why."""
    for stage in _stages(store, video):
        try:
            store.load(video, Artefact(stage))
        except LibraryError as error:
            yield stage, str(error)


def drop_artefact(store: SqliteStore, video: str, stage: str) -> None:
    """Forget what a stage made, so that adding the video again makes it anew."""
    with store.transaction() as connection:
        connection.execute("DELETE FROM artefact WHERE video = ? AND stage = ?", (video, stage))


def stray_arrays(store: SqliteStore) -> list[Path]:
    """Array files that nothing in the database names."""
    with store.reading() as connection:
        named = {row["file"] for row in connection.execute("SELECT file FROM artefact")}
    folders = [path for path in (store.folder / ARRAYS).iterdir() if path.is_dir()]
    return [
        path
        for folder in sorted(folders)
        if not folder.is_symlink()
        for path in sorted(folder.iterdir())
        if f"{ARRAYS}/{folder.name}/{path.name}" not in named
    ]


def _stages(store: SqliteStore, video: str) -> list[str]:
    with store.reading() as connection:
        rows = connection.execute("SELECT stage FROM artefact WHERE video = ?", (video,))
        return [row["stage"] for row in rows]
