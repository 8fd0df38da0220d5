"""All stories of a library, so that a query looks at every one of them exactly.

A video is added behind the others and nothing is rebuilt; one that changed is added anew, and its
old rows are passed over.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from storyscope.core import Passages, Story
from storyscope.search.segment import Filed, Scores, Segment, Senses
from storyscope.search.spoken import NOBODY, Spoken


class Place(NamedTuple):
    """A story of the index."""

    video: str
    number: int
    """Among the stories of its video."""


class Index:
    """Segments one behind the other; the last takes in what is added."""

    def __init__(self, meanings: np.ndarray, *, look_dimensions: int = 0) -> None:
        """`meanings` holds what the image network's classes mean: [classes, dimensions].

        `look_dimensions` are those of the image-text network, if there is one.
        """
        self.meanings, self.look_dimensions = meanings, look_dimensions
        self.videos: dict[str, range] = {}
        """The stories of each video that is there."""
        self.addresses: dict[str, range] = {}
        """Where its passages lie in the full-text index."""
        self.spoken = Spoken()
        self._segments = [Segment(meanings, look_dimensions)]
        self._firsts: list[int] = []
        self._names: list[str] = []

    @property
    def last(self) -> Segment:
        """The segment that grows."""
        return self._segments[-1]

    @property
    def story_count(self) -> int:
        """Of all stories, also those that are gone."""
        return sum(segment.story_count for segment in self._segments)

    @property
    def window_count(self) -> int:
        return sum(segment.window_count for segment in self._segments)

    @property
    def shot_count(self) -> int:
        return sum(segment.shot_count for segment in self._segments)

    def add(
        self,
        video: str,
        stories: Sequence[Story],
        passages: Passages,
        *,
        key: str = "",
        first_address: int = 0,
    ) -> None:
        """Take in a video, or one that changed; its stories lie in the order they are told.

        Its passages lie in the full-text index from `first_address` on.
        """
        self.remove(video)
        before = self.story_count - self.last.story_count
        owners = self.last.add(video, key, stories, passages, first_address)
        self._take_in(self.last.filed[-1], owners, before)

    def adopt(self, segment: Segment, keys: Mapping[str, str]) -> None:
        """Put a segment before the one that grows; only videos with these keys are there."""
        if self.last.story_count:
            raise ValueError("a segment cannot come before what was added already")
        before = self.story_count
        for filed, owners in zip(segment.filed, segment.passage_owners(), strict=True):
            if keys.get(filed.video) == filed.key:
                self._take_in(filed, owners, before)
        self._segments.insert(-1, segment)

    def seal(self, segment: Segment) -> None:
        """Go on with this copy of the segment that grew, and let a new one grow."""
        self._segments[-1:] = [segment, Segment(self.meanings, self.look_dimensions)]

    def remove(self, video: str) -> None:
        """Pass over a video from now on."""
        if video in self.videos:
            del self.videos[video]
            self.spoken.remove(self.addresses.pop(video))

    def place(self, story: int) -> Place:
        """Which story this is; only of videos that are there."""
        at = bisect_right(self._firsts, story) - 1
        return Place(self._names[at], story - self._firsts[at])

    def alive(self) -> np.ndarray:
        """bool [stories]: those of videos that are there, as they are now."""
        there = np.zeros(self.story_count, bool)
        for stories in self.videos.values():
            there[stories.start : stories.stop] = True
        return there

    def score(self, senses: Senses) -> Scores:
        """Every story's scores for a query."""
        found = [segment.score(senses) for segment in self._segments]
        return Scores(*map(np.concatenate, zip(*found, strict=True)))

    def window_cosines(self, meaning: np.ndarray) -> np.ndarray:
        """Of every window of text with a direction, in the order they were added."""
        return np.concatenate([segment.window_cosines(meaning) for segment in self._segments])

    def _take_in(self, filed: Filed, owners: np.ndarray, before: int) -> None:
        """Note where a video lies; `before` are the stories of the segments before its own."""
        stories = range(before + filed.stories.start, before + filed.stories.stop)
        self.videos[filed.video], self.addresses[filed.video] = stories, filed.addresses
        self._firsts.append(stories.start)
        self._names.append(filed.video)
        places = np.where(owners == NOBODY, NOBODY, before + owners)
        self.spoken.add(filed.addresses, places, filed.heard)
