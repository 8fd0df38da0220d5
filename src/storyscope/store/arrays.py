"""Arrays on disk: written as they grow, stored in safetensors files, and read in parts.

Safetensors files contain no code: eight bytes with the size of a JSON header, the header, and the
arrays in sequence. The official library needs every array in memory, for writing and for reading.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import Any

import numpy as np

from storyscope.core import Blobs, Rows
from storyscope.errors import LibraryError
from storyscope.store.explaining import explained

PIECE_BYTES = 1 << 20
MOST_HEADER_BYTES = 1 << 24
DIGEST_DIGITS = 32
"""Number of digits of a file's SHA-256 in its name."""
KINDS = {
    np.dtype(kind).newbyteorder("<"): name
    for kind, name in [
        ("u8", "U64"),
        ("i8", "I64"),
        ("f8", "F64"),
        ("f4", "F32"),
        ("u4", "U32"),
        ("i4", "I32"),
        ("f2", "F16"),
        ("u2", "U16"),
        ("i2", "I16"),
        ("i1", "I8"),
        ("u1", "U8"),
        ("?", "BOOL"),
    ]
}
"""Order of arrays in a file, so that every number is aligned."""


class DamagedArrays(LibraryError):
    """A file whose content does not match its header or digest."""


class StoredRows:
    """An array in an open file, of which parts are read on request."""

    def __init__(self, file: _Shared, start: int, shape: tuple[int, ...], kind: np.dtype) -> None:
        self._file, self._start, self.shape, self.dtype = file, start, shape, kind
        self._row = kind.itemsize * math.prod(shape[1:])

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> np.ndarray:
        if isinstance(rows, slice) and rows.step in (None, 1):
            first, end, _ = rows.indices(len(self))
            return self._read(first, max(first, end))
        numbers = np.arange(len(self))[rows]
        found = [self._read(number, number + 1) for number in np.atleast_1d(numbers).tolist()]
        array = np.concatenate([self._read(0, 0), *found])
        return array if numbers.ndim else array[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self._read(0, len(self)).astype(dtype or self.dtype, copy=False)

    def _read(self, first: int, end: int) -> np.ndarray:
        array = np.empty((end - first, *self.shape[1:]), self.dtype)
        self._file.read_into(array, self._start + first * self._row)
        return array


class Spool:
    """An array that grows on disk, in an unnamed file: a killed process leaves nothing behind."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or Path(gettempdir())
        with explained(self._folder):
            self._file = _Shared(TemporaryFile(dir=self._folder, buffering=0))  # noqa: SIM115
        self._row: tuple[int, ...] = ()
        self._kind = np.dtype(np.uint8)
        self._ends: list[int] = []

    def append(self, rows: np.ndarray | bytes) -> None:
        """Append rows, all of the same width and type, or a byte string."""
        array = np.frombuffer(rows, np.uint8) if isinstance(rows, bytes) else rows
        self._row, self._kind = array.shape[1:], array.dtype
        self._ends.append(len(array) + (self._ends[-1] if self._ends else 0))
        with explained(self._folder):
            self._file.append(np.ascontiguousarray(array))

    def rows(self) -> Rows:
        """Everything that was appended, as one array."""
        count = self._ends[-1] if self._ends else 0
        return StoredRows(self._file, 0, (count, *self._row), self._kind)

    def blobs(self) -> Blobs:
        """The appended byte strings."""
        return Blobs(self.rows(), np.array(self._ends, np.int64))


def serialized(arrays: Mapping[str, Rows]) -> Iterator[bytes | memoryview]:
    """The content of a safetensors file, in pieces; one piece is in memory at a time."""
    order = sorted(arrays, key=lambda name: (list(KINDS).index(_kind(arrays[name])), name))
    header, end = {}, 0
    for name in order:
        array, kind = arrays[name], _kind(arrays[name])
        start, end = end, end + kind.itemsize * math.prod(array.shape)
        header[name] = {
            "dtype": KINDS[kind],
            "shape": list(array.shape),
            "data_offsets": [start, end],
        }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little") + text
    for name in order:
        yield from _pieces(arrays[name])


def hashed(
    pieces: Iterable[bytes | memoryview], digest: hashlib._Hash
) -> Iterator[bytes | memoryview]:
    """The same pieces, each added to the digest."""
    for piece in pieces:
        digest.update(piece)
        yield piece


def require_content(path: Path) -> None:
    """Check a file against the digest in its name; raise DamagedArrays if it differs.

    An unchanged file is read once per process. Files of earlier versions have no digest in their
    names.
    """
    found = re.search(rf"(?:^|-)([0-9a-f]{{{DIGEST_DIGITS}}})(-\d+)?$", path.stem)
    if found:
        stat = path.stat()
        _require_once(path, found[1], (stat.st_ino, stat.st_size, stat.st_mtime_ns))


@lru_cache(4096)
def _require_once(path: Path, wanted: str, state: tuple[int, ...]) -> None:
    require_digest(path, wanted)


def require_digest(path: Path, wanted: str) -> None:
    """Read a whole file; raise DamagedArrays if its SHA-256 does not begin with these digits."""
    with path.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    if not content.startswith(wanted):
        raise DamagedArrays(f"{path.name} has been changed since it was written")


def open_arrays(path: Path) -> dict[str, StoredRows]:
    """The arrays of a safetensors file; OSError or DamagedArrays if it cannot be read."""
    require_content(path)
    file = _Shared(path.open("rb", buffering=0))
    size = path.stat().st_size
    try:
        length = int.from_bytes(file.read(0, 8), "little")
        if length > min(size, MOST_HEADER_BYTES):
            raise ValueError(f"a header of {length} bytes")
        header = json.loads(file.read(8, length))
        kinds = {name: kind for kind, name in KINDS.items()}
        arrays = {}
        for name, facts in header.items():
            start, end = facts["data_offsets"]
            kind, shape = kinds[facts["dtype"]], tuple(map(int, facts["shape"]))
            bytes_wanted = kind.itemsize * math.prod(shape)
            if end - start != bytes_wanted or not 0 <= 8 + length + end <= size:
                raise ValueError(f"{name} does not fit")
            arrays[name] = StoredRows(file, 8 + length + start, shape, kind)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise DamagedArrays(f"{path} is damaged: {error}") from error
    return arrays


class _Shared:
    """A file that several arrays and threads read; it is closed with the last of them."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._lock = threading.Lock()

    def __del__(self) -> None:
        self._file.close()

    def append(self, array: np.ndarray) -> None:
        left = _bytes_of(array)
        with self._lock:
            self._file.seek(0, 2)
            while left:
                left = left[self._file.write(left) :]

    def read(self, start: int, size: int) -> bytes:
        content = np.empty(size, np.uint8)
        self.read_into(content, start)
        return content.tobytes()

    def read_into(self, array: np.ndarray, start: int) -> None:
        """Fill an array with the bytes from `start` on."""
        left = _bytes_of(array)
        with self._lock:
            self._file.seek(start)
            while left:
                count = self._file.readinto(left)
                if not count:
                    raise DamagedArrays(
                        "a file of arrays was cut off while it was read; "
                        "run `storyscope add --again` on the video"
                    )
                left = left[count:]


def _kind(array: Any) -> np.dtype:
    kind: np.dtype = array.dtype.newbyteorder("<")
    return kind


def _bytes_of(array: np.ndarray) -> memoryview:
    """The memory of an array, which must be contiguous."""
    return array.reshape(-1).view(np.uint8).data


def _pieces(array: Rows) -> Iterator[memoryview]:
    if not len(array):
        return
    row = _kind(array).itemsize * math.prod(array.shape[1:])
    step = max(1, PIECE_BYTES // max(1, row))
    for start in range(0, len(array), step):
        part = np.ascontiguousarray(array[start : start + step], _kind(array))
        yield _bytes_of(part)
