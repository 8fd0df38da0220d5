"""All stories of a library in memory, so that a query looks at every one of them exactly.

Text vectors are kept in sixteen bits a number and shots by their ten likeliest classes: a thousand
hours take some six hundred megabytes. A video is added behind the others and nothing is rebuilt;
one that changed is added anew, and its old rows are passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from storyscope.core import Passages, Story
from storyscope.search.image_text import described
from storyscope.search.passages import TOP_CLASSES
from storyscope.search.rows import Growing, Runs, SixteenBits

SHOT_BLOCK = 4_096
"""Shots whose classes are looked up at a time."""


@dataclass(frozen=True, eq=False)
class Senses:
    """A query as numbers; None stands for a sense that it does not have."""

    meaning: np.ndarray | None = None
    """float32 [dimensions] of length one: what text is compared with."""
    looks: np.ndarray | None = None
    """float32 [dimensions] of length one: what shots are compared with, in the same space."""
    names: np.ndarray | None = None
    """float32 [classes]: share of the query's terms that name the class."""
    caption: np.ndarray | None = None
    """float32 [dimensions] of length one, in the space of an image-text network."""


@dataclass(frozen=True, eq=False)
class Scores:
    """How far each story answers: one number a story in each array, 0 where there is nothing."""

    meant: np.ndarray
    """Cosine of the query with the nearest window of the story's text."""
    told: np.ndarray
    """Cosine with all of the story's text."""
    seen: np.ndarray
    """Cosine with the nearest shot, in the space of words."""
    named: np.ndarray
    """Probability of what the query names in the likeliest shot."""
    pictured: np.ndarray
    """Chance that the query describes the shot it fits best, by an image-text network."""


class Place(NamedTuple):
    """A story of the index."""

    video: str
    number: int
    """Among the stories of its video."""


class Index:
    """Rows of text windows and of shots, in the order in which videos were added."""

    def __init__(self, meanings: np.ndarray, *, look_dimensions: int = 0) -> None:
        """`meanings` holds what the image network's classes mean: [classes, dimensions].

        `look_dimensions` are those of the image-text network, if there is one.
        """
        self.meanings = meanings
        self.places: list[Place] = []
        self.videos: dict[str, range] = {}
        """Each video's stories among `places`."""
        dimensions = meanings.shape[1]
        self._windows = SixteenBits(dimensions)
        self._window_runs, self._told_length = Runs(), Growing((), np.float32)
        self._classes = Growing((TOP_CLASSES,), np.uint16)
        self._shares = Growing((TOP_CLASSES,), np.float32)
        self._shot_length, self._shot_runs = Growing((), np.float32), Runs()
        self._look_dimensions = look_dimensions
        self._looks, self._best_rivals = SixteenBits(look_dimensions), Growing((), np.float32)

    def add(self, video: str, stories: Sequence[Story], passages: Passages) -> None:
        """Take in a video; its stories lie in the order they are told."""
        first = len(self.places)
        self.places += [Place(video, number) for number in range(len(stories))]
        self.videos[video] = range(first, len(self.places))
        owners = owner_of(passages.spans.mean(axis=1), stories)
        self._add_windows(passages.text_vectors[owners >= 0], first + owners[owners >= 0])
        seconds, classes, shares = shot_classes(passages)
        owners = owner_of(seconds, stories)
        told = owners >= 0
        self._add_shots(classes[told], shares[told], first + owners[told])
        if self._look_dimensions:
            looks, best_rivals = shot_looks(passages, self._look_dimensions)
            self._looks.add(looks[told])
            self._best_rivals.add(best_rivals[told])

    def remove(self, video: str) -> None:
        """Pass over a video from now on."""
        self.videos.pop(video, None)

    @property
    def window_count(self) -> int:
        return len(self._windows)

    @property
    def shot_count(self) -> int:
        return len(self._classes)

    def alive(self) -> np.ndarray:
        """bool [stories]: those of videos that are there, as they are now."""
        there = np.zeros(len(self.places), bool)
        for stories in self.videos.values():
            there[stories.start : stories.stop] = True
        return there

    def score(self, senses: Senses) -> Scores:
        """Every story's scores for a query."""
        nothing = np.zeros(len(self.places), np.float32)
        meant = told = seen = named = pictured = nothing
        if senses.meaning is not None and len(self._windows):
            cosines = self._windows.cosines(senses.meaning)
            meant = self._window_runs.largest(cosines, nothing)
            told = self._window_runs.totals(cosines, nothing, self._told_length.values)
        if senses.looks is not None and len(self._classes):
            looks = self._sums(self.meanings @ senses.looks) / self._shot_length.values
            seen = self._shot_runs.largest(looks, nothing)
        if senses.names is not None and senses.names.any() and len(self._classes):
            named = self._shot_runs.largest(self._sums(senses.names), nothing)
        if senses.caption is not None and len(self._looks):
            chances = described(self._looks.cosines(senses.caption), self._best_rivals.values)
            pictured = self._shot_runs.largest(chances, nothing)
        return Scores(meant, told, seen, named, pictured)

    def window_cosines(self, meaning: np.ndarray) -> np.ndarray:
        """Of every window of text with a direction, in the order they were added."""
        return self._windows.cosines(meaning)

    def _add_windows(self, vectors: np.ndarray, owners: np.ndarray) -> None:
        exact = vectors.astype(np.float32)
        starts = self._window_runs.add(owners, len(self._windows))
        self._windows.add(exact)
        if len(starts):
            totals = np.add.reduceat(exact, starts, axis=0)
            self._told_length.add(np.maximum(np.linalg.norm(totals, axis=1), 1e-9))

    def _add_shots(self, classes: np.ndarray, shares: np.ndarray, owners: np.ndarray) -> None:
        self._shot_runs.add(owners, len(self._classes))
        self._classes.add(classes)
        self._shares.add(shares)
        mixed = np.einsum("nk,nkd->nd", shares.astype(np.float32), self.meanings[classes])
        self._shot_length.add(np.maximum(np.linalg.norm(mixed, axis=1), 1e-9))

    def _sums(self, weights: np.ndarray) -> np.ndarray:
        """Of each shot: the sum over its classes of share times weight."""
        classes, shares = self._classes.values, self._shares.values
        found = np.empty(len(classes), np.float32)
        weights = np.asarray(weights, np.float32)
        taken = np.empty((SHOT_BLOCK, TOP_CLASSES), np.float32)
        for start in range(0, len(classes), SHOT_BLOCK):
            block = classes[start : start + SHOT_BLOCK]
            end = start + len(block)
            # Classes are never out of range; to be told so spares numpy a copy.
            np.take(weights, block, out=taken[: len(block)], mode="clip")
            np.einsum("nk,nk->n", shares[start:end], taken[: len(block)], out=found[start:end])
        return found


