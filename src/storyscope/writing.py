"""Atomic writes: a file is complete or does not exist, even if the writer is killed."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from storyscope.errors import LibraryError

HALF_WRITTEN = ".part-"
UPLOADING = ".upload-"
EXPORTING = ".export-"
LEFTOVERS = (HALF_WRITTEN, UPLOADING, EXPORTING)
"""Prefix of the names of unfinished files and folders."""
ABANDONED_SECONDS = 3600.0
"""Seconds after which an unfinished file was certainly left by a killed process."""


def write_whole(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write a file atomically, into a folder that is created if missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with half_written(path.parent, pieces) as part:
        part.replace(path)


@contextmanager
def half_written(folder: Path, pieces: Iterable[bytes | memoryview]) -> Iterator[Path]:
    """Create a file in the folder, to be moved into place; it is deleted if it was not moved."""
    sweep_abandoned(folder)
    part = folder / f"{HALF_WRITTEN}{uuid4().hex}"
    try:
        with part.open("xb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        yield part
    finally:
        with suppress(OSError):
            part.unlink()


def real_folder(library: Path, *names: str) -> Path:
    """Return a folder or file inside a library; refuse it if it is a symbolic link.

    A library deletes and writes only its own files.
    """
    path = library
    for name in names:
        path = path / name
        if path.is_symlink():
            raise LibraryError(
                f"{path} is a link, and a library writes only to its own files; put what it "
                "points to in its place, or move the whole library and name it with --library"
            )
    return path


def sweep_abandoned(folder: Path) -> None:
    """Delete unfinished files of killed processes, and nothing that is being written."""
    for beginning in LEFTOVERS:
        for path in folder.glob(f"{beginning}*"):
            with suppress(OSError):
                if time.time() - _last_written(path) > ABANDONED_SECONDS:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()


def _last_written(path: Path) -> float:
    """Time of the last write to a file, or to anything in a folder."""
    return max(each.lstat().st_mtime for each in (path, *path.rglob("*")))
