"""Files that are there whole or not at all, whoever is killed while writing them."""

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
"""How the names begin of files and folders that are still being made."""
ABANDONED_SECONDS = 3600.0
"""Nobody writes to a file for so long: whoever began it was killed."""


def write_whole(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write a file in one step, into a folder that is created if missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with half_written(path.parent, pieces) as part:
        part.replace(path)


@contextmanager
def half_written(folder: Path, pieces: Iterable[bytes | memoryview]) -> Iterator[Path]:
    """A new file of the folder, on disk, to be moved to its place; where it is not, it goes."""
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
    """A folder inside a library; refused where a link leads out of it.

    What a library deletes and writes must be its own.
    """
    path = library
    for name in names:
        path = path / name
        if path.is_symlink():
            raise LibraryError(
                f"{path} is a link, and a library writes to no folder but its own; "
                "put a folder in its place, or move the whole library and name it with --library"
            )
    return path


def sweep_abandoned(folder: Path) -> None:
    """Delete what killed processes left unfinished, and nothing that is being written."""
    for beginning in LEFTOVERS:
        for path in folder.glob(f"{beginning}*"):
            with suppress(OSError):
                if time.time() - _last_written(path) > ABANDONED_SECONDS:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()


def _last_written(path: Path) -> float:
    """When a file, or anything in a folder, was last written to."""
    return max(each.lstat().st_mtime for each in (path, *path.rglob("*")))
