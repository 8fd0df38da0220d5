"""Which story every passage of the full-text index belongs to, and which passages share a query's
words.

A passage is known by its address, a number that the store gave it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from storyscope.search.rows import Growing

NOBODY = -1


class Spoken:
    """The stories of passages, heard or read on screen, by address."""

    def __init__(self) -> None:
        self._owners, self._read = Growing((), np.int32), Growing((), np.bool_)

    def add(self, addresses: range, owners: np.ndarray, heard: int) -> None:
        """Take in passages: their stories or `NOBODY`; the first `heard` of them are heard."""
        missing = addresses.stop - len(self._owners)
        if missing > 0:
            self._owners.add(np.full(missing, NOBODY, np.int32))
            self._read.add(np.zeros(missing, np.bool_))
        self._owners.values[addresses.start : addresses.stop] = owners
        self._read.values[addresses.start : addresses.stop] = np.arange(len(addresses)) >= heard

    def remove(self, addresses: range) -> None:
        """Pass over these from now on."""
        self._owners.values[addresses.start : addresses.stop] = NOBODY

    def shares(self, found: Sequence[np.ndarray]) -> np.ndarray:
        """float32 [addresses]: share of the terms that each passage holds.

        `found` has, for each term, the addresses of the passages that hold it.
        """
        terms = np.zeros(len(self._owners), np.float32)
        for addresses in found:
            # A passage may have been added by another process after this was brought up to date.
            terms[addresses[addresses < len(terms)]] += 1
        return terms / max(len(found), 1)

    def largest(self, shares: np.ndarray, count: int, *, read: bool) -> np.ndarray:
        """float64 [count]: the largest share of each story, among what is heard or what is read."""
        there = (shares > 0) & (self._read.values == read) & (self._owners.values != NOBODY)
        largest = np.zeros(count)
        np.maximum.at(largest, self._owners.values[there], shares[there])
        return largest
