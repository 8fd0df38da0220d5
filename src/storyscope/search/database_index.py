"""The index of a library in a database: it selects candidates, which are then scored exactly.

In a small library every story is a candidate, so its hits are those of a library in a folder. In a
large one, candidates are the stories whose words or pictures probably match the query best.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import NamedTuple

import numpy as np

from storyscope.config import Config
from storyscope.core import Passages, Story
from storyscope.errors import DamagedVideo
from storyscope.models import class_names
from storyscope.search.candidate_index import CandidateIndex
from storyscope.search.classes import conse, embed_classes
from storyscope.search.filter import Filter
from storyscope.search.image_text import image_dimensions
from storyscope.search.query import QueryVectors
from storyscope.search.segment import Segment, model_fingerprint
from storyscope.search.selection import estimate_words
from storyscope.search.story_rows import join_stories, split_stories
from storyscope.search.text_model import load_text_model
from storyscope.store import (
    PASSAGES,
    TITLES,
    FiledStory,
    FiledVideo,
    FoundPassages,
    FoundStory,
    Neighbours,
    Store,
    TextQuery,
    VectorIndex,
)

log = logging.getLogger(__name__)
EXACT_STORIES = 2_000
"""Number of stories up to which every story is compared with the query."""
CANDIDATES = 160
"""Stories that words, and each kind of pictures, contribute; more for later pages."""
DEEP = 600
"""Nearest transcripts, and nearest text windows, that are considered."""
MIN_SHARE = 0.05
"""Minimum probability of a class in a shot that is a candidate for its name."""
CACHED_BYTES = 256 << 20
"""Maximum size of the cached rows of stories."""


class Candidates(NamedTuple):
    """Stories to score for a query."""

    stories: list[int]
    passages: FoundPassages
    """Their passages that contain its terms; there may be passages of other stories."""


class DatabaseIndex:
    """The index of a library whose store searches vectors."""

    def __init__(self, store: Store, config: Config, vectors: VectorIndex) -> None:
        self._store, self._config, self._vectors = store, config, vectors
        self._rows: dict[int, FoundStory] = {}
        self._bytes = 0
        self._left_out: dict[str, str] = {}
        self._version: tuple[int, int] | None = None
        self._last: tuple[tuple[int, ...], Segment] | None = None

    @cached_property
    def class_vectors(self) -> np.ndarray:
        model = load_text_model(self._config.search.text_model)
        return embed_classes(model, class_names())

    @cached_property
    def image_dimensions(self) -> int:
        return image_dimensions(self._config.search.image_text)

    def leave_out(self, video: str) -> None:
        """Search without a damaged video until it changes."""
        self._left_out.setdefault(video, "")

    def prepare(self) -> None:
        """Index the videos that were added or changed since the last call; any process may do so
        for all."""
        _, version = self._store.version()
        if version == self._version:
            return
        self._left_out = {video: key for video, key in self._left_out.items() if key}
        models = model_fingerprint(self.class_vectors, self.image_dimensions)[:16]
        for video, key in self._vectors.outdated(models).items():
            if self._left_out.get(video) != key:
                self._left_out.pop(video, None)
                self._file(video, key, models)
        # Building an index at once costs less than extending it with every video.
        if self._vectors.has_more_than(EXACT_STORIES):
            for kind in self._kinds():
                self._vectors.require(kind)
        self._version = version

    def for_query(
        self, query: QueryVectors, terms: Sequence[TextQuery], most: int, only: Filter
    ) -> CandidateIndex:
        """The candidates for a query of which `most` hits will be shown."""
        numbers, passages = self._candidates(query, terms, most, only)
        found = [self._rows[number] for number in numbers if number in self._rows]
        missing = self._vectors.stories([each for each in numbers if each not in self._rows])
        self._remember(missing)
        skipped = self._vectors.unready() | self._left_out.keys()
        found = [story for story in [*found, *missing] if story.video not in skipped]
        found.sort(key=lambda story: (story.video, story.number))
        return CandidateIndex(self.class_vectors, found, self._joined(found), passages)

    def _candidates(
        self, query: QueryVectors, terms: Sequence[TextQuery], most: int, only: Filter
    ) -> Candidates:
        if only.video is not None:
            stories = self._vectors.of_video(only.video)
        elif not self._vectors.has_more_than(EXACT_STORIES):
            stories = self._vectors.all()
        else:
            # A filter may exclude most of the nearest ones.
            wide = max(CANDIDATES, 4 * most) * (1 if only == Filter() else 4)
            return self._nearest(query, terms, wide)
        return Candidates(stories, self._vectors.containing(terms, stories))

    def _nearest(self, query: QueryVectors, terms: Sequence[TextQuery], wide: int) -> Candidates:
        """The `wide` best stories by the words of a query, and by each kind of its pictures."""
        if query.text is None:
            shown = self._showing(query, wide)
            return Candidates(shown.tolist(), self._vectors.containing(terms, shown.tolist()))
        with ThreadPoolExecutor(1) as other:
            # Its connection may see a later state; stories that are not in ours are dropped later.
            meanwhile = other.submit(self._neighbours, query, query.text, wide)
            said = self._vectors.saying(terms, query.text)
            shown, topics, windows = meanwhile.result()
        passages = said.passages
        if passages is None:
            stories = (topics.stories, windows.stories, said.topics.stories[:wide], shown)
            known = np.unique(np.concatenate(stories)).tolist()
            passages = self._vectors.containing(terms, known)
        best = estimate_words(topics, windows, said.topics, passages)
        found = np.unique(np.concatenate([best.stories[:wide], shown])).tolist()
        # Stories that contain all terms but have other topics are ranked by their pictures.
        others = np.setdiff1d(said.topics.stories, found).tolist()
        if query.visual is not None and others and best.log_odds[wide // 4] < 0:
            kind = f"shot_{len(query.visual)}"
            more = self._vectors.nearest_among(kind, query.visual, others, wide)
            found += more
            if said.passages is None:
                passages = _joined_passages(passages, self._vectors.containing(terms, more))
        return Candidates(found, passages)

    def _neighbours(
        self, query: QueryVectors, text: np.ndarray, wide: int
    ) -> tuple[np.ndarray, Neighbours, Neighbours]:
        """The stories with the nearest pictures, transcripts and text windows."""
        topic, window = (f"{space}_{len(text)}" for space in ("topic", "window"))
        near = self._vectors.nearest(dict.fromkeys((topic, window), text), max(wide, DEEP))
        return self._showing(query, wide), near[topic], near[window]

    def _showing(self, query: QueryVectors, most: int) -> np.ndarray:
        """int64 [stories]: those whose pictures match a query best."""
        spaces = {"shot": query.visual, "image": query.image_text}
        vectors = {f"{space}_{len(v)}": v for space, v in spaces.items() if v is not None}
        near = self._vectors.nearest(vectors, most).values()
        found = [np.zeros(0, np.int64), *(neighbours.stories for neighbours in near)]
        if query.class_weights is not None and query.class_weights.any():
            named = np.flatnonzero(query.class_weights).tolist()
            found.append(np.array(self._vectors.naming(named, most), np.int64))
        return np.unique(np.concatenate(found))

    def _kinds(self) -> list[str]:
        """The kinds of vectors that queries are compared with."""
        words = self.class_vectors.shape[1]
        images = [f"image_{self.image_dimensions}"] if self.image_dimensions else []
        return [f"topic_{words}", f"window_{words}", f"shot_{words}", *images]

    def _file(self, video: str, key: str, models: str) -> None:
        with self._store.lock(f"filing {video}"):
            if self._vectors.outdated(models).get(video) != key:
                return
            try:
                stories = self._store.load(video, TITLES)
                passages = self._store.load(video, PASSAGES)
            except DamagedVideo as error:
                log.warning("%s is left out of the search: %s", video, error)
                self._left_out[video] = key
                return
            first = self._store.text.addresses().get(video, range(0)).start
            segment = Segment(self.class_vectors, self.image_dimensions)
            owners = segment.add(video, key, stories, passages, first)
            filed = FiledVideo(video, key, owners, len(passages.texts))
            self._vectors.put(filed, self._filed(segment, stories, passages, owners, first))

    def _filed(
        self,
        segment: Segment,
        stories: Sequence[Story],
        passages: Passages,
        owners: np.ndarray,
        first: int,
    ) -> list[FiledStory]:
        said, spoken = passages.text_vectors.astype(np.float32), len(passages.texts)
        shown = segment.shots()
        filed = []
        for number, rows in enumerate(split_stories(segment)):
            texts = said[owners[:spoken] == number]
            shots = shown[number]
            vectors = {f"window_{said.shape[1]}": texts} if len(texts) else {}
            if len(shots.classes):
                mixed = conse(shots.classes, shots.shares, self.class_vectors)
                vectors[f"shot_{mixed.shape[1]}"] = mixed
            if shots.images.size:
                vectors[f"image_{shots.images.shape[1]}"] = shots.images
            addresses = (first + np.flatnonzero(owners == number)).tolist()
            topic = texts.sum(axis=0) if len(texts) else np.zeros(said.shape[1], np.float32)
            topic = topic / max(float(np.linalg.norm(topic)), 1e-9)
            classes = _surest(shots.classes, shots.shares)
            filed.append(FiledStory(rows, topic, vectors, classes, addresses))
        return filed

    def _joined(self, found: Sequence[FoundStory]) -> Segment:
        """The rows of these stories as one segment; the last one is cached."""
        numbers = tuple(story.id for story in found)
        if self._last is None or self._last[0] != numbers:
            rows = [story.rows for story in found]
            self._last = numbers, join_stories(rows, self.class_vectors, self.image_dimensions)
        return self._last[1]

    def _remember(self, stories: Sequence[FoundStory]) -> None:
        """Cache the rows of stories, and remove the oldest if there are too many."""
        oldest = iter(list(self._rows) if self._bytes > CACHED_BYTES else ())
        while self._bytes > CACHED_BYTES and (number := next(oldest, None)) is not None:
            self._bytes -= len(self._rows.pop(number).rows)
        self._rows |= {story.id: story for story in stories}
        self._bytes += sum(len(story.rows) for story in stories)


def _joined_passages(*parts: FoundPassages) -> FoundPassages:
    return FoundPassages(*map(np.concatenate, zip(*parts, strict=True)))


def _surest(classes: np.ndarray, shares: np.ndarray) -> dict[int, float]:
    """The largest probability of every class that reaches the minimum in some shot."""
    best: dict[int, float] = {}
    for named, share in zip(classes.ravel().tolist(), shares.ravel().tolist(), strict=True):
        if share >= MIN_SHARE and share > best.get(named, 0.0):
            best[named] = share
    return best
