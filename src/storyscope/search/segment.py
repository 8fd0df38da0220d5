"""Rows of text windows and of shots of some videos, and the files they are kept in.

Text vectors are kept in sixteen bits a number and shots by their ten likeliest classes: a thousand
hours take some five hundred megabytes. A file of them is not read but mapped into memory, so that
opening it costs nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from storyscope.core import Passages, Story
from storyscope.search.image_text import described
from storyscope.search.passages import TOP_CLASSES
from storyscope.search.rows import Growing, Runs, SixteenBits
from storyscope.search.shots import owner_of, shot_classes, shot_looks
from storyscope.writing import sweep_abandoned

SHOT_BLOCK = 16_384
"""Shots whose classes are looked up at a time."""
SUFFIX = ".segment"


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


class Scores(NamedTuple):
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


class Filed(NamedTuple):
    """A video of a segment."""

    video: str
    key: str
    """Of what it was made from: another key means that it changed."""
    stories: range
    """Among those of the segment."""
    addresses: range
    """Where its passages lie in the full-text index: those heard, then those read on screen."""
    heard: int


class Segment:
    """Videos one behind the other; some may be gone, and their rows are passed over."""

    def __init__(
        self,
        meanings: np.ndarray,
        look_dimensions: int = 0,
        *,
        filed: Sequence[Filed] = (),
        rows: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        self._meanings, self._look_dimensions = meanings, look_dimensions
        self.filed = list(filed)
        shapes = _shapes(meanings.shape[1], look_dimensions)
        if rows is None:
            self._rows = {name: Growing(shape, kind) for name, (shape, kind) in shapes.items()}
        else:
            self._rows = {name: Growing.of(rows[name]) for name in shapes}
        part = self._rows
        self._windows = SixteenBits(part["windows"], part["window_scales"])
        self._window_runs = Runs(part["window_owners"], part["window_starts"])
        self._shot_runs = Runs(part["shot_owners"], part["shot_starts"])
        self._looks = SixteenBits(part["looks"], part["look_scales"])

    @property
    def story_count(self) -> int:
        return self.filed[-1].stories.stop if self.filed else 0

    @property
    def window_count(self) -> int:
        return len(self._windows)

    @property
    def shot_count(self) -> int:
        return len(self._rows["classes"])

    def add(
        self, video: str, key: str, stories: Sequence[Story], passages: Passages, first_address: int
    ) -> np.ndarray:
        """Take in a video; the story of the segment that each of its passages belongs to, or -1."""
        first = self.story_count
        self._add_windows(passages, stories, first)
        self._add_shots(passages, stories, first)
        times = np.concatenate([passages.spans.mean(axis=1), passages.screen_seconds])
        owners = owner_of(times, stories)
        owners = np.where(owners < 0, owners, first + owners).astype(np.int32)
        self._rows["passage_owners"].add(owners)
        addresses = range(first_address, first_address + len(owners))
        told = range(first, first + len(stories))
        self.filed.append(Filed(video, key, told, addresses, len(passages.texts)))
        return owners

    def passage_owners(self) -> list[np.ndarray]:
        """For each video, the story of the segment that each passage belongs to, or -1."""
        ends = np.cumsum([len(filed.addresses) for filed in self.filed])
        return np.split(self._rows["passage_owners"].values, ends[:-1])

    def score(self, senses: Senses) -> Scores:
        """Every story's scores for a query."""
        rows = self._rows
        nothing = np.zeros(self.story_count, np.float32)
        meant = told = seen = named = pictured = nothing
        if senses.meaning is not None and len(self._windows):
            cosines = self._windows.cosines(senses.meaning)
            meant = self._window_runs.largest(cosines, nothing)
            told = self._window_runs.totals(cosines, nothing, rows["told_lengths"].values)
        if senses.looks is not None and self.shot_count:
            looks = self._sums(self._meanings @ senses.looks) / rows["shot_lengths"].values
            seen = self._shot_runs.largest(looks, nothing)
        if senses.names is not None and senses.names.any() and self.shot_count:
            named = self._shot_runs.largest(self._sums(senses.names), nothing)
        if senses.caption is not None and len(self._looks):
            cosines = self._looks.cosines(senses.caption)
            chances = described(cosines, rows["best_rivals"].values)
            pictured = self._shot_runs.largest(chances, nothing)
        return Scores(meant, told, seen, named, pictured)

    def window_cosines(self, meaning: np.ndarray) -> np.ndarray:
        """Of every window of text with a direction, in the order they were added."""
        return self._windows.cosines(meaning)

    def packed(self) -> tuple[str, bytes]:
        """The name and the content of a file that `open_segment` maps."""
        from safetensors.numpy import save

        facts = json.dumps([_packed(filed) for filed in self.filed])
        mark = segment_mark(self._meanings, self._look_dimensions)
        rows = {name: np.ascontiguousarray(grown.values) for name, grown in self._rows.items()}
        name = f"{hashlib.sha256((mark + facts).encode()).hexdigest()[:24]}{SUFFIX}"
        return name, save(rows, {"mark": mark, "filed": facts})

    def _add_windows(self, passages: Passages, stories: Sequence[Story], first: int) -> None:
        owners = owner_of(passages.spans.mean(axis=1), stories)
        told = owners >= 0
        exact = passages.text_vectors[told].astype(np.float32)
        starts = self._window_runs.add(first + owners[told], len(self._windows))
        self._windows.add(exact)
        if len(starts):
            totals = np.add.reduceat(exact, starts, axis=0)
            self._rows["told_lengths"].add(np.maximum(np.linalg.norm(totals, axis=1), 1e-9))

    def _add_shots(self, passages: Passages, stories: Sequence[Story], first: int) -> None:
        seconds, classes, shares = shot_classes(passages)
        owners = owner_of(seconds, stories)
        told = owners >= 0
        classes, shares = classes[told], shares[told]
        self._shot_runs.add(first + owners[told], self.shot_count)
        self._rows["classes"].add(classes)
        self._rows["shares"].add(shares)
        mixed = np.einsum("nk,nkd->nd", shares.astype(np.float32), self._meanings[classes])
        self._rows["shot_lengths"].add(np.maximum(np.linalg.norm(mixed, axis=1), 1e-9))
        if self._look_dimensions:
            looks, best_rivals = shot_looks(passages, self._look_dimensions)
            self._looks.add(looks[told])
            self._rows["best_rivals"].add(best_rivals[told])

    def _sums(self, weights: np.ndarray) -> np.ndarray:
        """Of each shot: the sum over its classes of share times weight."""
        classes, shares = self._rows["classes"].values, self._rows["shares"].values
        found = np.empty(len(classes), np.float32)
        weights = np.asarray(weights, np.float32)
        taken = np.empty((min(SHOT_BLOCK, len(classes)), TOP_CLASSES), np.float32)
        for start in range(0, len(classes), SHOT_BLOCK):
            block = classes[start : start + SHOT_BLOCK]
            end = start + len(block)
            # Classes are never out of range; to be told so spares numpy a copy.
            np.take(weights, block, out=taken[: len(block)], mode="clip")
            np.einsum("nk,nk->n", shares[start:end], taken[: len(block)], out=found[start:end])
        return found


