"""Arrays that many machines share: files under a name made of their content.

A file is written before the transaction that names it and verified when it is read. Two artefacts
with the same content share a file; one that no artefact names any more is collected after a day.
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
from storyscope.errors import LibraryError, MissingDependency
from storyscope.store.arrays import (
    DIGEST_DIGITS,
    DamagedArrays,
    StoredRows,
    hashed,
    open_arrays,
    require_digest,
    serialized,
)
from storyscope.store.explaining import explained
from storyscope.store.places import FOLDER, address_of
from storyscope.writing import half_written

SUFFIX = ".safetensors"
UNUSED_SECONDS = 24 * 3600.0
"""A file that no artefact names is kept so long: somebody may be about to name it."""
CACHE_BYTES = 20 << 30
"""What is kept on this machine of the files in a bucket; the longest unused go first."""


class ContentArrays(Protocol):
    """Files of arrays by the digest of their content."""

    def put(self, arrays: Mapping[str, Rows]) -> str:
        """Keep some arrays, and return the name of their content."""

    def has(self, name: str) -> bool: ...

    def open(self, name: str) -> dict[str, StoredRows]:
        """The arrays of this name; OSError or DamagedArrays where they are lost or damaged."""

    def verify(self, name: str) -> None:
        """Read a whole file; DamagedArrays where its content does not match its name."""

    def names(self) -> Iterator[tuple[str, float]]:
        """Every file's name, and the seconds since it was last written."""

    def delete(self, name: str) -> None: ...


def open_content_arrays(place: str, cache: Path) -> ContentArrays:
    """The arrays in a folder, or those in a bucket with a cache on this machine."""
    if address_of(place)[0] == FOLDER:
        return FolderArrays(Path(place))
    return BucketArrays(place, cache)


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
    """Arrays in an object store such as S3, of which this machine keeps what it has read."""

    def __init__(self, place: str, cache: Path) -> None:
        try:
            from obstore.store import from_url
        except ImportError as error:
            raise MissingDependency(
                f"{place} is read by obstore, which is not installed; "
                "run `pip install 'storyscope[cluster]'`"
            ) from error
        self.place = place
        self._cache = FolderArrays(cache)
        try:
            self._bucket = from_url(place)
        except Exception as error:
            raise LibraryError(f"{place} cannot hold arrays: {error}") from None

    def put(self, arrays: Mapping[str, Rows]) -> str:
        import obstore

        name = self._cache.put(arrays)
        with self._explained():
            # Written again even if it is there: that keeps it from being collected.
            obstore.put(self._bucket, _key(name), self._cache._path(name))
        return name

    def has(self, name: str) -> bool:
        import obstore

        try:
            with self._explained():
                obstore.head(self._bucket, _key(name))
        except FileNotFoundError:
            return False
        return True

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
        with self._explained():
            for found in (each for page in self._bucket.list() for each in page):
                path = Path(found["path"])
                if path.suffix == SUFFIX:
                    yield path.stem, time.time() - found["last_modified"].timestamp()

    def delete(self, name: str) -> None:
        import obstore

        with self._explained():
            obstore.delete(self._bucket, _key(name))
        self._cache.delete(name)

    def _fetch(self, name: str) -> None:
        """Copy a file of the bucket into the cache, and make room for it there."""
        import obstore

        path = self._cache._path(name)
        with self._explained():
            pieces = obstore.get(self._bucket, _key(name)).stream()
            path.parent.mkdir(exist_ok=True)
            with half_written(path.parent, map(memoryview, pieces)) as part:
                part.replace(path)
        _prune(self._cache.folder, CACHE_BYTES, keep=path)

    def _explained(self) -> Any:
        return _BucketErrors(self.place)


class _BucketErrors:
    """Says of an object store's errors which store they came from; a missing file stays one."""

    def __init__(self, place: str) -> None:
        self._place = place

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        from obstore.exceptions import BaseError, NotFoundError

        if isinstance(error, NotFoundError):
            raise FileNotFoundError(str(error).splitlines()[0]) from None
        if isinstance(error, BaseError):
            said = str(error).splitlines()[0]
            raise LibraryError(f"{self._place} cannot be used: {said}") from None


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
