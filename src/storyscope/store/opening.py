"""Open a library's database: create it, migrate it, or fail with a clear error."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

from storyscope.errors import LibraryError
from storyscope.store.backups import BACKUPS, back_up, newest_backup
from storyscope.store.migrations import MIGRATIONS
from storyscope.writing import real_folder

DATABASE = "library.sqlite"
BESIDE = ("", "-wal", "-shm", "-journal")
"""Endings of the files that SQLite writes."""
ARRAYS = "arrays"
WAIT_SECONDS = 30.0
"""Seconds to wait for another writer."""


def require_database(folder: Path) -> None:
    """Raise an error instead of creating an empty library if the database of a full one was
    lost."""
    if not has_lost_database(folder):
        return
    wanted = newest_backup(folder) or "FILE"
    lost = "empty" if (folder / DATABASE).exists() else "missing"
    raise LibraryError(
        f"the library {folder} has lost its database: {DATABASE} is {lost}, though indexed videos "
        f"are still there; restore a backup with `storyscope restore {wanted}`"
    )


def has_lost_database(folder: Path) -> bool:
    """Whether there are arrays or backups, but no database."""
    path = folder / DATABASE
    if path.exists() and path.stat().st_size:
        return False
    return any(_entries(folder / name) for name in (ARRAYS, BACKUPS))


def connect(folder: Path) -> sqlite3.Connection:
    """Open the database; read-only if its folder cannot be written."""
    for beside in BESIDE:
        real_folder(folder, f"{DATABASE}{beside}")
    path = folder / DATABASE
    connection = _connected(path) if _writable(path) else _connected_read_only(path)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def migrate(connection: sqlite3.Connection, folder: Path) -> None:
    """Migrate the database, after making a copy of it."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise LibraryError(
            f"the library {folder} was written by a newer Storyscope (version {version} of its "
            f"shape, this one knows {len(MIGRATIONS)}); upgrade with `pip install -U storyscope`"
        )
    if 0 < version < len(MIGRATIONS):
        back_up(
            connection, real_folder(folder, BACKUPS) / f"before-version-{len(MIGRATIONS)}.sqlite"
        )
    for step, script in enumerate(MIGRATIONS[version:], start=version + 1):
        try:
            connection.executescript(
                f"BEGIN IMMEDIATE; {script} PRAGMA user_version = {step}; COMMIT;"
            )
        except sqlite3.OperationalError:
            roll_back(connection)
            if connection.execute("PRAGMA user_version").fetchone()[0] < step:
                raise


def roll_back(connection: sqlite3.Connection) -> None:
    """Roll back; on a full disk the database has already done so itself."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _connected(path: Path) -> sqlite3.Connection:
    connection = _open(path, "rwc")
    _let_many_read(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def _connected_read_only(path: Path) -> sqlite3.Connection:
    """Open a database in a folder that cannot be written."""
    try:
        connection = _open(path, "ro")
        connection.execute("SELECT count(*) FROM sqlite_schema")
    except sqlite3.OperationalError:
        # Without a folder for its shared memory, SQLite can only read a database that nobody
        # changes.
        connection = _open(path, "ro", "&immutable=1")
    return connection


def _open(path: Path, mode: str, more: str = "") -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}{more}",
        uri=True,
        timeout=WAIT_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )


def _writable(path: Path) -> bool:
    """Whether the database and the files that SQLite keeps next to it can be written."""
    if not os.access(path.parent, os.W_OK):
        return False
    return not path.exists() or os.access(path, os.W_OK)


def _let_many_read(connection: sqlite3.Connection) -> None:
    """Put the database into WAL mode, even if another process is creating it at this moment."""
    end = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            # SQLite does not wait for this change, whatever the timeout.
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)


def _entries(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []
