"""Arrays that grow at their end, and runs of rows that belong to one story."""

from __future__ import annotations

from typing import Any

import numpy as np

BLOCK = 1_024
"""Rows made into floats at a time: they stay in the processor's cache, and the product stays below
the size from which BLAS would wake threads that take longer to start than to work."""
GROWTH = 1.25
"""Room is added by this factor: memory that no row fills is never touched."""


class Growing:
    """Rows of one shape; adding some costs, on average, only what they weigh."""

    def __init__(self, shape: tuple[int, ...], kind: Any) -> None:
        self._room = np.empty((64, *shape), kind)
        self._count = 0

    @classmethod
    def of(cls, rows: np.ndarray) -> Growing:
        """Rows that are there already, wherever they lie; they are copied when others come."""
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


class SixteenBits:
    """Directions in sixteen bits a number, each row with what it is multiplied with.

    Eight take the same time, but mix up neighbours among hundreds of thousands of rows.
    """

    def __init__(self, rows: Growing, scales: Growing) -> None:
        self._rows, self._scale = rows, scales

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, vectors: np.ndarray) -> None:
        rounded, scale = sixteen_bits(vectors)
        self._rows.add(rounded)
        self._scale.add(scale)

    def cosines(self, direction: np.ndarray) -> np.ndarray:
        """Of every row with a direction of length one, in the order they were added."""
        rows = self._rows.values
        found = np.empty(len(rows), np.float32)
        floats = np.empty((BLOCK, len(direction)), np.float32)
        for start in range(0, len(rows), BLOCK):
            block = rows[start : start + BLOCK]
            np.copyto(floats[: len(block)], block)
            np.dot(floats[: len(block)], direction, out=found[start : start + len(block)])
        return np.asarray(found * self._scale.values)


def sixteen_bits(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int16 rows and the float32 that each is multiplied with to be near the original."""
    largest = np.abs(vectors).max(axis=1, initial=0)
    scale = np.maximum(largest, 1e-9) / 32_767
    return np.rint(vectors / scale[:, None]).astype(np.int16), scale.astype(np.float32)


class Runs:
    """Which rows belong to which story: one run of rows a story, in rising order."""

    def __init__(self, owners: Growing, starts: Growing) -> None:
        self._owners, self._starts = owners, starts

    def add(self, owners: np.ndarray, first_row: int) -> np.ndarray:
        """Take in the owners of new rows; say where, among these rows, their runs begin."""
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        self._owners.add(owners[starts])
        self._starts.add(first_row + starts)
        return starts

    def largest(self, values: np.ndarray, nothing: np.ndarray) -> np.ndarray:
        """Each story's largest value; those without rows stay as in `nothing`."""
        found = nothing.copy()
        if len(self._starts):
            found[self._owners.values] = np.maximum.reduceat(values, self._starts.values)
        return found

    def totals(self, values: np.ndarray, nothing: np.ndarray, divisor: np.ndarray) -> np.ndarray:
        """Each story's sum of values, over its run's divisor."""
        found = nothing.copy()
        if len(self._starts):
            found[self._owners.values] = np.add.reduceat(values, self._starts.values) / divisor
        return found
