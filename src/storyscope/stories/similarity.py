"""How alike the shots of a video are, by each cue, on a scale that any video shares.

The detector never sees a feature, only similarities, and of those only the rank among the pairs
of the same video. So it does not matter which network looked at the pictures, nor how contrasty
the film is. Each cue has a view of its own; appearance has two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from storyscope.core import Features
from storyscope.cues import find_cue
from storyscope.errors import InvalidFeatures

Array = npt.NDArray[Any]

APPEARANCE, COLOUR, AUDIO, TIME = "appearance", "colour", "audio", "time"
DISTINCTIVE = "distinctive"
"""Appearance once more, with what all shots of this video have in common discounted."""

LEARNED = (APPEARANCE, DISTINCTIVE, COLOUR)
"""Views that training videos have, in the order of a model's weights."""

NEAR = 60
"""Pairs of shots at most this far apart set the scale of a video's similarities."""

SAME = 3.0
"""Similarity of a shot with itself, and the most that is told apart."""

_LEVELS = np.linspace(0.0005, 0.9995, 1000)
_NORMAL_SCORES = np.array([NormalDist().inv_cdf(level) for level in _LEVELS]).clip(-SAME, SAME)


def cue_of_view(view: str) -> str:
    """The cue whose features a view compares."""
    return APPEARANCE if view == DISTINCTIVE else view


def vote_of(view: str) -> float:
    """Weight, beside colour's, of a view that no training video has."""
    return 1.0 if view in LEARNED else find_cue(view).vote


def cues_of(features: Sequence[Features]) -> dict[str, list[Features]]:
    """The features by the cue they speak for, time left out: shots know their times."""
    cues: dict[str, list[Features]] = {}
    for feature in features:
        cue = find_cue(feature.name)
        if cue.view != "timing":
            name = APPEARANCE if cue.view == "appearance" else cue.explained_as
            cues.setdefault(name, []).append(feature)
    return cues


def look(cues: Mapping[str, Sequence[Features]]) -> dict[str, Array]:
    """Compare all shots of a video by all cues there are: a matrix [shots, shots] for each view.

    A cue by which all shots are the same says nothing, and has no view.
    """
    counts = {len(feature) for features in cues.values() for feature in features}
    if len(counts) > 1:
        raise InvalidFeatures(
            f"expected features of one video, got rows for {sorted(counts)} shots"
        )
    views: dict[str, Array] = {}
    for cue, features in cues.items():
        rows = [np.asarray(each.vectors, np.float64) for each in features]
        if cue == AUDIO:
            rows = [_standardised(each) for each in rows]
        found = {cue: _vote([likeness(each) for each in rows])}
        if cue == APPEARANCE:
            found[DISTINCTIVE] = _vote([distinctive_likeness(each) for each in rows])
        views |= {view: seen for view, seen in found.items() if _tells_apart(seen)}
    return views


def _tells_apart(view: Array) -> bool:
    return bool(view.sum() != SAME * len(view) or np.abs(view).sum() != SAME * len(view))


def likeness(vectors: npt.ArrayLike) -> Array:
    """Cosine of the rows; of their square roots for histograms; closeness for single numbers."""
    rows = np.asarray(vectors, np.float64)
    if rows.shape[1] == 1:
        return -np.abs(rows - rows.T)
    if rows.min(initial=0.0) >= 0 and np.allclose(rows.sum(axis=1), 1.0, atol=0.02):
        rows = np.sqrt(rows)
    rows = _unit(rows)
    return rows @ rows.T


def distinctive_likeness(vectors: npt.ArrayLike) -> Array:
    """Cosine of the rows after whitening by the video's own covariance.

    With lambda the variances along the principal axes of the video, each axis is divided by
    sqrt(lambda + mean(lambda)): strong axes are what the whole video looks like.
    """
    rows = _unit(np.asarray(vectors, np.float64))
    rows = rows - rows.mean(axis=0)
    # The axes of the smaller of the two covariances give the same rows up to a rotation.
    squares, basis = np.linalg.eigh(rows @ rows.T)
    variance = np.maximum(squares, 0.0) / len(rows)
    if variance.max(initial=0.0) < 1e-12:
        return np.ones((len(rows), len(rows)))
    mean = variance.sum() / min(rows.shape)
    rows = _unit(basis * np.sqrt(len(rows) * variance / (variance + mean)))
    return rows @ rows.T


def normal_scores(likenesses: Array) -> Array:
    """Replace each likeness by its rank among near pairs, as a standard normal score."""
    count = len(likenesses)
    first, second = np.triu_indices(count, 1)
    near = likenesses[first, second][second - first <= NEAR]
    if not len(near) or np.ptp(near) < 1e-9:
        scores = np.zeros((count, count))
    else:
        scores = np.interp(likenesses, np.quantile(near, _LEVELS), _NORMAL_SCORES)
    np.fill_diagonal(scores, SAME)
    return scores


def _vote(likenesses: Sequence[Array]) -> Array:
    """The view of several features of one cue: the mean of their normal scores."""
    scores = [normal_scores(each) for each in likenesses]
    return scores[0] if len(scores) == 1 else normal_scores(np.mean(scores, axis=0))


def _standardised(rows: Array) -> Array:
    """Every column in its own standard deviations: energies would drown the other statistics."""
    spread = rows.std(axis=0)
    standardised: Array = (rows - rows.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0)
    return standardised


def _unit(rows: Array) -> Array:
    unit: Array = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return unit
