"""Safe reading of untrusted files: the file that was checked is the one that is read, and pipes
never block.

A file is opened once and checked through its descriptor, because its name may lead elsewhere a
moment later.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

OPEN_FILES = Path("/proc/self/fd")
"""Folder in which the system lists the open files of a process, so that they can be opened
again."""

LARGEST_SETTINGS = 1_000_000
"""Maximum size of a settings file in bytes."""

_real_folders: set[Path] = set()


def never_behind_links(folders: Iterable[Path]) -> None:
    """Forbid this process to open files in these folders through symbolic links."""
    _real_folders.update(folders)


def real_folders() -> list[Path]:
    """The folders in which this process follows no symbolic link."""
    return sorted(_real_folders)


def open_regular(path: Path) -> int:
    """Open a regular file for reading and return its descriptor; raise an `OSError` with the reason
    otherwise."""
    _refuse_other_kinds(path, os.stat(path))
    # The file may have been replaced by a pipe since, for which `open` would wait.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    opened = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
    try:
        _refuse_other_kinds(path, os.fstat(opened))
        if _is_behind_link(path, opened):
            raise OSError(errno.ELOOP, "it was replaced by a link to another", os.fspath(path))
    except BaseException:
        os.close(opened)
        raise
    return opened


def read_at_most(path: Path, most: int) -> bytes:
    """Read a regular file; raise an `OSError` if it has more than `most` bytes."""
    with open(open_regular(path), "rb") as file:
        data = file.read(most + 1)
        size = os.fstat(file.fileno()).st_size
    if len(data) > most:
        too_large = f"it has {size / 1e6:.0f} MB, and at most {most / 1e6:.0f} are read"
        raise OSError(errno.EFBIG, too_large, os.fspath(path))
    return data


def _refuse_other_kinds(path: Path, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", os.fspath(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(path))


def _is_behind_link(path: Path, opened: int) -> bool:
    path = path.absolute()
    if not any(path.is_relative_to(folder) for folder in _real_folders):
        return False
    with suppress(OSError):
        return os.readlink(OPEN_FILES / str(opened)) != str(path)
    return path.resolve() != path or not os.path.samestat(os.lstat(path), os.fstat(opened))
