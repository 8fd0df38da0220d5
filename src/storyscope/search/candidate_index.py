"""The candidates of one query, with the interface of an `Index` of all stories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from storyscope.search.index import StoryLocation
from storyscope.search.query import QueryVectors, Term
from storyscope.search.scores import VectorScores
from storyscope.search.segment import Segment
from storyscope.store import FoundPassages, FoundStory, Store


class CandidateIndex:
    """The candidates of one query, and their passages that contain its terms."""

    def __init__(
        self,
        class_vectors: np.ndarray,
        stories: Sequence[FoundStory],
        segment: Segment,
        passages: FoundPassages,
    ) -> None:
        """`segment` has the rows of the stories, in the same order."""
        self.class_vectors, self._segment = class_vectors, segment
        self._stories, self._passages = stories, passages

    @property
    def story_count(self) -> int:
        return len(self._stories)

    def current(self) -> np.ndarray:
        """bool [stories]: all true, because every candidate belongs to a current video."""
        return np.ones(self.story_count, bool)

    def locate(self, row: int) -> StoryLocation:
        """The story of a row."""
        return StoryLocation(self._stories[row].video, self._stories[row].number)

    def score(self, query: QueryVectors) -> VectorScores:
        """Every candidate's scores for a query."""
        return self._segment.score(query)

    def matches(self, terms: Sequence[Term], store: Store) -> CandidateMatches:
        """Which terms the candidates contain; these are the terms they were found by."""
        return CandidateMatches(self._stories, self._passages)


class CandidateMatches:
    """The share of a query's terms in each passage of its candidates."""

    def __init__(self, stories: Sequence[FoundStory], passages: FoundPassages) -> None:
        numbers = np.array([story.id for story in stories], np.int64)
        order = np.argsort(numbers)
        at = np.searchsorted(numbers[order], passages.stories)
        is_candidate = np.isin(passages.stories, numbers)
        self._rows = order[at[is_candidate]]
        self._addresses = passages.addresses[is_candidate]
        counts = passages.terms[is_candidate].sum(axis=1).astype(np.float32)
        self._shares = counts / max(passages.terms.shape[1], 1)
        screens = np.array([story.first_address + story.spoken_count for story in stories], int)
        self._on_screen = self._addresses >= screens[self._rows]
        self._videos = {story.video: story for story in stories}

    def best_per_story(self, count: int, *, on_screen: bool) -> np.ndarray:
        """float64 [count]: each story's largest share among its spoken passages, or those on
        screen."""
        best, chosen = np.zeros(count), self._on_screen == on_screen
        np.maximum.at(best, self._rows[chosen], self._shares[chosen])
        return best

    def of_video(self, video: str) -> np.ndarray:
        """float32 [passages]: the share of the terms in each passage of a video."""
        story = self._videos[video]
        shares = np.zeros(story.passage_count, np.float32)
        within = self._addresses - story.first_address
        inside = (within >= 0) & (within < len(shares))
        shares[within[inside]] = self._shares[inside]
        return shares
