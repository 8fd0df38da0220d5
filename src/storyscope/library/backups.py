"""Backups of a library's database."""

from __future__ import annotations

from pathlib import Path

from storyscope.errors import LibraryError
from storyscope.library.local import LocalLibrary
from storyscope.store import FOLDER, SqliteStore, address_of, without_password
from storyscope.store.backups import new_backup, restore
from storyscope.store.explaining import explained
from storyscope.store.opening import DATABASE


def back_up(library: LocalLibrary, file: Path | None = None) -> Path:
    """Write a copy of the database to the library's backups or to a given file."""
    if not isinstance(library.store, SqliteStore):
        raise LibraryError(
            f"{library.place} is not a folder; a database server is backed up with its own tools, "
            "such as pg_dump"
        )
    path = file or new_backup(library.folder)
    library.store.back_up(path)
    return path


def restore_database(place: str | Path, file: Path) -> Path | None:
    """Replace a library's database by a copy; return where the old one was saved, if there was
    one."""
    if address_of(place)[0] != FOLDER:
        raise LibraryError(
            f"{without_password(str(place))} is not a folder; a database server is restored "
            "with its own tools, such as pg_restore"
        )
    folder = Path(place).expanduser()
    with explained(folder):
        return restore(folder, DATABASE, file)
