"""Growing arrays, 16-bit vectors, and runs of rows that belong to one story."""

from __future__ import annotations

from typing import Any

import numpy as np

BLOCK = 1_024
"""Rows converted to floats at a time: few enough for the processor's cache, and for a product that
is too small for BLAS to start threads, which would cost more than the work."""
GROWTH = 1.25
"""Factor by which a full array grows; unused memory is never touched."""


class GrowingArray:
    """An array to which rows can be appended in amortised constant time."""

    def __init__(self, shape: tuple[int, ...], kind: Any) -> None:
        self._room = np.empty((64, *shape), kind)
        self._count = 0

    @classmethod
    def of(cls, rows: np.ndarray) -> GrowingArray:
        """An array over existing rows, mapped or not, which are copied when others are appended."""
        grown = cls((), rows.dtype)
        grown._room, grown._count = rows, len(rows)
        return grown

    def __len__(self) -> int:
        return self._count

    @property
    def values(self) -> np.ndarray:
        return self._room[: self._count]

    def add(self, rows: np.ndarray) -> None:
        end = self._count + len(rows)
        if end > len(self._room):
            wider = np.empty((max(end, int(end * GROWTH)), *self._room.shape[1:]), self._room.dtype)
            wider[: self._count] = self.values
            self._room = wider
        self._room[self._count : end] = rows
        self._count = end


class Int16Vectors:
    """Unit vectors with 16-bit numbers and a scale per row.

    Eight bits take the same time, but lose neighbours among hundreds of thousands of rows.
    """

    def __init__(self, rows: GrowingArray, scales: GrowingArray) -> None:
        self._rows, self._scale = rows, scales

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, vectors: np.ndarray) -> None:
        rounded, scale = quantize(vectors)
        self._rows.add(rounded)
        self._scale.add(scale)

    def cosines(self, vector: np.ndarray) -> np.ndarray:
        """Cosines of every row with a unit vector, in the order of insertion."""
        rows = self._rows.values
        found = np.empty(len(rows), np.float32)
        floats = np.empty((BLOCK, len(vector)), np.float32)
        for start in range(0, len(rows), BLOCK):
            block = rows[start : start + BLOCK]
            np.copyto(floats[: len(block)], block)
            np.dot(floats[: len(block)], vector, out=found[start : start + len(block)])
        return np.asarray(found * self._scale.values)


def quantize(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int16 rows, and the float32 scale of each."""
    largest = np.abs(vectors).max(axis=1, initial=0)
    scale = np.maximum(largest, 1e-9) / 32_767
    return np.rint(vectors / scale[:, None]).astype(np.int16), scale.astype(np.float32)


class StoryRuns:
    """Which rows belong to which story: one run of consecutive rows per story, in increasing
    order."""

    def __init__(self, stories: GrowingArray, starts: GrowingArray) -> None:
        self._stories, self._starts = stories, starts

    def add(self, stories: np.ndarray, first_row: int) -> np.ndarray:
        """Append the stories of new rows; return where, among these rows, their runs begin."""
        starts = np.flatnonzero(np.diff(stories, prepend=-1))
        self._stories.add(stories[starts])
        self._starts.add(first_row + starts)
        return starts

    def maximum(self, values: np.ndarray, default: np.ndarray) -> np.ndarray:
        """Each story's largest value; stories without rows keep their `default`."""
        found = default.copy()
        if len(self._starts):
            found[self._stories.values] = np.maximum.reduceat(values, self._starts.values)
        return found

    def sums(self, values: np.ndarray, default: np.ndarray, divisors: np.ndarray) -> np.ndarray:
        """Each story's sum of values, divided by its run's divisor."""
        found = default.copy()
        if len(self._starts):
            found[self._stories.values] = np.add.reduceat(values, self._starts.values) / divisors
        return found
