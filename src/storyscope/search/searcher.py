"""Search over a library: connects the store, the index, the scores and the thumbnails.

A `Searcher` keeps the index of a library in memory and updates it before every query.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from storyscope.config import Config
from storyscope.core import Hit, Keyframes, Passages, Ratings, Story, Thumbnail
from storyscope.errors import DamagedVideo, InvalidSetting, LibraryError
from storyscope.features import describe_pictures, load_backbone
from storyscope.search.candidate_index import CandidateIndex, CandidateMatches
from storyscope.search.candidates import TermMatches
from storyscope.search.classes import conse
from storyscope.search.database_index import DatabaseIndex
from storyscope.search.filter import Filter
from storyscope.search.hits import (
    PassageMatch,
    contains_phrases,
    evidence_line,
    find_matches,
    story_relevance,
    visual_evidence,
    word_evidence,
)
from storyscope.search.images import read_image
from storyscope.search.index import Index
from storyscope.search.index_files import LibraryIndex
from storyscope.search.paper_search import paper_hits
from storyscope.search.passages import containing_story, top_classes
from storyscope.search.query import Query, QueryVectors, parse_query
from storyscope.search.scores import MIN_SCORE, FusedScores, ModalityScores, fuse, named_parts
from storyscope.store import PASSAGES, RATINGS, TITLES, Store, TextQuery
from storyscope.thumbnails import choose_thumbnail

log = logging.getLogger(__name__)
Result = TypeVar("Result")
AnyIndex = Index | CandidateIndex
"""Every story of a library, or the candidates of one query."""
AnyMatches = TermMatches | CandidateMatches
ChosenThumbnail = Callable[[Story], Thumbnail | None]
CACHED_VIDEOS = 64
"""Videos whose passages are cached for evidence and thumbnails."""
PREFETCHED_HITS = 10
"""Number of hits whose videos are read from the store at once."""
MIN_SIMILARITY = 0.6
"""Lowest cosine of a story that counts as similar to an image or to another story."""


class Searcher:
    """Runs queries on a store."""

    def __init__(
        self,
        store: Store,
        config: Config,
        *,
        folder: Path | None = None,
        index_files: bool = True,
        chosen_thumbnail: ChosenThumbnail = lambda story: None,
    ) -> None:
        """`folder` contains the index files, if they are used, and trained concepts of a library.

        `chosen_thumbnail` returns the frame that a person chose for a story, or None.
        """
        self.store, self.config, self.folder = store, config, folder
        self._chosen_thumbnail = chosen_thumbnail
        self._lock = threading.Lock()
        vectors = store.vector_index() if index_files else None
        self._index: LibraryIndex | DatabaseIndex = (
            LibraryIndex(store, config, folder)
            if vectors is None
            else DatabaseIndex(store, config, vectors)
        )
        self._cached_data = lru_cache(CACHED_VIDEOS)(self._load)

    def search(
        self, text: str, *, limit: int, offset: int = 0, only: Filter = Filter()
    ) -> list[Hit]:
        """Stories that match the text, best first; `offset` skips the hits of earlier pages."""
        if limit < 0 or offset < 0:
            raise InvalidSetting(f"limit and offset cannot be negative, got {limit} and {offset}")
        if self.config.search.method == "paper":
            return self._search_by_paper(text, only)[offset : offset + limit]
        return self._in_snapshot(lambda: self._search(text, limit, offset, only))

    def search_image(self, image: Path, *, limit: int, only: Filter = Filter()) -> list[Hit]:
        """Stories that show what an image file shows, best first."""
        output = describe_pictures(
            [read_image(image)], load_backbone(self.config.features.backbone)
        )
        classes, shares = top_classes(output.posteriors)

        def similar() -> list[Hit]:
            visual = conse(classes, shares, self._index.class_vectors)[0]
            query = QueryVectors(visual=visual)
            return self._similar(self._index.for_query(query, (), limit, only), query, limit, only)

        return self._in_snapshot(similar)

    def more_like(self, story: Story, *, limit: int, only: Filter = Filter()) -> list[Hit]:
        """Stories with a similar topic or similar pictures, without the story itself."""

        def similar() -> list[Hit]:
            passages = self._data(story.video).passages
            query = _story_vectors(story, passages, self._index.class_vectors)
            index = self._index.for_query(query, (), limit + 1, only)
            return self._similar(index, query, limit, only, except_story=story)

        return self._in_snapshot(similar, needed=story.video)

    def prepare(self) -> None:
        """Update the index now, so that the next search does not have to."""
        with self._lock:
            self._index.prepare()

    def score_stories(self, text: str) -> tuple[AnyIndex, ModalityScores]:
        """The index, and every story's score in every modality, for benchmarks."""

        def score() -> tuple[AnyIndex, ModalityScores]:
            query = self._parse(text)
            index = self._index.for_query(query.vectors, _lookups(query), 0, Filter())
            return index, _score(index, query, index.matches(query.terms, self.store))

        return self._in_snapshot(score)

    def thumbnail(self, story: Story, relevance: np.ndarray | None = None) -> Thumbnail:
        """The thumbnail of a story: a person's choice, otherwise the best frame for the query.

        `relevance` is that of the video's keyframes to the query, if there is one.
        """
        return self._thumbnail(story, None, relevance)

    def thumbnails(self, stories: Sequence[Story]) -> list[Thumbnail]:
        """The thumbnails of stories of one video without a query."""
        data = self._data(stories[0].video) if stories else None
        return [self._thumbnail(story, data, None) for story in stories]

    def _thumbnail(
        self, story: Story, data: VideoData | None, relevance: np.ndarray | None
    ) -> Thumbnail:
        thumbnail = self._chosen_thumbnail(story)
        if thumbnail is None:
            data, config = data or self._data(story.video), self.config.thumbnails
            thumbnail = choose_thumbnail(story, data.keyframes, data.ratings, relevance, config)
        return thumbnail or Thumbnail(story.id, story.span.middle, 0.0)

    def _in_snapshot(self, answer: Callable[[], Result], *, needed: str = "") -> Result:
        """A result from one state of the library, whatever other processes write meanwhile.

        Damaged videos are left out, except the one that is `needed`.
        """
        with self._lock:
            self._index.prepare()
            while True:
                version = None
                try:
                    with self.store.snapshot():
                        version = self.store.version()
                        return answer()
                except LibraryError as error:
                    # Files in a snapshot are deleted once a later state no longer uses them.
                    if self.store.version() != version:
                        continue
                    if not isinstance(error, DamagedVideo) or error.video == needed:
                        raise
                    log.warning("%s is left out of the search: %s", error.video, error)
                    self._index.leave_out(error.video)

    def _search(self, text: str, limit: int, offset: int, only: Filter) -> list[Hit]:
        query = self._parse(text)
        if not query.terms:
            return []
        index = self._index.for_query(query.vectors, _lookups(query), offset + limit, only)
        matches = index.matches(query.terms, self.store)
        fused = fuse(_score(index, query, matches)).only(index.current())
        answers = self._answers(index, query, matches, fused, only)
        return [
            self._hit(index, query, fused, answer)
            for answer in islice(answers, offset, offset + limit)
        ]

    def _search_by_paper(self, text: str, only: Filter) -> list[Hit]:
        found = paper_hits(self.store, self.config, text, self.folder, self._chosen_thumbnail)
        hits = [
            hit for hit in found if only.passes(hit.story, self._data(hit.video).passages.language)
        ]
        return sorted(hits, key=lambda hit: -hit.score)

    def _parse(self, text: str) -> Query:
        return parse_query(text, self.store, self.config, len(self._index.class_vectors))

    def _answers(
        self,
        index: AnyIndex,
        query: Query,
        matches: AnyMatches,
        fused: FusedScores,
        only: Filter,
    ) -> Iterator[Answer]:
        """Stories that pass the filter and contain the phrases of the query, best first."""
        for row, story, data in self._best_stories(index, fused.score, MIN_SCORE, only):
            found = find_matches(data.passages, story, matches.of_video(story.video))
            if contains_phrases(found, query.phrases):
                yield Answer(row, story, data, found)

    def _hit(self, index: AnyIndex, query: Query, fused: FusedScores, answer: Answer) -> Hit:
        row, story, data, matches = answer
        score, vectors, passages = float(fused.score[row]), query.vectors, data.passages
        relevance = story_relevance(passages, story, vectors, index.class_vectors, matches)
        if fused.words[row] >= fused.visual[row]:
            modality, found = word_evidence(matches, passages, story, vectors)
        else:
            modality, found = visual_evidence(passages, story, vectors, relevance)
        thumbnail, parts = self._thumbnail(story, data, relevance), fused.parts(row)
        line = evidence_line(score, modality, found)
        return Hit(story.video, story, thumbnail, score, parts, line)

    def _similar(
        self,
        index: AnyIndex,
        query: QueryVectors,
        limit: int,
        only: Filter,
        except_story: Story | None = None,
    ) -> list[Hit]:
        scores = index.score(query)
        score = np.where(index.current(), np.maximum(scores.whole_story, scores.visual), 0)
        hits: list[Hit] = []
        for row, story, data in self._best_stories(index, score, MIN_SIMILARITY, only):
            if len(hits) == limit:
                break
            if story == except_story:
                continue
            relevance = story_relevance(data.passages, story, query, index.class_vectors)
            topic = max(float(scores.whole_story[row]), 0.0)
            visual = max(float(scores.visual[row]), 0.0)
            parts = named_parts(topic=topic, visual=visual)
            line = "Similar topic" if topic > visual else "Similar pictures"
            thumbnail = self._thumbnail(story, data, relevance)
            hits.append(Hit(story.video, story, thumbnail, float(score[row]), parts, line))
        return hits

    def _best_stories(
        self, index: AnyIndex, scores: np.ndarray, least: float, only: Filter
    ) -> Iterator[tuple[int, Story, VideoData]]:
        """Stories that pass the filter, best first, with their row of the index."""
        rows = _best_first(scores, least).tolist()
        for place, row in enumerate(rows):
            if place % PREFETCHED_HITS == 0:
                following = rows[place : place + PREFETCHED_HITS]
                videos = dict.fromkeys(index.locate(each).video for each in following)
                self.store.prefetch(list(videos), (PASSAGES, TITLES, RATINGS))
            video, number = index.locate(row)
            if only.video not in (None, video):
                continue
            data = self._data(video)
            story = data.stories[number]
            if only.passes(story, data.passages.language):
                yield row, story, data

    def _data(self, video: str) -> VideoData:
        keys = self.store.keys(video)
        return self._cached_data(video, *map(keys.get, (PASSAGES.name, TITLES.name, RATINGS.name)))

    def _load(self, video: str, *keys: object) -> VideoData:
        passages = self.store.load(video, PASSAGES)
        return VideoData(
            stories=self.store.load(video, TITLES),
            passages=passages,
            ratings=self.store.load(video, RATINGS),
            keyframes=Keyframes(
                passages.shots, np.zeros(len(passages.shots), int), passages.seconds, ()
            ),
        )


