"""The index over all stories of a library; a query is compared with every one of them.

New videos are appended without rebuilding the index; a changed video is appended again, and its old
rows are skipped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from storyscope.core import Passages, Story
from storyscope.search.candidates import NO_STORY, PassageStories, TermMatches, find_passages
from storyscope.search.query import QueryVectors, Term
from storyscope.search.scores import VectorScores
from storyscope.search.segment import IndexedVideo, Segment
from storyscope.store import Store


class StoryLocation(NamedTuple):
    """A story by its video and its number."""

    video: str
    number: int
    """The story's number among those of its video, from 0."""


class Index:
    """Segments in sequence; videos are added to the last one."""

    def __init__(self, class_vectors: np.ndarray, *, image_dimensions: int = 0) -> None:
        """`class_vectors` are those of the image network's classes: [classes, dimensions].

        `image_dimensions` are those of the image-text model, 0 if there is none.
        """
        self.class_vectors, self.image_dimensions = class_vectors, image_dimensions
        self.videos: dict[str, range] = {}
        """The rows of each current video's stories."""
        self.addresses: dict[str, range] = {}
        """The addresses of each current video's passages in the full-text index."""
        self.passages = PassageStories()
        self._segments = [Segment(class_vectors, image_dimensions)]
        self._firsts: list[int] = []
        self._names: list[str] = []

    @property
    def last(self) -> Segment:
        """The segment that videos are added to."""
        return self._segments[-1]

    @property
    def story_count(self) -> int:
        """Number of rows of all stories, including those that are no longer current."""
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
        """Add a new or changed video, with its stories in order.

        The addresses of its passages in the full-text index begin at `first_address`.
        """
        self.remove(video)
        before = self.story_count - self.last.story_count
        owners = self.last.add(video, key, stories, passages, first_address)
        self._register(self.last.videos[-1], owners, before)

    def attach(self, segment: Segment, keys: Mapping[str, str]) -> None:
        """Insert a segment before the last one; videos of it with outdated keys are not current."""
        if self.last.story_count:
            raise ValueError("a segment cannot be inserted before videos that were already added")
        before = self.story_count
        for video, owners in zip(segment.videos, segment.passage_owners(), strict=True):
            if keys.get(video.video) == video.key:
                self._register(video, owners, before)
        self._segments.insert(-1, segment)

    def seal(self, segment: Segment) -> None:
        """Replace the last segment by this copy of it, and start a new one."""
        self._segments[-1:] = [segment, Segment(self.class_vectors, self.image_dimensions)]

    def remove(self, video: str) -> None:
        """Skip a video from now on."""
        if video in self.videos:
            del self.videos[video]
            self.passages.remove(self.addresses.pop(video))

    def locate(self, row: int) -> StoryLocation:
        """The story in a row of a current video."""
        at = bisect_right(self._firsts, row) - 1
        return StoryLocation(self._names[at], row - self._firsts[at])

    def current(self) -> np.ndarray:
        """bool [stories]: whether each row belongs to a current version of a video."""
        rows = np.zeros(self.story_count, bool)
        for stories in self.videos.values():
            rows[stories.start : stories.stop] = True
        return rows

    def score(self, query: QueryVectors) -> VectorScores:
        """Every story's scores for a query."""
        found = [segment.score(query) for segment in self._segments]
        return VectorScores(*map(np.concatenate, zip(*found, strict=True)))

    def matches(self, terms: Sequence[Term], store: Store) -> TermMatches:
        """Which terms the passages contain."""
        shares = self.passages.term_shares(find_passages(terms, store))
        return TermMatches(self.passages, self.addresses, shares)

    def window_cosines(self, vector: np.ndarray) -> np.ndarray:
        """Cosines of every text window with a unit vector, in the order they were added."""
        return np.concatenate([segment.window_cosines(vector) for segment in self._segments])

    def _register(self, video: IndexedVideo, owners: np.ndarray, before: int) -> None:
        """Make a video current; `before` is the number of stories in earlier segments."""
        stories = range(before + video.stories.start, before + video.stories.stop)
        self.videos[video.video], self.addresses[video.video] = stories, video.addresses
        self._firsts.append(stories.start)
        self._names.append(video.video)
        rows = np.where(owners == NO_STORY, NO_STORY, before + owners)
        self.passages.add(video.addresses, rows, video.spoken_count)
