"""Files that anybody may have made: what was checked is what is read, and pipes are not waited for.

A file is opened once and checked as the open file that it is: its name may lead elsewhere a moment
later.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

OPEN_FILES = Path("/proc/self/fd")
"""Where a system shows what a process has open, so that it can be opened again."""

LARGEST_SETTINGS = 1_000_000
"""Bytes of the largest settings file that is read."""

_real_folders: set[Path] = set()


def never_behind_links(folders: Iterable[Path]) -> None:
    """Let this process open no file in these folders that is a link, or lies behind one."""
    _real_folders.update(folders)


def real_folders() -> list[Path]:
    """The folders in which this process follows no link."""
    return sorted(_real_folders)


def open_regular(path: Path) -> int:
    """Open a regular file for reading; a file descriptor, or an `OSError` that says why not."""
    _refuse_other_kinds(path, os.stat(path))
    # Somebody may have put a pipe in its place since, for which `open` would wait.
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
    """The content of a regular file; an `OSError` where there are more bytes than `most`."""
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
