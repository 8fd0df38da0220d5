"""How alike the shots of a video are, by each cue, on a scale that any video shares.

The detector never sees a feature, only similarities, and of those only the rank among the pairs
of the same video. So it does not matter which network looked at the pictures, nor how contrasty
the film is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from storyscope.core import Features
from storyscope.cues import find_cue
from storyscope.errors import InvalidFeatures

Array = npt.NDArray[Any]

APPEARANCE, TIME = "appearance", "time"

NEAR = 60
"""Pairs of shots at most this far apart set the scale of a video's similarities."""

SAME = 3.0
"""Similarity of a shot with itself, and the most that is told apart."""

_LEVELS = np.linspace(0.0005, 0.9995, 1000)
_NORMAL_SCORES = np.array([NormalDist().inv_cdf(level) for level in _LEVELS]).clip(-SAME, SAME)


@dataclass(frozen=True, eq=False)
class Views:
    """Three ways to look at the pairs of shots; each [shots, shots], or None without the cue."""

    appearance: Array | None
    """What the image network sees."""
    distinctive: Array | None
    """The same, what all shots of this video have in common being discounted."""
    second_opinion: Array | None
    """What colour, sound, speech and concepts say together."""

    def __iter__(self) -> Iterator[Array | None]:
        return iter((self.appearance, self.distinctive, self.second_opinion))

    def backwards(self) -> Views:
        """The same shots from last to first."""
        return Views(*(None if view is None else view[::-1, ::-1] for view in self))

    def of(self, shots: Array) -> Views:
        """Some of the shots, in the order given by their numbers."""
        return Views(*(None if view is None else view[np.ix_(shots, shots)] for view in self))


def cues_of(features: Sequence[Features]) -> dict[str, list[Features]]:
    """The features by the cue they speak for, time left out: shots know their times."""
    cues: dict[str, list[Features]] = {}
    for feature in features:
        cue = find_cue(feature.name)
        if cue.view != "timing":
            name = APPEARANCE if cue.view == "appearance" else cue.explained_as
            cues.setdefault(name, []).append(feature)
    return cues


def look(cues: Mapping[str, Sequence[Features]]) -> Views:
    """Compare all shots of a video by all cues there are."""
    counts = {len(feature) for features in cues.values() for feature in features}
    if len(counts) > 1:
        raise InvalidFeatures(f"features of one video wanted, got rows for {sorted(counts)} shots")
    seen = cues.get(APPEARANCE, ())
    others = [
        (find_cue(cue).vote, _vote([likeness(each.vectors) for each in features]))
        for cue, features in cues.items()
        if cue != APPEARANCE
    ]
    return Views(
        appearance=_vote([likeness(each.vectors) for each in seen]),
        distinctive=_vote([distinctive_likeness(each.vectors) for each in seen]),
        second_opinion=_weighted(others),
    )


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
    basis, scale, _ = np.linalg.svd(rows, full_matrices=False)
    variance = scale**2 / len(rows)
    if not variance.any():
        return np.ones((len(rows), len(rows)))
    rows = _unit(basis * (scale / np.sqrt(variance + variance.mean())))
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


def _vote(likenesses: Sequence[Array]) -> Array | None:
    """The view of several features of one cue: the mean of their normal scores."""
    if not likenesses:
        return None
    scores = [normal_scores(each) for each in likenesses]
    return scores[0] if len(scores) == 1 else normal_scores(np.mean(scores, axis=0))


def _weighted(votes: Sequence[tuple[float, Array | None]]) -> Array | None:
    there = [(weight, view) for weight, view in votes if view is not None]
    if len(there) <= 1:
        return there[0][1] if there else None
    return normal_scores(sum(weight * view for weight, view in there))  # type: ignore[arg-type]


def _unit(rows: Array) -> Array:
    unit: Array = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return unit
