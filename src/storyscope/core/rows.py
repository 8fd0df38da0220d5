"""Long arrays that need not be in memory and are read in parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, overload

import numpy as np

BATCH = 1024


class Rows(Protocol):
    """Rows of numbers: an array, or a file of which only the requested rows are read."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Any, /) -> Any:
        """An array of the rows selected by a slice or an array of numbers."""

    def __array__(self, dtype: Any = None, /) -> np.ndarray[Any, Any]: ...


def in_batches(rows: Rows, size: int = BATCH) -> Iterator[np.ndarray]:
    """All rows in order, `size` at a time; one empty batch if there are none."""
    for start in range(0, max(1, len(rows)), size):
        yield rows[start : start + size]


class Blobs(Sequence[bytes]):
    """Concatenated byte strings; `ends` holds the end of each."""

    def __init__(self, joined: Rows, ends: np.ndarray) -> None:
        self.joined, self.ends = joined, ends

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, place: int) -> bytes: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[bytes, ...]: ...
    def __getitem__(self, place: int | slice) -> bytes | tuple[bytes, ...]:
        if isinstance(place, slice):
            return tuple(self[number] for number in range(*place.indices(len(self))))
        number = range(len(self))[place]
        start = int(self.ends[number - 1]) if number else 0
        joined: np.ndarray = self.joined[start : int(self.ends[number])]
        return joined.tobytes()
