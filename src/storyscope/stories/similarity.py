"""Similarity of the shots of a video by each cue, on a scale that all videos share.

The detector never sees features, only similarities, and only their rank among the pairs of the same
video. So it does not depend on the image network or on the contrast of the film. Each cue has its
own view; appearance has two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from storyscope.core import Features
from storyscope.cues import find_cue
from storyscope.errors import InvalidFeatures

Array = npt.NDArray[Any]

APPEARANCE, COLOUR, AUDIO, TIME = "appearance", "colour", "audio", "time"
WHITENED = "whitened"
"""The second view of appearance; what all shots of the video have in common counts less in it."""

LEARNED = (APPEARANCE, WHITENED, COLOUR)
"""Views of the training videos, in the order of a model's weights."""

NEAR = 60
"""Maximum distance of the pairs of shots that define the scale of a video's similarities."""

BAND = 512
"""Number of shots that are compared with nearby shots at a time, to find that scale."""

SAME = 3.0
"""Similarity of a shot with itself, which is also the maximum."""

_LEVELS = np.linspace(0.0005, 0.9995, 1000)
_NORMAL_SCORES = np.array([NormalDist().inv_cdf(level) for level in _LEVELS]).clip(-SAME, SAME)


def cue_of_view(view: str) -> str:
    """The cue of the features that a view compares."""
    return APPEARANCE if view == WHITENED else view


def relative_weight(view: str) -> float:
    """Weight, relative to colour, of a view that no training video has; 1 for the others."""
    return 1.0 if view in LEARNED else find_cue(view).vote


def cues_of(features: Sequence[Features]) -> dict[str, list[Features]]:
    """The features by cue, without cues of no weight and time: shots have their own times."""
    cues: dict[str, list[Features]] = {}
    for feature in features:
        cue = find_cue(feature.name)
        name = APPEARANCE if cue.view == "appearance" else cue.explained_as
        if cue.view != "timing" and relative_weight(name):
            cues.setdefault(name, []).append(feature)
    return cues


@dataclass(frozen=True, eq=False)
class View:
    """Similarities of the shots of a video by one cue, computed on request.

    A film of twelve hours has a hundred million pairs of shots, of which only near ones are used.
    """

    rows: tuple[Array, ...]
    """For each feature of the cue, the input of `similarities`: [shots, dims]."""
    scales: tuple[Array, ...]
    """For each feature, the quantiles of its similarities; empty if all are the same."""
    joint: Array
    """Quantiles of the features' mean score."""

    @classmethod
    def of(cls, rows: Sequence[Array]) -> View:
        """The view of one cue, given the comparable rows of its features."""
        near = [_near_pairs(each) for each in rows]
        scales = tuple(map(quantiles, near))
        scores = [normal_scores(each, scale) for each, scale in zip(near, scales, strict=True)]
        return cls(tuple(rows), scales, quantiles(np.mean(scores, axis=0)))

    def among(self, shots: range) -> Array:
        """Normal scores of consecutive shots with each other: [shots, shots]."""
        parts = [rows[shots.start : shots.stop] for rows in self.rows]
        scores = [
            normal_scores(similarities(part, part), scale)
            for part, scale in zip(parts, self.scales, strict=True)
        ]
        mean: Array = (
            scores[0] if len(scores) == 1 else normal_scores(np.mean(scores, axis=0), self.joint)
        )
        np.fill_diagonal(mean, SAME)
        return mean


def compare_shots(cues: Mapping[str, Sequence[Features]]) -> dict[str, View]:
    """The views of a video by each available cue.

    A cue for which all shots are the same has no view.
    """
    counts = {len(feature) for features in cues.values() for feature in features}
    if len(counts) > 1:
        raise InvalidFeatures(
            f"expected features of one video, got rows for {sorted(counts)} shots"
        )
    views: dict[str, View] = {}
    for cue, features in cues.items():
        rows = [np.asarray(each.vectors, np.float64) for each in features]
        if cue == AUDIO:
            rows = [_standardised(each) for each in rows]
        found = {cue: View.of([comparable(each) for each in rows])}
        if cue == APPEARANCE:
            found[WHITENED] = View.of([whitened(each) for each in rows])
        views |= {name: view for name, view in found.items() if len(view.joint)}
    return views


def comparable(vectors: npt.ArrayLike) -> Array:
    """Rows of unit length; square roots of histograms; single numbers unchanged."""
    rows = np.asarray(vectors, np.float64)
    if rows.shape[1] == 1:
        return rows
    if rows.min(initial=0.0) >= 0 and np.allclose(rows.sum(axis=1), 1.0, atol=0.02):
        rows = np.sqrt(rows)
    return _unit(rows)


def whitened(vectors: npt.ArrayLike) -> Array:
    """Rows of unit length after whitening by the video's own covariance.

    With lambda the variances along the principal axes of the video, each axis is divided by
    sqrt(lambda + mean(lambda)): strong axes are what the whole video has in common.
    """
    rows = _unit(np.asarray(vectors, np.float64))
    rows = rows - rows.mean(axis=0)
    count, dims = rows.shape
    # The axes of the smaller of the two covariances give the same rows up to a rotation.
    few = count <= dims
    squares, basis = np.linalg.eigh(rows @ rows.T if few else rows.T @ rows)
    variance = np.maximum(squares, 0.0) / count
    if variance.max(initial=0.0) < 1e-12:
        return np.ones((count, 2))
    spread = variance + variance.sum() / min(rows.shape)
    rows = basis * np.sqrt(count * variance / spread) if few else rows @ basis / np.sqrt(spread)
    # A column of zeros prevents rows of one number from being treated as single numbers.
    return np.pad(_unit(rows), ((0, 0), (0, 1)))


def similarities(rows: Array, others: Array) -> Array:
    """Cosine of comparable rows; negative distance for single numbers."""
    if rows.shape[1] == 1:
        negative: Array = -np.abs(rows - others.T)
        return negative
    cosines: Array = rows @ others.T
    return cosines


def _near_pairs(rows: Array) -> Array:
    """The similarity of every pair of shots at most NEAR apart."""
    found = [np.zeros(0)]
    for start in range(0, len(rows), BAND):
        some, others = rows[start : start + BAND], rows[start : start + BAND + NEAR]
        gap = np.arange(len(others)) - np.arange(len(some))[:, None]
        found.append(similarities(some, others)[(gap > 0) & (gap <= NEAR)])
    return np.concatenate(found)


def quantiles(values: Array) -> Array:
    """Quantiles for `normal_scores`; empty if all similarities are the same."""
    if not len(values) or np.ptp(values) < 1e-9:
        return np.zeros(0)
    ranks = np.linspace(0.0, 1.0, len(values))
    levels: Array = np.interp(_LEVELS, ranks, np.sort(values))
    return levels


def normal_scores(values: Array, scale: Array) -> Array:
    """Replace each similarity by its rank among near pairs, as a standard normal score."""
    if not len(scale):
        return np.zeros_like(values)
    scores: Array = np.interp(values, scale, _NORMAL_SCORES)
    return scores


def _standardised(rows: Array) -> Array:
    """Every column in its own standard deviations: energies would dominate the other statistics."""
    spread = rows.std(axis=0)
    standardised: Array = (rows - rows.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0)
    return standardised


def _unit(rows: Array) -> Array:
    unit: Array = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return unit
