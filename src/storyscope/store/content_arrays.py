"""Arrays shared by many machines: files named by the digest of their content.

A file is written before the transaction that refers to it and verified when it is read. Artefacts
with the same content share a file; unreferenced files are deleted after a day.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from storyscope.core import Rows
from storyscope.store.arrays import (
    DIGEST_DIGITS,
    DamagedArrays,
    StoredRows,
    hashed,
    open_arrays,
    require_digest,
    serialized,
)
from storyscope.store.buckets import Bucket
from storyscope.store.explaining import explained
from storyscope.store.places import FOLDER, address_of
from storyscope.writing import half_written

SUFFIX = ".safetensors"
UNUSED_SECONDS = 24 * 3600.0
"""Minimum age in seconds of an unreferenced file before it is deleted: a transaction may be about
to refer to it."""
CACHE_BYTES = 20 << 30
"""Maximum size of the local cache of files in a bucket; the least recently used are deleted
first."""


class ContentArrays(Protocol):
    """Files of arrays by the digest of their content."""

    def put(self, arrays: Mapping[str, Rows]) -> str:
        """Store some arrays, and return the name of their file."""

    def has(self, name: str) -> bool: ...

    def open(self, name: str) -> dict[str, StoredRows]:
        """The arrays with this name; OSError or DamagedArrays if they are missing or damaged."""

    def verify(self, name: str) -> None:
        """Read a whole file; raise DamagedArrays if its content does not match its name."""

    def names(self) -> Iterator[tuple[str, float]]:
        """Every file's name, and the seconds since it was last written."""

    def delete(self, name: str) -> None: ...


def open_content_arrays(place: str, cache: Path) -> ContentArrays:
    """The arrays in a folder, or those in a bucket with a local cache."""
    is_folder = address_of(place)[0] == FOLDER
    return FolderArrays(Path(place)) if is_folder else BucketArrays(place, cache)


class FolderArrays:
    """Arrays in a folder that every machine sees under the same path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with explained(folder):
            folder.mkdir(parents=True, exist_ok=True)

    def put(self, arrays: Mapping[str, Rows]) -> str:
        digest = hashlib.sha256()
        with explained(self.folder), _written(self.folder, arrays, digest) as part:
            name = digest.hexdigest()[:DIGEST_DIGITS]
            path = self._path(name)
            path.parent.mkdir(exist_ok=True)
            part.replace(path)
        return name

    def has(self, name: str) -> bool:
        return self._path(name).exists()

    def open(self, name: str) -> dict[str, StoredRows]:
        return open_arrays(self._path(name))

    def verify(self, name: str) -> None:
        require_digest(self._path(name), name)

    def names(self) -> Iterator[tuple[str, float]]:
        for path in sorted(self.folder.glob(f"*/*{SUFFIX}")):
            with suppress(FileNotFoundError):
                yield path.stem, time.time() - path.stat().st_mtime

    def delete(self, name: str) -> None:
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self.folder / name[:2] / f"{name}{SUFFIX}"


class BucketArrays:
    """Arrays in an object store such as S3, with a local cache."""

    def __init__(self, place: str, cache: Path) -> None:
        self._bucket, self._cache = Bucket(place), FolderArrays(cache)

    def put(self, arrays: Mapping[str, Rows]) -> str:
        name = self._cache.put(arrays)
        # It is written even if it exists, which protects it from deletion.
        self._bucket.put(_key(name), self._cache._path(name))
        return name

    def has(self, name: str) -> bool:
        return self._bucket.has(_key(name))

    def open(self, name: str) -> dict[str, StoredRows]:
        path = self._cache._path(name)
        with suppress(OSError, DamagedArrays):
            arrays = self._cache.open(name)
            os.utime(path)
            return arrays
        self._fetch(name)
        return self._cache.open(name)

    def verify(self, name: str) -> None:
        self._fetch(name)
        self._cache.verify(name)

    def names(self) -> Iterator[tuple[str, float]]:
        for found in self._bucket.files():
            path = Path(found.key)
            if path.suffix == SUFFIX:
                yield path.stem, time.time() - found.modified

    def delete(self, name: str) -> None:
        self._bucket.delete(_key(name))
        self._cache.delete(name)

    def _fetch(self, name: str) -> None:
        """Download a file of the bucket to the cache, and make room for it there."""
        path = self._cache._path(name)
        with explained(self._cache.folder):
            path.parent.mkdir(exist_ok=True)
            with half_written(path.parent, self._bucket.pieces(_key(name))) as part:
                part.replace(path)
        _prune(self._cache.folder, CACHE_BYTES, keep=path)


def _written(folder: Path, arrays: Mapping[str, Rows], digest: hashlib._Hash) -> Any:
    return half_written(folder, hashed(serialized(arrays), digest))


def _key(name: str) -> str:
    return f"{name[:2]}/{name}{SUFFIX}"


def _prune(folder: Path, most_bytes: int, *, keep: Path) -> None:
    files = [(path, path.stat()) for path in folder.glob(f"*/*{SUFFIX}") if path != keep]
    left = sum(stat.st_size for _, stat in files)
    for path, stat in sorted(files, key=lambda file: file[1].st_mtime):
        if left <= most_bytes:
            break
        path.unlink(missing_ok=True)
        left -= stat.st_size