@dataclass(frozen=True, eq=False)
class VideoData:
    """The data that the hits in one video are made from."""

    stories: Sequence[Story]
    passages: Passages
    ratings: Ratings
    keyframes: Keyframes
    """Keyframes without their pictures."""


class Answer(NamedTuple):
    """A matching story, before its hit is created."""

    row: int
    story: Story
    data: VideoData
    matches: Sequence[PassageMatch]


def _lookups(query: Query) -> list[TextQuery]:
    return [term.lookup for term in query.terms]


def _score(index: AnyIndex, query: Query, matches: AnyMatches) -> ModalityScores:
    count = index.story_count
    return ModalityScores(
        index.score(query.vectors),
        spoken=matches.best_per_story(count, on_screen=False),
        on_screen=matches.best_per_story(count, on_screen=True),
    )


def _best_first(scores: np.ndarray, least: float) -> np.ndarray:
    """Rows with a score of at least `least`; ties are in order of rows."""
    enough = np.flatnonzero(scores >= least)
    return enough[np.argsort(-scores[enough], kind="stable")]


def _story_vectors(story: Story, passages: Passages, class_vectors: np.ndarray) -> QueryVectors:
    spoken = passages.text_vectors[containing_story(passages.spans.mean(axis=1), [story]) >= 0]
    shown = containing_story(passages.seconds, [story]) >= 0
    visual = conse(passages.classes[shown], passages.shares[shown], class_vectors)
    return QueryVectors(_mean_direction(spoken), _mean_direction(visual))


def _mean_direction(vectors: np.ndarray) -> np.ndarray | None:
    if not len(vectors):
        return None
    total = vectors.astype(np.float32).sum(axis=0)
    return np.asarray(total / max(float(np.linalg.norm(total)), 1e-9))
