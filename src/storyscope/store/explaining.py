"""Errors of the disk or the database, explained to the user."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from storyscope.errors import DiskFull, LibraryError
from storyscope.store.backups import newest_backup

SCRATCH_BYTES = 64 << 10
"""Bytes of free space below which a disk counts as full for the database."""


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn errors of the disk or the database into messages for the user."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if "full" in str(error) or ("disk I/O" in str(error) and _has_no_room(folder)):
            raise _disk_full(folder) from error
        if "locked" in str(error):
            raise LibraryError(
                f"the library {folder} is being written by another process; try again"
            ) from error
        if "readonly" in str(error):
            raise LibraryError(f"the library {folder} can be read but not written") from error
        if any(word in str(error) for word in ("malformed", "not a database")):
            raise LibraryError(
                f"the library {folder} cannot be used: its database is damaged ({error}); "
                f"restore a backup with `storyscope restore {newest_backup(folder) or 'FILE'}`"
            ) from error
        raise LibraryError(f"the library {folder} cannot be used: {error}") from error
    except OSError as error:
        if error.errno is None:  # Not a disk error: a file is missing in a bucket.
            raise
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _disk_full(folder) from error
        raise LibraryError(f"the library {folder} cannot be used: {error.strerror}") from error


def _has_no_room(folder: Path) -> bool:
    """Whether not even the database's own temporary file fits: it then reports only an I/O
    error."""
    return shutil.disk_usage(folder).free < SCRATCH_BYTES


def _disk_full(folder: Path) -> DiskFull:
    return DiskFull(
        f"the disk that holds {folder} is full; finished stages are kept, "
        "free some space and run the same command again"
    )
