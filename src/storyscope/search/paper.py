"""The paper's ranking of stories for a query (its eq. `retrieval`).

    R_a(q)  =  max over shots s of a  ( alpha P(s, u) + (1 - alpha) max over d in s of A(d) )

u is the detected concept most like the query by word vectors, P(s, u) the presence of that term in
the shot, A(d) the beauty of a keyframe. Unlike the default ranking it always returns hits, except
where the query has no known word or no concept was detected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Ranked:
    """A story's R, and what it comes from."""

    score: float
    presence: float
    """P(s, u) of the best shot."""
    beauty: float
    """A(d) of that shot's most beautiful keyframe."""
    picture: int
    """The number of that keyframe, which is the story's thumbnail."""


def nearest_concept(query: np.ndarray, concepts: np.ndarray) -> int | None:
    """u: the row of `concepts` most like the query; both hold unit vectors, or zeros if unknown."""
    if not query.any() or not concepts.any():
        return None
    return int(np.argmax(concepts @ query))


def rank_story(
    shots: range,
    presence: np.ndarray,
    picture_shots: np.ndarray,
    beauty: np.ndarray,
    *,
    alpha: float = 0.7,
) -> Ranked | None:
    """R of the story made of `shots`; None when it has no keyframe.

    `presence` holds P(s, u) of every shot of the video, `picture_shots` and `beauty` the shot and
    A(d) of every keyframe.
    """
    pictures = np.flatnonzero((picture_shots >= shots.start) & (picture_shots < shots.stop))
    if not len(pictures):
        return None
    scores = alpha * presence[picture_shots[pictures]] + (1 - alpha) * beauty[pictures]
    best = int(pictures[np.argmax(scores)])
    return Ranked(
        float(scores.max()), float(presence[picture_shots[best]]), float(beauty[best]), best
    )


def rank_stories(
    stories: Sequence[range],
    presence: np.ndarray,
    picture_shots: np.ndarray,
    beauty: np.ndarray,
    *,
    alpha: float = 0.7,
) -> list[Ranked | None]:
    """R of every story, in their order."""
    return [rank_story(shots, presence, picture_shots, beauty, alpha=alpha) for shots in stories]
