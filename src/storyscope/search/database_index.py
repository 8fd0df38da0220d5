"""The index of a library in a database: it selects candidates, which are then scored exactly.

In a small library every story is a candidate, so its hits are those of a library in a folder. In a
large one, candidates are the stories nearest to the query in each modality.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from storyscope.config import Config
from storyscope.core import Passages, Story
from storyscope.errors import DamagedVideo
from storyscope.models import class_names
from storyscope.search.candidates import NO_STORY, PassageStories
from storyscope.search.classes import conse, embed_classes
from storyscope.search.filter import Filter
from storyscope.search.image_text import image_dimensions
from storyscope.search.index import StoryLocation
from storyscope.search.query import QueryVectors
from storyscope.search.scores import VectorScores
from storyscope.search.segment import Segment, model_fingerprint
from storyscope.search.story_rows import join_stories, split_stories
from storyscope.search.text_model import load_text_model
from storyscope.store import (
    PASSAGES,
    TITLES,
    FiledStory,
    FiledVideo,
    FoundStory,
    FoundVideo,
    Store,
    TextQuery,
    VectorIndex,
)

log = logging.getLogger(__name__)
EXACT_STORIES = 2_000
"""Number of stories up to which every story is compared with the query."""
CANDIDATES = 200
"""Nearest vectors that each modality contributes; more for later pages."""
MIN_SHARE = 0.05
"""Minimum probability of a class in a shot that is a candidate for its name."""
CACHED_BYTES = 256 << 20
"""Number of stories whose rows are cached."""


class DatabaseIndex:
    """The index of a library whose store searches vectors."""

    def __init__(self, store: Store, config: Config, vectors: VectorIndex) -> None:
        self._store, self._config, self._vectors = store, config, vectors
        self._rows: dict[int, FoundStory] = {}
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
        self._version = version

    def for_query(
        self, query: QueryVectors, terms: Sequence[TextQuery], most: int, only: Filter
    ) -> CandidateIndex:
        """The candidates for a query of which `most` hits will be shown."""
        numbers = self._candidates(query, terms, most, only)
        missing = [number for number in numbers if number not in self._rows]
        self._remember(self._vectors.stories(missing))
        found = [self._rows[number] for number in numbers if number in self._rows]
        videos = {v.video: v for v in self._vectors.videos(sorted({s.video for s in found}))}
        found = [s for s in found if s.video in videos and s.video not in self._left_out]
        found.sort(key=lambda story: (story.video, story.number))
        return CandidateIndex(self.class_vectors, found, videos, self._joined(found))

    def _candidates(
        self, query: QueryVectors, terms: Sequence[TextQuery], most: int, only: Filter
    ) -> list[int]:
        if only.video is not None:
            return self._vectors.of_video(only.video)
        if self._vectors.count() <= EXACT_STORIES:
            return self._vectors.all()
        # A filter may exclude most of the nearest ones.
        wide = max(CANDIDATES, 4 * most) * (1 if only == Filter() else 4)
        found: list[int] = []
        if query.text is not None:
            found += self._vectors.nearest(f"window_{len(query.text)}", query.text, wide)
            found += self._vectors.saying(terms, query.text, wide)
        if query.visual is not None:
            found += self._vectors.nearest(f"shot_{len(query.visual)}", query.visual, wide)
        if query.class_weights is not None and query.class_weights.any():
            found += self._vectors.naming(np.flatnonzero(query.class_weights).tolist(), wide)
        if query.image_text is not None:
            image = query.image_text
            found += self._vectors.nearest(f"image_{len(image)}", image, wide)
        return list(dict.fromkeys(found))

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
        self._rows |= {story.id: story for story in stories}
        size = sum(len(story.rows) for story in self._rows.values())
        for number in list(self._rows)[: max(0, len(self._rows) - len(stories))]:
            if size <= CACHED_BYTES:
                break
            size -= len(self._rows.pop(number).rows)


class CandidateIndex:
    """The candidates of one query, with the interface of an `Index` of all stories."""

    def __init__(
        self,
        class_vectors: np.ndarray,
        stories: Sequence[FoundStory],
        videos: dict[str, FoundVideo],
        segment: Segment,
    ) -> None:
        self.class_vectors, self._segment = class_vectors, segment
        self._stories = stories
        self.addresses: dict[str, range] = {}
        """The addresses of each video's passages, counted from 0 over these videos only."""
        self.passages = PassageStories()
        row_of = {(story.video, story.number): row for row, story in enumerate(stories)}
        self._videos = sorted(videos.values(), key=lambda video: video.first_address)
        end = 0
        for video in self._videos:
            local = range(end, end := end + len(video.owners))
            numbers = np.unique(video.owners)
            rows = {int(n): row_of.get((video.video, int(n)), NO_STORY) for n in numbers}
            owners = np.array([rows[int(n)] for n in video.owners], np.int32)
            self.addresses[video.video] = local
            self.passages.add(local, owners, video.spoken_count)

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

    def local(self, found: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Addresses of the store converted to those of these videos; others are left out."""
        firsts = np.array([video.first_address for video in self._videos], np.int64)
        counts = np.array([len(video.owners) for video in self._videos], np.int64)
        starts = np.array([self.addresses[video.video].start for video in self._videos], np.int64)
        mapped = []
        for addresses in found:
            if not len(firsts):
                mapped.append(addresses[:0])
                continue
            at = np.maximum(np.searchsorted(firsts, addresses, side="right") - 1, 0)
            within = addresses - firsts[at]
            inside = (within >= 0) & (within < counts[at])
            mapped.append((starts[at] + within)[inside])
        return mapped


def _surest(classes: np.ndarray, shares: np.ndarray) -> dict[int, float]:
    """The largest probability of every class that reaches the minimum in some shot."""
    best: dict[int, float] = {}
    for named, share in zip(classes.ravel().tolist(), shares.ravel().tolist(), strict=True):
        if share >= MIN_SHARE and share > best.get(named, 0.0):
            best[named] = share
    return best
