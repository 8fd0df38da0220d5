"""Files on disk: whether they can be read, and their digest."""

from __future__ import annotations

import hashlib
import os
from io import BufferedReader
from pathlib import Path

from storyscope.errors import MediaError
from storyscope.reading import open_regular

HOLES_ALLOWED = 64 << 20
"""Bytes that a file may lack on disk, whatever its size."""
SPARSEST = 4
"""Maximum ratio of a file's size to its space on disk."""


def open_video(path: Path) -> int:
    """Open a readable file that is not empty; return its descriptor, or raise a `MediaError`."""
    _check_name(path)
    try:
        opened = open_regular(path)
    except FileNotFoundError:
        raise MediaError(f"{path} does not exist; check the path") from None
    except PermissionError:
        raise MediaError(f"{path} cannot be read; change its permissions") from None
    except IsADirectoryError:
        raise MediaError(f"{path} is a folder; give a video file in it") from None
    except OSError as error:
        raise MediaError(
            f"{path} cannot be read: {error.strerror}; copy it to a new file"
        ) from error
    try:
        found = os.fstat(opened)
        if not found.st_size:
            raise MediaError(f"{path} is empty (0 bytes); copy or download it again")
        _check_holes(path, found)
    except MediaError:
        os.close(opened)
        raise
    return opened


def _check_name(path: Path) -> None:
    """Reject a name that neither the database nor JSON can represent."""
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        shown = os.fsencode(path).decode(errors="backslashreplace")
        raise MediaError(f"{shown} has a name that is not UTF-8; rename it") from None


def _check_holes(path: Path, stat: os.stat_result) -> None:
    """Reject a sparse file: reading its holes takes time and gives nothing."""
    on_disk = getattr(stat, "st_blocks", 0) * 512
    # Some file systems do not report the space of a file.
    if on_disk and stat.st_size > HOLES_ALLOWED + SPARSEST * on_disk:
        raise MediaError(
            f"{path} has {stat.st_size / 1e6:.0f} MB but only {on_disk / 1e6:.1f} MB of it are on "
            "disk; finish copying or downloading it first"
        )


def file_digest(path: Path) -> str:
    """Digest of the whole file (BLAKE2b, 128 bits, in hexadecimal)."""
    try:
        with open(open_regular(path), "rb") as file:
            return digest_of_open(file)
    except OSError as error:
        raise MediaError(f"{path} cannot be read: {error.strerror}; check the disk") from error


def digest_of_open(file: BufferedReader) -> str:
    """Digest of an open file, from its beginning."""
    file.seek(0)
    return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
