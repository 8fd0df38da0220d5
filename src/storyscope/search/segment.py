"""Index segments: the text windows and shots of some videos, in memory or in a file.

Text vectors use 16-bit numbers, and shots are stored as their ten most probable classes: a thousand
hours take about five hundred megabytes. Files are mapped into memory, so opening them is cheap.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from storyscope.core import Passages, Story
from storyscope.search.image_match import NOT_ENCODED, match_probability
from storyscope.search.passages import (
    TOP_CLASSES,
    containing_story,
    shot_classes,
    shot_image_vectors,
)
from storyscope.search.query import QueryVectors
from storyscope.search.rows import GrowingArray, Int16Vectors, StoryRuns
from storyscope.search.scores import VectorScores
from storyscope.writing import sweep_abandoned

SHOT_BLOCK = 16_384
"""Number of shots whose classes are looked up at a time."""
SUFFIX = ".segment"


class IndexedVideo(NamedTuple):
    """A video of a segment and where its rows are."""

    video: str
    key: str
    """Key of its source artefacts: another key means that the video changed."""
    stories: range
    """The video's stories among those of the segment."""
    addresses: range
    """Addresses of its passages in the full-text index: spoken ones, then text on screen."""
    spoken_count: int
    """Number of passages that are spoken."""


class StoryShots(NamedTuple):
    """The shots of one story."""

    classes: np.ndarray
    shares: np.ndarray
    images: np.ndarray


