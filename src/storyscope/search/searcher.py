"""Answers to queries: joins what is stored, the search room and the thumbnails.

A `Searcher` keeps the index of a library in memory and brings it up to date before every query.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import numpy as np

from storyscope.config import Config
from storyscope.core import Hit, Keyframes, Passages, Ratings, Story, Thumbnail
from storyscope.errors import LibraryError
from storyscope.search import (
    RELEVANT,
    Filter,
    Heard,
    Index,
    Judged,
    Match,
    Senses,
    conse,
    evidence,
    holds_phrases,
    judge,
    matches_in,
    owner_of,
    shown_relevance,
)
from storyscope.search.index_files import LibraryIndex
from storyscope.search.query import Query, ask
from storyscope.store import Store

Answer = TypeVar("Answer")
LOADED_VIDEOS = 64
"""Videos whose passages stay in memory for evidence and thumbnails."""
ALIKE = 0.6
"""Least cosine of a picture, or of a story, with one that is like it."""


class Searcher:
    """Answers queries over a store."""

    def __init__(self, store: Store, config: Config, *, folder: Path | None = None) -> None:
        """`folder` holds what people taught: concepts, and the frames they prefer."""
        self.store, self.config, self.folder = store, config, folder
        self._lock = threading.Lock()
        self._library = LibraryIndex(store, config, folder)
        self._loaded = lru_cache(LOADED_VIDEOS)(self._load)

    def search(self, text: str, *, limit: int, only: Filter = Filter()) -> list[Hit]:
        """Stories that answer the text, best first."""
        if self.config.search.method == "paper":
            return self._search_as_the_paper(text, limit, only)
        return self._at_one_time(lambda: self._search(text, limit, only))

    def more_like(self, story: Story, *, limit: int, only: Filter = Filter()) -> list[Hit]:
        """Stories that speak of the same or look the same as this one, which is not among them."""

        def alike() -> list[Hit]:
            index = self._library.fresh()
            senses = _senses_of(story, self._material(story.video).passages, index.meanings)
            return self._alike(index, senses, limit, only, not_story=story)

        return self._at_one_time(alike)

    def search_picture(
        self, classes: np.ndarray, shares: np.ndarray, *, limit: int, only: Filter = Filter()
    ) -> list[Hit]:
        """Stories that show what a picture shows; its likeliest classes are [1, 10] each."""

        def alike() -> list[Hit]:
            index = self._library.fresh()
            looks = conse(classes, shares, index.meanings)[0]
            return self._alike(index, Senses(looks=looks), limit, only)

        return self._at_one_time(alike)

    def listen(self, text: str) -> tuple[Index, Heard]:
        """What every sense says of every story, relevant or not: what a benchmark looks at."""

        def heard() -> tuple[Index, Heard]:
            index = self._library.fresh()
            query = self._ask(text, index)
            return index, self._heard(index, query, index.spoken.shares(query.found))

        return self._at_one_time(heard)

    def thumbnail(self, story: Story, relevance: np.ndarray | None = None) -> Thumbnail:
        """The frame that stands for a story: a person's choice, else the best for a query.

        `relevance` is that of the video's pictures to the query, if there is one.
        """
        from storyscope.library.thumbnails import preferred
        from storyscope.thumbnails import choose_thumbnail

        chosen = preferred(self.folder, story) if self.folder else None
        if chosen is None:
            material, config = self._material(story.video), self.config.thumbnails
            chosen = choose_thumbnail(story, material.pictures, material.ratings, relevance, config)
        return chosen or Thumbnail(story.id, story.span.middle, 0.0)

    def _at_one_time(self, answer: Callable[[], Answer]) -> Answer:
        """An answer from the library as it is now, whatever other processes write meanwhile."""
        with self._lock:
            while True:
                version = None
                try:
                    with self.store.snapshot():
                        version = self.store.version()
                        return answer()
                except LibraryError:
                    # Files that a snapshot names are deleted once a later state does not.
                    if self.store.version() == version:
                        raise

    def _search(self, text: str, limit: int, only: Filter) -> list[Hit]:
        index = self._library.fresh()
        query = self._ask(text, index)
        if not query.terms:
            return []
        shares = index.spoken.shares(query.found)
        judged = judge(self._heard(index, query, shares)).only(index.alive())
        hits: list[Hit] = []
        for place in _best_first(judged.score, RELEVANT):
            if len(hits) == limit:
                break
            hit = self._hit(index, int(place), judged, query, shares, only)
            if hit is not None:
                hits.append(hit)
        return hits

    def _search_as_the_paper(self, text: str, limit: int, only: Filter) -> list[Hit]:
        from storyscope.search.paper_search import search_as_the_paper

        hits = [
            hit
            for hit in search_as_the_paper(self.store, self.config, text, self.folder)
            if only.passes(hit.story, self._material(hit.video).passages.language)
        ]
        return sorted(hits, key=lambda hit: -hit.score)[:limit]

    def _ask(self, text: str, index: Index) -> Query:
        return ask(text, self.store, self.config, len(index.meanings))

    def _heard(self, index: Index, query: Query, shares: np.ndarray) -> Heard:
        count = index.story_count
        said = index.spoken.largest(shares, count, read=False)
        read = index.spoken.largest(shares, count, read=True)
        return Heard(index.score(query.senses), said, read)

    def _hit(
        self,
        index: Index,
        place: int,
        judged: Judged,
        query: Query,
        shares: np.ndarray,
        only: Filter,
    ) -> Hit | None:
        video, number = index.place(int(place))
        if only.video not in (None, video):
            return None
        material = self._material(video)
        passages, story = material.passages, material.stories[number]
        addresses = index.addresses[video]
        words = matches_in(passages, story, shares[addresses.start : addresses.stop])
        if not only.passes(story, passages.language) or not holds_phrases(words, query.phrases):
            return None
        parts = judged.parts(place)
        relevance = shown_relevance(passages, story, query.senses, index.meanings, words)
        score, by_words = float(judged.score[place]), judged.words[place] >= judged.seen[place]
        because = evidence(
            score, words, passages, story, query.senses, relevance, by_words=bool(by_words)
        )
        return Hit(video, story, self.thumbnail(story, relevance), score, parts, because)

    def _alike(
        self,
        index: Index,
        senses: Senses,
        limit: int,
        only: Filter,
        not_story: Story | None = None,
    ) -> list[Hit]:
        scores = index.score(senses)
        score = np.where(index.alive(), np.maximum(scores.told, scores.seen), 0)
        hits: list[Hit] = []
        for place in _best_first(score, ALIKE):
            if len(hits) == limit:
                break
            video, number = index.place(int(place))
            if only.video not in (None, video):
                continue
            passages, story = self._material(video).passages, self._material(video).stories[number]
            if story == not_story or not only.passes(story, passages.language):
                continue
            no_words: list[Match] = []
            relevance = shown_relevance(passages, story, senses, index.meanings, no_words)
            told, seen = max(float(scores.told[place]), 0.0), max(float(scores.seen[place]), 0.0)
            parts = {"said": 0.0, "meant": told, "seen": seen, "read": 0.0}
            because = "speaks of the same" if told > seen else "looks alike"
            thumbnail = self.thumbnail(story, relevance)
            hits.append(Hit(video, story, thumbnail, float(score[place]), parts, because))
        return hits

    def _material(self, video: str) -> Material:
        stages = ("passages", "titles", "ratings")
        return self._loaded(video, *(self.store.key(video, stage) for stage in stages))

    def _load(self, video: str, *keys: object) -> Material:
        passages = self.store.load(video, "passages")
        return Material(
            stories=self.store.load(video, "titles"),
            passages=passages,
            ratings=self.store.load(video, "ratings"),
            pictures=Keyframes(
                passages.shots, np.zeros(len(passages.shots), int), passages.seconds, ()
            ),
        )


@dataclass(frozen=True, eq=False)
class Material:
    """What a hit in one video is made of."""

    stories: Sequence[Story]
    passages: Passages
    ratings: Ratings
    pictures: Keyframes
    """Without the pictures themselves."""


def _best_first(scores: np.ndarray, least: float) -> np.ndarray:
    """Places of scores of at least this much; of equal ones the first comes first."""
    enough = np.flatnonzero(scores >= least)
    return enough[np.argsort(-scores[enough], kind="stable")]


def _senses_of(story: Story, passages: Passages, meanings: np.ndarray) -> Senses:
    spoken = passages.text_vectors[owner_of(passages.spans.mean(axis=1), [story]) >= 0]
    shown = owner_of(passages.seconds, [story]) >= 0
    looks = conse(passages.classes[shown], passages.shares[shown], meanings)
    return Senses(_direction(spoken), _direction(looks))


def _direction(vectors: np.ndarray) -> np.ndarray | None:
    if not len(vectors):
        return None
    total = vectors.astype(np.float32).sum(axis=0)
    return np.asarray(total / max(float(np.linalg.norm(total)), 1e-9))