def owner_of(seconds: np.ndarray, stories: Sequence[Story]) -> np.ndarray:
    """The number of the story that each time lies in, -1 for none."""
    starts = np.array([story.span.start for story in stories])
    ends = np.array([story.span.end for story in stories])
    found = np.searchsorted(starts, seconds, side="right") - 1
    if not len(ends):
        return found
    return np.where((found >= 0) & (seconds < ends[found]), found, -1)


def shot_classes(passages: Passages) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For every shot with pictures: when, its likeliest classes, and their mean shares."""
    shots, starts, counts = np.unique(passages.shots, return_index=True, return_counts=True)
    if not len(shots):
        empty = np.zeros((0, TOP_CLASSES))
        return np.zeros(0), empty.astype(np.uint16), empty.astype(np.float16)
    classes = np.zeros((len(shots), TOP_CLASSES), np.uint16)
    shares = np.zeros((len(shots), TOP_CLASSES), np.float16)
    for row, (start, count) in enumerate(zip(starts, counts, strict=True)):
        pictures = slice(start, start + count)
        numbers, place = np.unique(passages.classes[pictures], return_inverse=True)
        total = np.bincount(place.ravel(), passages.shares[pictures].ravel().astype(float))
        best = np.argsort(-total, kind="stable")[:TOP_CLASSES]
        classes[row, : len(best)] = numbers[best]
        shares[row, : len(best)] = total[best] / count
    return passages.seconds[starts + counts // 2], classes, shares


def shot_looks(passages: Passages, dimensions: int) -> tuple[np.ndarray, np.ndarray]:
    """For every shot with pictures: where it lies in the image-text space, and its best rival.

    Nothing describes the shots of a video that was filed without that network, or with another.
    """
    shots, starts = np.unique(passages.shots, return_index=True)
    if not len(shots) or passages.looks.shape != (len(passages.shots), dimensions):
        return np.zeros((len(shots), dimensions), np.float32), np.full(len(shots), 2, np.float32)
    totals = np.add.reduceat(passages.looks.astype(np.float32), starts, axis=0)
    lengths = np.maximum(np.linalg.norm(totals, axis=1, keepdims=True), 1e-9)
    counts = np.diff([*starts, len(passages.shots)])
    return totals / lengths, np.add.reduceat(passages.best_rivals, starts) / counts
