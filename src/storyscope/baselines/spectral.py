"""Spectral clustering (Ng, Jordan and Weiss 2002).

scikit-learn and scipy would add 180 MB for this one function.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from storyscope.baselines.shots import Array

RESTARTS = 3


def spectral_labels(affinity: Array, count: int, seed: int) -> npt.NDArray[np.int64]:
    """Split the nodes of a graph into `count` groups; `affinity` is symmetric and not negative."""
    nodes = len(affinity)
    count = min(count, nodes)
    if count < 2:
        return np.zeros(nodes, dtype=np.int64)
    return grouped(spectral_rows(affinity, count), count, seed)


def largest_eigengap(affinity: Array) -> int:
    """The number of groups after which the eigenvalues of the graph drop most, at most half."""
    values = np.linalg.eigvalsh(_normalised(affinity))[::-1]
    drops = values[:-1] - values[1:]
    return int(np.argmax(drops[: max(1, len(affinity) // 2)])) + 1 if len(drops) else 1


def spectral_rows(affinity: Array, count: int) -> Array:
    """The leading eigenvectors of the normalised affinity, one unit row per node."""
    vectors = np.linalg.eigh(_normalised(affinity)).eigenvectors[:, -count:]
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    rows: Array = vectors / lengths
    return rows


def grouped(rows: Array, count: int, seed: int) -> npt.NDArray[np.int64]:
    """k-means, the tightest of several runs."""
    runs = [_kmeans(rows, count, np.random.default_rng([seed, i])) for i in range(RESTARTS)]
    return min(runs, key=lambda run: run[1])[0]


def _normalised(affinity: Array) -> Array:
    degree = np.maximum(affinity.sum(axis=1), 1e-12)
    normalised: Array = affinity / np.sqrt(degree[:, None] * degree[None, :])
    return normalised


def _kmeans(
    rows: Array, count: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.int64], float]:
    """Lloyd's iterations from k-means++ centres; the labels, and the scatter they leave."""
    centres = _scattered_rows(rows, count, rng)
    labels = np.full(len(rows), -1)
    while True:
        distances = _squared_distances(rows, centres)
        nearest = distances.argmin(axis=1)
        if (nearest == labels).all():
            return labels, float(distances.min(axis=1).sum())
        labels = nearest
        members = np.bincount(labels, minlength=count)
        sums = np.zeros_like(centres)
        np.add.at(sums, labels, rows)
        centres = np.where(members[:, None] > 0, sums / np.maximum(members, 1)[:, None], centres)


def _scattered_rows(rows: Array, count: int, rng: np.random.Generator) -> Array:
    """Rows drawn with a probability that grows with the distance to those drawn before."""
    chosen = [int(rng.integers(len(rows)))]
    nearest = _squared_distances(rows, rows[chosen])[:, 0]
    while len(chosen) < count:
        total = nearest.sum()
        chance = nearest / total if total > 0 else None
        chosen.append(int(rng.choice(len(rows), p=chance)))
        nearest = np.minimum(nearest, _squared_distances(rows, rows[chosen[-1:]])[:, 0])
    return rows[chosen]


def _squared_distances(rows: Array, others: Array) -> Array:
    squares = np.einsum("ij,ij->i", rows, rows)[:, None]
    distances: Array = squares + np.einsum("ij,ij->i", others, others) - 2.0 * rows @ others.T
    return np.maximum(distances, 0.0)