class Segment:
    """Videos in sequence; the rows of removed ones are skipped."""

    def __init__(
        self,
        class_vectors: np.ndarray,
        image_dimensions: int = 0,
        *,
        videos: Sequence[IndexedVideo] = (),
        rows: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        self._class_vectors, self._image_dimensions = class_vectors, image_dimensions
        self.videos = list(videos)
        shapes = _shapes(class_vectors.shape[1], image_dimensions)
        if rows is None:
            self._rows = {name: GrowingArray(shape, kind) for name, (shape, kind) in shapes.items()}
        else:
            self._rows = {name: GrowingArray.of(rows[name]) for name in shapes}
        part = self._rows
        self._windows = Int16Vectors(part["windows"], part["window_scales"])
        self._window_runs = StoryRuns(part["window_owners"], part["window_starts"])
        self._shot_runs = StoryRuns(part["shot_owners"], part["shot_starts"])
        self._images = Int16Vectors(part["images"], part["image_scales"])

    @property
    def rows(self) -> Mapping[str, GrowingArray]:
        """All arrays, by name."""
        return self._rows

    @property
    def story_count(self) -> int:
        return self.videos[-1].stories.stop if self.videos else 0

    @property
    def window_count(self) -> int:
        return len(self._windows)

    @property
    def shot_count(self) -> int:
        return len(self._rows["classes"])

    def add(
        self, video: str, key: str, stories: Sequence[Story], passages: Passages, first_address: int
    ) -> np.ndarray:
        """Add a video; return the story of the segment that each passage is in, or -1."""
        first = self.story_count
        self._add_windows(passages, stories, first)
        self._add_shots(passages, stories, first)
        times = np.concatenate([passages.spans.mean(axis=1), passages.screen_seconds])
        owners = containing_story(times, stories)
        owners = np.where(owners < 0, owners, first + owners).astype(np.int32)
        self._rows["passage_owners"].add(owners)
        addresses = range(first_address, first_address + len(owners))
        rows = range(first, first + len(stories))
        self.videos.append(IndexedVideo(video, key, rows, addresses, len(passages.texts)))
        return owners

    def passage_owners(self) -> list[np.ndarray]:
        """For each video, the story of the segment that each passage is in, or -1."""
        ends = np.cumsum([len(video.addresses) for video in self.videos])
        return np.split(self._rows["passage_owners"].values, ends[:-1])

    def shots(self) -> list[StoryShots]:
        """The shots of every story; the vectors of their images have unit length."""
        owners, starts = (self._rows[name].values for name in ("shot_owners", "shot_starts"))
        ends = [*starts[1:].tolist(), self.shot_count]
        runs = dict(zip(owners.tolist(), zip(starts.tolist(), ends, strict=True), strict=True))
        return [self._story_shots(*runs.get(n, (0, 0))) for n in range(self.story_count)]

    def score(self, query: QueryVectors) -> VectorScores:
        """Every story's scores for a query."""
        rows = self._rows
        none = np.zeros(self.story_count, np.float32)
        best_window = whole_story = visual = named_classes = none
        image_text = np.full(self.story_count, NOT_ENCODED)
        class_cosines = np.zeros(self.shot_count, np.float32)
        if query.text is not None and len(self._windows):
            cosines = self._windows.cosines(query.text)
            best_window = self._window_runs.maximum(cosines, none)
            whole_story = self._window_runs.sums(cosines, none, rows["story_norms"].values)
        if query.visual is not None and self.shot_count:
            products = self._class_sums(self._class_vectors @ query.visual)
            class_cosines = products / rows["shot_norms"].values
            visual = self._shot_runs.maximum(class_cosines, none)
        if query.class_weights is not None and query.class_weights.any() and self.shot_count:
            named_classes = self._shot_runs.maximum(self._class_sums(query.class_weights), none)
        if query.image_text is not None and len(self._images):
            cosines = self._images.cosines(query.image_text)
            probabilities = match_probability(cosines, rows["backgrounds"].values, class_cosines)
            image_text = self._shot_runs.maximum(probabilities, image_text)
        return VectorScores(best_window, whole_story, visual, named_classes, image_text)

    def window_cosines(self, vector: np.ndarray) -> np.ndarray:
        """Cosines of every text window with a unit vector, in the order of insertion."""
        return self._windows.cosines(vector)

    def serialized(self) -> tuple[str, bytes]:
        """The name and content of the file that `open_segment` maps into memory."""
        from safetensors.numpy import save

        facts = json.dumps([_video_facts(video) for video in self.videos])
        models = model_fingerprint(self._class_vectors, self._image_dimensions)
        rows = {name: np.ascontiguousarray(part.values) for name, part in self._rows.items()}
        name = f"{hashlib.sha256((models + facts).encode()).hexdigest()[:24]}{SUFFIX}"
        facts_of_file = {"models": models, "videos": facts, "content": _content_digest(rows)}
        return name, save(rows, facts_of_file)

    def _add_windows(self, passages: Passages, stories: Sequence[Story], first: int) -> None:
        owners = containing_story(passages.spans.mean(axis=1), stories)
        inside = owners >= 0
        exact = passages.text_vectors[inside].astype(np.float32)
        starts = self._window_runs.add(first + owners[inside], len(self._windows))
        self._windows.add(exact)
        if len(starts):
            totals = np.add.reduceat(exact, starts, axis=0)
            self._rows["story_norms"].add(np.maximum(np.linalg.norm(totals, axis=1), 1e-9))

    def _add_shots(self, passages: Passages, stories: Sequence[Story], first: int) -> None:
        seconds, classes, shares = shot_classes(passages)
        owners = containing_story(seconds, stories)
        inside = owners >= 0
        classes, shares = classes[inside], shares[inside]
        self._shot_runs.add(first + owners[inside], self.shot_count)
        self._rows["classes"].add(classes)
        self._rows["shares"].add(shares)
        mixed = np.einsum("nk,nkd->nd", shares.astype(np.float32), self._class_vectors[classes])
        self._rows["shot_norms"].add(np.maximum(np.linalg.norm(mixed, axis=1), 1e-9))
        if self._image_dimensions:
            vectors, backgrounds = shot_image_vectors(passages, self._image_dimensions)
            self._images.add(vectors[inside])
            self._rows["backgrounds"].add(backgrounds[inside])

    def _story_shots(self, start: int, end: int) -> StoryShots:
        classes, shares, images, scales = (
            self._rows[name].values[start:end]
            for name in ("classes", "shares", "images", "image_scales")
        )
        return StoryShots(classes, shares, images * scales[:, None])

    def _class_sums(self, weights: np.ndarray) -> np.ndarray:
        """float32 [shots]: the sum over each shot's classes of share times weight."""
        classes, shares = self._rows["classes"].values, self._rows["shares"].values
        found = np.empty(len(classes), np.float32)
        weights = np.asarray(weights, np.float32)
        taken = np.empty((min(SHOT_BLOCK, len(classes)), TOP_CLASSES), np.float32)
        for start in range(0, len(classes), SHOT_BLOCK):
            block = classes[start : start + SHOT_BLOCK]
            end = start + len(block)
            # Classes are never out of range; mode "clip" avoids a copy in numpy.
            np.take(weights, block, out=taken[: len(block)], mode="clip")
            np.einsum("nk,nk->n", shares[start:end], taken[: len(block)], out=found[start:end])
        return found


def segment_files(folder: Path) -> list[Path]:
    """The segment files of a folder, by name; unfinished ones of a killed process are deleted."""
    sweep_abandoned(folder)
    return sorted(folder.glob(f"*{SUFFIX}"))


def open_segment(
    path: Path, class_vectors: np.ndarray, image_dimensions: int = 0
) -> Segment | None:
    """Map a segment file into memory; None if it is damaged or made by other models."""
    try:
        whole: np.ndarray = np.memmap(path, np.uint8, mode="r")
        first = 8 + int.from_bytes(whole[:8].tobytes(), "little")
        header = json.loads(whole[8:first].tobytes())
        facts = header["__metadata__"]
        if facts["models"] != model_fingerprint(class_vectors, image_dimensions):
            return None
        rows = {}
        for name, (shape, kind) in _shapes(class_vectors.shape[1], image_dimensions).items():
            start, end = (first + offset for offset in header[name]["data_offsets"])
            flat: np.ndarray = np.asarray(whole[start:end]).view(kind)
            rows[name] = flat.reshape(header[name]["shape"][0], *shape)
        if facts["content"] != _content_digest(rows):
            return None
        videos = [_indexed_video(*fields) for fields in json.loads(facts["videos"])]
        return Segment(class_vectors, image_dimensions, videos=videos, rows=rows)
    except (OSError, ValueError, LookupError, TypeError, OverflowError):
        return None


def model_fingerprint(class_vectors: np.ndarray, image_dimensions: int) -> str:
    """Digest of the models and the layout that a segment depends on."""
    shapes = str(_shapes(class_vectors.shape[1], image_dimensions))
    return hashlib.sha256(shapes.encode() + class_vectors.tobytes()).hexdigest()


def _content_digest(rows: Mapping[str, np.ndarray]) -> str:
    digest = hashlib.sha256()
    for name in sorted(rows):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(rows[name]).data.cast("B") if rows[name].size else b"")
    return digest.hexdigest()


def _shapes(dimensions: int, image_dimensions: int) -> dict[str, tuple[tuple[int, ...], type]]:
    return {
        "windows": ((dimensions,), np.int16),
        "window_scales": ((), np.float32),
        "window_owners": ((), np.int64),
        "window_starts": ((), np.int64),
        "story_norms": ((), np.float32),
        "classes": ((TOP_CLASSES,), np.uint16),
        "shares": ((TOP_CLASSES,), np.float32),
        "shot_norms": ((), np.float32),
        "shot_owners": ((), np.int64),
        "shot_starts": ((), np.int64),
        "images": ((image_dimensions,), np.int16),
        "image_scales": ((), np.float32),
        "backgrounds": ((2,), np.float32),
        "passage_owners": ((), np.int32),
    }


def _video_facts(video: IndexedVideo) -> list[object]:
    stories, addresses = video.stories, video.addresses
    ends = (stories.start, stories.stop, addresses.start, addresses.stop)
    return [video.video, video.key, *ends, video.spoken_count]


def _indexed_video(video: str, key: str, *numbers: int) -> IndexedVideo:
    first, stop, address, end, spoken = numbers
    return IndexedVideo(video, key, range(first, stop), range(address, end), spoken)
