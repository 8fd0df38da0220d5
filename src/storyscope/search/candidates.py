"""The terms of a query -> the passages that contain them, and the story of each passage.

A passage is identified by its address, a number assigned by the store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from storyscope.search.query import Term
from storyscope.search.rows import GrowingArray
from storyscope.store import MAX_MATCHES, Store, TextQuery

NO_STORY = -1


def find_passages(terms: Sequence[Term], store: Store) -> list[np.ndarray]:
    """For each term, the addresses of the passages that contain it."""
    return [_find(term.lookup, store) for term in terms]


def _find(lookup: TextQuery, store: Store) -> np.ndarray:
    if lookup.prefix:
        # A term that reaches the limit is not searched as a prefix too, which might displace exact
        # matches.
        found = store.text.find(TextQuery(lookup.terms))
        if len(found) >= MAX_MATCHES:
            return found
    return store.text.find(lookup)


class PassageStories:
    """The story of every passage, spoken or on screen, by its address."""

    def __init__(self) -> None:
        self._stories = GrowingArray((), np.int32)
        self._on_screen = GrowingArray((), np.bool_)

    def add(self, addresses: range, stories: np.ndarray, spoken_count: int) -> None:
        """Add passages with their stories or `NO_STORY`; the first `spoken_count` are spoken."""
        missing = addresses.stop - len(self._stories)
        if missing > 0:
            self._stories.add(np.full(missing, NO_STORY, np.int32))
            self._on_screen.add(np.zeros(missing, np.bool_))
        rows = slice(addresses.start, addresses.stop)
        self._stories.values[rows] = stories
        self._on_screen.values[rows] = np.arange(len(addresses)) >= spoken_count

    def remove(self, addresses: range) -> None:
        """Remove these passages from their stories."""
        self._stories.values[addresses.start : addresses.stop] = NO_STORY

    def term_shares(self, found: Sequence[np.ndarray]) -> np.ndarray:
        """float32 [addresses]: share of the terms that each passage contains.

        `found` has, for each term, the addresses of the passages that contain it.
        """
        counts = np.zeros(len(self._stories), np.float32)
        for addresses in found:
            # A passage may have been added by another process in the meantime.
            counts[addresses[addresses < len(counts)]] += 1
        return counts / max(len(found), 1)

    def best_per_story(self, shares: np.ndarray, count: int, *, on_screen: bool) -> np.ndarray:
        """float64 [count]: each story's largest share among its spoken passages, or those on
        screen."""
        chosen = (
            (shares > 0)
            & (self._on_screen.values == on_screen)
            & (self._stories.values != NO_STORY)
        )
        best = np.zeros(count)
        np.maximum.at(best, self._stories.values[chosen], shares[chosen])
        return best


class TermMatches(NamedTuple):
    """The share of a query's terms in each passage of a library."""

    passages: PassageStories
    addresses: Mapping[str, range]
    """The addresses of each video's passages."""
    shares: np.ndarray
    """float32 [addresses]"""

    def best_per_story(self, count: int, *, on_screen: bool) -> np.ndarray:
        """float64 [count]: each story's largest share among its spoken passages, or those on
        screen."""
        return self.passages.best_per_story(self.shares, count, on_screen=on_screen)

    def of_video(self, video: str) -> np.ndarray:
        """float32 [passages]: the share of the terms in each passage of a video."""
        return self.shares[self.addresses[video].start : self.addresses[video].stop]