def segment_files(folder: Path) -> list[Path]:
    """The files of a folder, by name; what a killed process left half-written is deleted."""
    sweep_abandoned(folder)
    return sorted(folder.glob(f"*{SUFFIX}"))


def open_segment(path: Path, meanings: np.ndarray, look_dimensions: int = 0) -> Segment | None:
    """Map a file that holds what `packed` gave; None when it is damaged or of other models."""
    try:
        whole: np.ndarray = np.memmap(path, np.uint8, mode="r")
        first = 8 + int.from_bytes(whole[:8].tobytes(), "little")
        header = json.loads(whole[8:first].tobytes())
        facts = header["__metadata__"]
        if facts["mark"] != segment_mark(meanings, look_dimensions):
            return None
        rows = {}
        for name, (shape, kind) in _shapes(meanings.shape[1], look_dimensions).items():
            start, end = (first + offset for offset in header[name]["data_offsets"])
            flat: np.ndarray = np.asarray(whole[start:end]).view(kind)
            rows[name] = flat.reshape(header[name]["shape"][0], *shape)
        filed = [_unpacked(*fields) for fields in json.loads(facts["filed"])]
        return Segment(meanings, look_dimensions, filed=filed, rows=rows)
    except (OSError, ValueError, LookupError, TypeError, OverflowError):
        return None


def segment_mark(meanings: np.ndarray, look_dimensions: int) -> str:
    """What names the models whose numbers a segment holds, and their layout."""
    shapes = str(_shapes(meanings.shape[1], look_dimensions))
    return hashlib.sha256(shapes.encode() + meanings.tobytes()).hexdigest()


def _shapes(dimensions: int, looks: int) -> dict[str, tuple[tuple[int, ...], type]]:
    return {
        "windows": ((dimensions,), np.int16),
        "window_scales": ((), np.float32),
        "window_owners": ((), np.int64),
        "window_starts": ((), np.int64),
        "told_lengths": ((), np.float32),
        "classes": ((TOP_CLASSES,), np.uint16),
        "shares": ((TOP_CLASSES,), np.float32),
        "shot_lengths": ((), np.float32),
        "shot_owners": ((), np.int64),
        "shot_starts": ((), np.int64),
        "looks": ((looks,), np.int16),
        "look_scales": ((), np.float32),
        "best_rivals": ((), np.float32),
        "passage_owners": ((), np.int32),
    }


def _packed(filed: Filed) -> list[object]:
    stories, addresses = filed.stories, filed.addresses
    ends = (stories.start, stories.stop, addresses.start, addresses.stop)
    return [filed.video, filed.key, *ends, filed.heard]


def _unpacked(video: str, key: str, *numbers: int) -> Filed:
    first, stop, address, end, heard = numbers
    return Filed(video, key, range(first, stop), range(address, end), heard)
