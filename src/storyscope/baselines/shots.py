"""Descriptors of shots for the baselines."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from storyscope.core import Features
from storyscope.errors import InvalidFeatures
from storyscope.evaluate import UnannotatedVideo

Array = npt.NDArray[np.float64]


def descriptors(video: UnannotatedVideo) -> dict[str, Array]:
    """One unit vector per shot for every feature of the video, so that a dot product is a
    cosine."""
    if not video.features:
        raise InvalidFeatures(f"{video.name} has no features; a baseline needs at least one")
    return {name: unit_rows(features) for name, features in sorted(video.features.items())}


def unit_rows(features: Features) -> Array:
    """Rows of length one; of a histogram the square roots, whose dot product is Bhattacharyya's."""
    rows = np.asarray(features.vectors, dtype=np.float64)
    if (rows >= 0).all() and np.allclose(rows.sum(axis=1), 1.0, atol=1e-3):
        rows = np.sqrt(rows)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Array = rows / np.where(lengths > 0, lengths, 1.0)
    return unit


def joined(video: UnannotatedVideo) -> Array:
    """All descriptors of a shot as one vector, each feature with the same weight."""
    parts = list(descriptors(video).values())
    together: Array = np.hstack(parts) / np.sqrt(len(parts))
    return together


def middle_seconds(video: UnannotatedVideo) -> Array:
    """The time in the middle of each shot."""
    return np.array([(start + end) / 2 for start, end in video.shots]) / video.fps


def similarity(rows: Array) -> Array:
    """Cosines of every pair of shots."""
    cosines: Array = rows @ rows.T
    return cosines
