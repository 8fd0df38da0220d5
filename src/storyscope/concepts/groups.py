"""Concept groups: terms with similar meaning, by spectral clustering.

Groups are computed once for a collection, as in the paper: the features of two videos can be
compared only if their groups are the same, so groups have a file and a digest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from storyscope.concepts.vectors import WordVectors
from storyscope.errors import ModelError
from storyscope.models import read_weights, write_weights

FORMAT = "storyscope concept groups 1"


@dataclass(frozen=True, eq=False)
class ConceptGroups:
    """A partition of terms into at most `count` groups."""

    words: tuple[str, ...]
    """The grouped terms, without duplicates."""
    group: np.ndarray
    """int, the group of each word."""
    count: int
    """K of the paper; with fewer terms some groups are empty."""
    centres: np.ndarray
    """K x dimensions: the mean unit vector of each group's words, zero for an empty group."""

    @property
    def digest(self) -> str:
        """Digest that identifies features made with these groups."""
        content = hashlib.sha256(json.dumps([self.words, self.count]).encode())
        content.update(self.group.astype(np.int64).tobytes())
        return content.hexdigest()[:12]

    def save(self, path: Path, *, vectors: str) -> None:
        """Write one safetensors file; `vectors` is the name of the word vectors."""
        arrays = {"group": self.group.astype(np.int64), "centres": self.centres}
        facts = {"words": json.dumps(self.words), "vectors": vectors, "digest": self.digest}
        write_weights(path, arrays, {"format": FORMAT, **facts})

    @classmethod
    def load(cls, path: Path, *, vectors: str) -> ConceptGroups:
        """Read groups; those made with other word vectors are rejected."""
        wanted = {"format": FORMAT, "words": None, "digest": None, "vectors": vectors}
        arrays, facts = read_weights(path, "concept groups", wanted)
        centres = arrays["centres"]
        found = cls(tuple(json.loads(facts["words"])), arrays["group"], len(centres), centres)
        if found.digest != facts["digest"]:
            raise ModelError(f"{path} is damaged: its groups do not match its digest")
        return found

    def of(self, terms: Sequence[str], vectors: WordVectors) -> np.ndarray:
        """The group of each term, -1 if it has no vector.

        Terms that the groups were made of keep theirs; others join the group with the nearest
        centre, so groups of one collection can be used for the next video too.
        """
        known = dict(zip(self.words, self.group.tolist(), strict=True))
        groups = np.array([known.get(term, -1) for term in terms], dtype=int)
        strange = [index for index, term in enumerate(terms) if term not in known]
        if strange and self.words:
            rows, has_vector = vectors.of(terms[index] for index in strange)
            nearest = np.argmax(rows @ self.centres.T, axis=1)
            groups[strange] = np.where(has_vector, nearest, -1)
        return groups


def group_terms(
    terms: Sequence[str], vectors: WordVectors, *, groups: int = 50, seed: int = 0
) -> ConceptGroups:
    """Split the distinct terms that have a vector into `groups` concept groups.

    Spectral clustering of their cosine similarities. With no more terms than groups, every term is
    a group of its own.
    """
    distinct = sorted(set(terms))
    rows, known = vectors.of(distinct)
    words = tuple(word for word, has_vector in zip(distinct, known, strict=True) if has_vector)
    rows = rows[known].astype(float)
    labels = spectral_clusters(rows @ rows.T, groups, seed=seed)
    centres = np.zeros((groups, vectors.dimensions))
    np.add.at(centres, labels, rows)
    centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
    return ConceptGroups(words, labels, groups, centres)


def spectral_clusters(similarity: np.ndarray, count: int, *, seed: int = 0) -> np.ndarray:
    """Cluster number of each row of a symmetric similarity matrix.

    With W the similarities (negative ones are none) and D its row sums, the eigenvectors of
    D^-1/2 W D^-1/2 for the `count` largest eigenvalues give each row its coordinates, scaled to
    length one, on which k-means is run (Ng, Jordan and Weiss 2001).
    """
    n = len(similarity)
    if n <= count:
        return np.arange(n)
    weights = np.maximum(similarity, 0.0)
    np.fill_diagonal(weights, 0.0)
    scale = 1.0 / np.sqrt(np.maximum(weights.sum(axis=1), 1e-12))
    _, vectors = np.linalg.eigh(scale[:, None] * weights * scale[None, :])
    coordinates = vectors[:, -count:]
    coordinates /= np.maximum(np.linalg.norm(coordinates, axis=1, keepdims=True), 1e-12)
    return k_means(coordinates, count, seed=seed)


RUNS = 5
MOST_ROUNDS = 100


def k_means(points: np.ndarray, count: int, *, seed: int = 0) -> np.ndarray:
    """The tightest of a few k-means runs, each started from points far apart (k-means++)."""
    random = np.random.default_rng(seed)
    runs = [_k_means_run(points, count, random) for _ in range(RUNS)]
    labels, _ = min(runs, key=lambda run: run[1])
    return labels


def _k_means_run(
    points: np.ndarray, count: int, random: np.random.Generator
) -> tuple[np.ndarray, float]:
    centres = _far_apart(points, count, random)
    labels = np.full(len(points), -1)
    for _ in range(MOST_ROUNDS):
        distances = _squared_distances(points, centres)
        nearest = distances.argmin(axis=1)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        sizes = np.bincount(labels, minlength=count)
        sums = np.zeros_like(centres)
        np.add.at(sums, labels, points)
        centres = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centres)
    distances = _squared_distances(points, centres)
    return labels, float(distances[np.arange(len(points)), labels].sum())


def _far_apart(points: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    chosen = [int(random.integers(len(points)))]
    distance = _squared_distances(points, points[chosen])[:, 0]
    while len(chosen) < count:
        total = distance.sum()
        share = distance / total if total > 0 else None
        chosen.append(int(random.choice(len(points), p=share)))
        distance = np.minimum(distance, _squared_distances(points, points[chosen[-1:]])[:, 0])
    return points[chosen]


def _squared_distances(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    squares = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)[None, :]
    distances: np.ndarray = np.maximum(squares - 2.0 * points @ centres.T, 0.0)
    return distances
