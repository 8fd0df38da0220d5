"""The index of a library in a database: it selects candidates, which are then scored exactly.

In a small library every story is a candidate, so its hits are those of a library in a folder. In a
large one, candidates are the stories nearest to the query in each modality.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
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
from storyscope.search.query import QueryVectors, Term
from storyscope.search.scores import VectorScores
from storyscope.search.segment import Segment, model_fingerprint
from storyscope.search.story_rows import join_stories, split_stories
from storyscope.search.text_model import load_text_model
from storyscope.store import (
    PASSAGES,
    TITLES,
    FiledStory,
    FiledVideo,
    FoundByWords,
    FoundStory,
    FoundVideo,
    Store,
    TextQuery,
    VectorIndex,
)

log = logging.getLogger(__name__)
EXACT_STORIES = 2_000
"""Number of stories up to which every story is compared with the query."""
CANDIDATES = 300
"""Nearest vectors that each modality contributes; more for later pages."""
DEEP = 1000
"""Nearest vectors that each modality contributes if the query has very frequent words."""
MIN_SHARE = 0.05
"""Minimum probability of a class in a shot that is a candidate for its name."""
CACHED_BYTES = 256 << 20
"""Maximum size of the cached rows of stories."""


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
        numbers = self._candidates(query, terms, most, only)
        found = [self._rows[number] for number in numbers if number in self._rows]
        missing = self._vectors.stories([each for each in numbers if each not in self._rows])
        self._remember(missing)
        found += missing
        videos = {v.video: v for v in self._vectors.videos(sorted({s.video for s in found}))}
        found = [s for s in found if s.video in videos and s.video not in self._left_out]
        found.sort(key=lambda story: (story.video, story.number))
        segment = self._joined(found)
        return CandidateIndex(self._vectors, self.class_vectors, found, videos, segment)

    def _candidates(
        self, query: QueryVectors, terms: Sequence[TextQuery], most: int, only: Filter
    ) -> list[int]:
        if only.video is not None:
            return self._vectors.of_video(only.video)
        if not self._vectors.has_more_than(EXACT_STORIES):
            return self._vectors.all()
        # A filter may exclude most of the nearest ones.
        wide = max(CANDIDATES, 4 * most) * (1 if only == Filter() else 4)
        said = FoundByWords([], complete=True)
        if query.text is not None:
            said = self._vectors.saying(terms, query.text)
        # Frequent words alone do not select stories, so look at more of the nearest ones.
        near = self._nearest(query, wide if said.complete else max(wide, DEEP))
        found = [*said.stories[:wide], *(story for stories in near for story in stories[:wide])]
        if query.visual is not None and (others := said.stories[wide:]):
            kind = f"shot_{len(query.visual)}"
            found += self._vectors.nearest_among(kind, query.visual, others, wide)
        if not said.complete:
            everyone = list(dict.fromkeys(story for stories in near for story in stories))
            found += self._vectors.saying_among(terms, everyone, wide)
        if query.class_weights is not None and query.class_weights.any():
            found += self._vectors.naming(np.flatnonzero(query.class_weights).tolist(), wide)
        return list(dict.fromkeys(found))

    def _nearest(self, query: QueryVectors, most: int) -> list[list[int]]:
        """The stories with the nearest vectors, in each modality of a query."""
        spaces = {"window": query.text, "shot": query.visual, "image": query.image_text}
        return [
            self._vectors.nearest(f"{space}_{len(vector)}", vector, most)
            for space, vector in spaces.items()
            if vector is not None
        ]

    def _kinds(self) -> list[str]:
        """The kinds of vectors that queries are compared with."""
        words = self.class_vectors.shape[1]
        images = [f"image_{self.image_dimensions}"] if self.image_dimensions else []
        return [f"window_{words}", f"shot_{words}", *images]

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


class CandidateIndex:
    """The candidates of one query, with the interface of an `Index` of all stories."""

    def __init__(
        self,
        vectors: VectorIndex,
        class_vectors: np.ndarray,
        stories: Sequence[FoundStory],
        videos: dict[str, FoundVideo],
        segment: Segment,
    ) -> None:
        self.class_vectors, self._segment = class_vectors, segment
        self._vectors, self._stories = vectors, stories
        self._videos = sorted(videos.values(), key=lambda video: video.first_address)
        counts = [len(video.owners) for video in self._videos]
        ends = np.cumsum(counts, dtype=int).tolist()
        self.addresses = {
            video.video: range(end - count, end)
            for video, count, end in zip(self._videos, counts, ends, strict=True)
        }
        """The addresses of each video's passages, counted from 0 over these videos only."""
        rows: dict[str, dict[int, int]] = defaultdict(dict)
        for row, story in enumerate(stories):
            rows[story.video][story.number] = row
        owners = [_rows_of(video, rows[video.video]) for video in self._videos]
        on_screen = [np.arange(len(v.owners)) >= v.spoken_count for v in self._videos]
        self.passages = PassageStories.of(
            np.concatenate([np.zeros(0, np.int32), *owners]),
            np.concatenate([np.zeros(0, bool), *on_screen]),
        )

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

    def find(self, terms: Sequence[Term], store: Store) -> list[np.ndarray]:
        """For each term, the addresses of the candidates' passages that contain it."""
        lookups = [term.lookup for term in terms]
        return self._local(self._vectors.containing(lookups, [each.id for each in self._stories]))

    def _local(self, found: Sequence[np.ndarray]) -> list[np.ndarray]:
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


def _rows_of(video: FoundVideo, rows: Mapping[int, int]) -> np.ndarray:
    """int32 [passages]: the row of each passage's story, if it is a candidate."""
    # The last element is for passages outside all stories, whose owner is -1.
    by_number = np.full(int(video.owners.max(initial=0)) + 2, NO_STORY, np.int32)
    for number, row in rows.items():
        if number < len(by_number) - 1:
            by_number[number] = row
    return np.asarray(by_number[video.owners])


def _surest(classes: np.ndarray, shares: np.ndarray) -> dict[int, float]:
    """The largest probability of every class that reaches the minimum in some shot."""
    best: dict[int, float] = {}
    for named, share in zip(classes.ravel().tolist(), shares.ravel().tolist(), strict=True):
        if share >= MIN_SHARE and share > best.get(named, 0.0):
            best[named] = share
    return best
