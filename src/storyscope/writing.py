"""Files that are there whole or not at all, whoever is killed while writing them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

HALF_WRITTEN = ".part-"
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


def sweep_abandoned(folder: Path) -> None:
    """Delete what killed processes left half-written, and nothing that is being written."""
    for path in folder.glob(f"{HALF_WRITTEN}*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > ABANDONED_SECONDS:
                path.unlink()
