"""Copies of a library's database, made by SQLite itself while others read and write.

A copy contains the videos, their titles and people's annotations; arrays can be recomputed from the
films.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from itertools import chain, count
from pathlib import Path
from uuid import uuid4

from storyscope.errors import LibraryError
from storyscope.store.migrations import MIGRATIONS
from storyscope.writing import real_folder, sweep_abandoned

BACKUPS = "backups"
DAILY = "daily-"
DAYS_KEPT = 7
"""Number of daily copies that are kept; those that users make stay until they are deleted."""


def back_up(connection: sqlite3.Connection, path: Path) -> None:
    """Write a complete copy of the database; a file at `path` is replaced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep_abandoned(path.parent)
    part = path.parent / f".part-{uuid4().hex}"
    try:
        with closing(sqlite3.connect(part)) as copy:
            connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def back_up_daily(connection: sqlite3.Connection, folder: Path) -> None:
    """Copy the database before the first change of a day, and keep the last week's copies."""
    today = real_folder(folder, BACKUPS) / f"{DAILY}{time.strftime('%Y-%m-%d')}.sqlite"
    if today.exists() or not connection.execute("SELECT count(*) FROM video").fetchone()[0]:
        return
    back_up(connection, today)
    for old in sorted(today.parent.glob(f"{DAILY}*.sqlite"))[:-DAYS_KEPT]:
        old.unlink(missing_ok=True)


def new_backup(folder: Path, prefix: str = "") -> Path:
    """A path for another copy, named after the time."""
    name = f"{prefix}{time.strftime('%Y-%m-%d-%H%M%S')}"
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    place = real_folder(folder, BACKUPS)
    paths = (place / f"{name}.sqlite" for name in names)
    return next(path for path in paths if not path.exists())


def newest_backup(folder: Path) -> Path | None:
    """The latest copy, if there is one."""
    copies = (folder / BACKUPS).glob("*.sqlite")
    return max(copies, key=lambda path: path.stat().st_mtime, default=None)


def restore(folder: Path, database: str, copy: Path) -> Path | None:
    """Replace the database by a copy; return where the current database was saved.

    A readable database is replaced in one transaction, so others may have it open.
    """
    _require_library(copy)
    real_folder(folder, BACKUPS).mkdir(parents=True, exist_ok=True)
    target = folder / database
    kept = new_backup(folder, "before-restore-")
    if not target.exists() or not target.stat().st_size:
        kept_at = None
    elif _readable(target):
        kept_at = kept
        with closing(sqlite3.connect(target)) as now:
            back_up(now, kept)
    else:
        kept_at = kept.with_suffix(".damaged")
        target.replace(kept_at)
    if kept_at != kept:
        for beside in ("-wal", "-shm"):
            target.with_name(f"{database}{beside}").unlink(missing_ok=True)
        target.unlink(missing_ok=True)
    with closing(sqlite3.connect(copy)) as source, closing(sqlite3.connect(target)) as now:
        source.backup(now)
    return kept_at


def _require_library(copy: Path) -> None:
    if not copy.is_file():
        raise LibraryError(f"there is no file {copy}; `storyscope backup` writes one")
    try:
        with closing(sqlite3.connect(f"{copy.absolute().as_uri()}?mode=ro", uri=True)) as found:
            whole = found.execute("PRAGMA quick_check").fetchone()[0] == "ok"
            tables = {row[0] for row in found.execute("SELECT name FROM sqlite_schema")}
            version = found.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise LibraryError(f"{copy} is not a backup of a library: {error}") from error
    if not whole:
        raise LibraryError(f"{copy} is damaged; choose another copy")
    if not {"video", "artefact", "annotation"} <= tables or version > len(MIGRATIONS):
        raise LibraryError(f"{copy} is not a backup that this version can read")


def _readable(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(path)) as found:
            return bool(found.execute("PRAGMA quick_check").fetchone()[0] == "ok")
    except sqlite3.DatabaseError:
        return False
