"""Files in an object store such as S3, opened by obstore with its usual environment variables."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from storyscope.errors import LibraryError, MissingDependency
from storyscope.store.places import address_of

BUCKETS = ("s3", "gs", "az")
"""URL schemes of object stores: S3-compatible, Google, Azure."""
SECOND = 1_000_000_000
PIECE_BYTES = 1 << 20
"""Minimum size of the pieces in which a file is read."""


@dataclass(frozen=True)
class BucketFile:
    """Metadata of a file in an object store."""

    key: str
    size: int
    tag: str
    """Its ETag: different content has a different one."""
    modified: float
    """Time of the last write, in seconds since 1970."""

    @property
    def modified_ns(self) -> int:
        """Time of the last write in nanoseconds; the digits below a second encode the tag."""
        digits = int.from_bytes(hashlib.sha256(self.tag.encode()).digest()[:8], "big")
        return int(self.modified) * SECOND + digits % SECOND


class Bucket:
    """The files of an object store below one address, such as s3://bucket/prefix."""

    def __init__(self, place: str) -> None:
        if not in_bucket(place):
            known = ", ".join(f"{scheme}://" for scheme in BUCKETS)
            raise LibraryError(f"{place} cannot be opened as a bucket; give one of {known}")
        try:
            from obstore.store import from_url
        except ImportError as error:
            raise MissingDependency(
                f"{place} is read by obstore, which is not installed; "
                "run `pip install 'storyscope[cluster]'`"
            ) from error
        self.place = place
        try:
            self._store: Any = from_url(place)
        except Exception as error:
            said = str(error).splitlines()[0]
            raise LibraryError(f"{place} cannot be opened as a bucket: {said}") from None

    def find(self, key: str) -> BucketFile:
        """Metadata of a file; FileNotFoundError if there is none."""
        import obstore

        with self._explained():
            return _facts(obstore.head(self._store, key))

    def has(self, key: str) -> bool:
        try:
            self.find(key)
        except FileNotFoundError:
            return False
        return True

    def files(self, folder: str | None = None) -> Iterator[BucketFile]:
        """Every file, or those in a folder, at any depth."""
        with self._explained():
            for found in (each for page in self._store.list(folder) for each in page):
                yield _facts(found)

    def put(self, key: str, path: Path) -> None:
        """Write a file, in parts if it is large."""
        import obstore

        with self._explained():
            obstore.put(self._store, key, path)

    def pieces(self, key: str, *, tag: str = "", part: range | None = None) -> Iterator[memoryview]:
        """The bytes of a file, or a part of them; with a `tag`, of exactly that content."""
        import obstore

        with self._explained():
            options: Any = {"if_match": tag} if tag else {}
            if part is not None:
                options["range"] = (part.start, part.stop)
            found: Any = obstore.get(self._store, key, options=options)
            for piece in found.stream(min_chunk_size=PIECE_BYTES):
                yield memoryview(piece)

    def delete(self, key: str) -> None:
        import obstore

        with self._explained():
            obstore.delete(self._store, key)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Add the name of the store to its errors; a missing file stays a FileNotFoundError."""
        from obstore.exceptions import BaseError, NotFoundError

        try:
            yield
        except NotFoundError as error:
            raise FileNotFoundError(str(error).splitlines()[0]) from None
        except BaseError as error:
            said = str(error).splitlines()[0]
            raise LibraryError(f"{self.place} cannot be used: {said}") from None


def in_bucket(place: str | Path) -> bool:
    """Whether a place is an address in an object store."""
    return address_of(place)[0] in BUCKETS


def spelled(path: str | Path) -> str:
    """The stored form of a file's path: an address unchanged, other paths absolute."""
    return address_of(path)[1] if in_bucket(path) else os.path.abspath(path)


def split_address(address: str | Path) -> tuple[str, str]:
    """The bucket of an address such as s3://bucket/films/film.mp4, and the key in it."""
    scheme, _, rest = address_of(address)[1].partition("://")
    bucket, _, key = rest.partition("/")
    return f"{scheme}://{bucket}", key


def _facts(found: Any) -> BucketFile:
    modified = found["last_modified"].timestamp()
    return BucketFile(found["path"], found["size"], found["e_tag"] or "", modified)
