"""The layout of a network's input: features side by side, in a fixed order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from storyscope.core import Features
from storyscope.errors import InvalidFeatures

PER_SECOND = (0.5 / 60, 1 / 60)
"""Weight of a second of a shot's middle and of its length in the input."""


@dataclass(frozen=True)
class Layout:
    """Name, producer and number of columns of each feature, in the order they are concatenated."""

    parts: tuple[tuple[str, str, int], ...]

    @classmethod
    def of(cls, features: Sequence[Features]) -> Layout:
        return cls(tuple((each.name, each.producer, each.vectors.shape[1]) for each in features))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _, _ in self.parts)

    @property
    def columns(self) -> int:
        return sum(columns for _, _, columns in self.parts)

    def join(self, features: Sequence[Features]) -> np.ndarray:
        """The features of one video side by side, float64 [shots, columns].

        Features of another layout are rejected by name: their numbers mean something else.
        """
        given = {each.name: each for each in features}
        rows = []
        for name, producer, columns in self.parts:
            if name not in given:
                raise InvalidFeatures(
                    f"the embedding was trained with {name}, which is missing; extract it, or "
                    f"train again with {', '.join(given) or 'what there is'}"
                )
            each = given[name]
            if each.producer != producer or each.vectors.shape[1] != columns:
                raise InvalidFeatures(
                    f"the embedding expects {columns} numbers of {name} made by {producer!r}, got "
                    f"{each.vectors.shape[1]} by {each.producer!r}; extract them again, or train "
                    "with these"
                )
            rows.append(_evened(name, each.vectors))
        return np.hstack(rows)

    def to_json(self) -> str:
        return json.dumps([list(part) for part in self.parts])

    @classmethod
    def from_json(cls, text: str) -> Layout:
        return cls(tuple((name, producer, columns) for name, producer, columns in json.loads(text)))


def _evened(name: str, vectors: np.ndarray) -> np.ndarray:
    """Rows of length one, so that no feature dominates; features with few numbers are unchanged.

    Times in seconds would dominate every distance, so they are in half minutes (middle) and minutes
    (length). Histograms are replaced by their square roots, which makes distances between them
    Hellinger distances.
    """
    rows = np.asarray(vectors, np.float64)
    if name == "time":
        scaled: np.ndarray = rows * np.array(PER_SECOND[: rows.shape[1]])
        return scaled
    if rows.shape[1] <= 2:
        return rows
    if rows.min(initial=0.0) >= 0 and np.allclose(rows.sum(axis=1), 1.0, atol=0.02):
        rows = np.sqrt(rows)
    evened: np.ndarray = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return evened
