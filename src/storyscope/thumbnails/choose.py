"""The thumbnail of a story: relevant to the query, beautiful, and never a degraded frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from storyscope.config import ThumbnailConfig
from storyscope.core import Keyframes, Ratings, Story, Thumbnail

DARKEST = 0.15
"""Minimum exposure: a frame below it is black, white or fog."""
BLURRIEST = 0.2
"""Minimum sharpness: a frame below it is blurred."""
BLURRIEST_SHARE = 0.6
"""Minimum sharpness relative to the story's sharp frames."""
PLAINEST = 0.12
"""Minimum share of pixels that differ from the background."""
MOST_LETTERING = 0.1


def choose_thumbnail(
    story: Story,
    keyframes: Keyframes,
    ratings: Ratings,
    relevance: np.ndarray | None = None,
    config: ThumbnailConfig = ThumbnailConfig(),
) -> Thumbnail | None:
    """The best keyframe of the story; `relevance` in [0, 1] is that of each keyframe to a query.

    Unusable frames (black, blurred, text, in a transition) are chosen only if the story has no
    other. None if no keyframe is in the story's shots.
    """
    return next(_best_first(story, keyframes, ratings, relevance, config), None)


def rank_thumbnails(
    story: Story,
    keyframes: Keyframes,
    ratings: Ratings,
    relevance: np.ndarray | None = None,
    config: ThumbnailConfig = ThumbnailConfig(),
) -> list[Thumbnail]:
    """All keyframes of the story, best first, each with the parts of its score."""
    return list(_best_first(story, keyframes, ratings, relevance, config))


def _best_first(
    story: Story,
    keyframes: Keyframes,
    ratings: Ratings,
    relevance: np.ndarray | None,
    config: ThumbnailConfig,
) -> Iterator[Thumbnail]:
    rows = np.flatnonzero(
        (keyframes.shots >= story.shots.start) & (keyframes.shots < story.shots.stop)
    )
    if not len(rows):
        return
    beauty = ratings.beauty[rows] * _quality_factor(ratings, rows)
    if relevance is None:
        score = beauty
    else:
        score = (1 - config.beauty) * relevance[rows] + config.beauty * beauty
    usable = usable_frames(ratings, rows)
    order = np.lexsort((keyframes.seconds[rows], -score, ~usable))
    for place in order:
        parts = _parts(ratings, rows[place], relevance, usable=bool(usable[place]))
        seconds = float(keyframes.seconds[rows[place]])
        why = _because(parts, len(rows))
        yield Thumbnail(story.id, seconds, float(score[place]), parts, why)


def usable_frames(ratings: Ratings, rows: np.ndarray) -> np.ndarray:
    """Which of these frames, all of one story, are usable."""
    sharpness = ratings.sharpness[rows]
    sharp = sharpness >= max(BLURRIEST, BLURRIEST_SHARE * _percentile(sharpness, 90))
    lit = ratings.exposure[rows] >= DARKEST
    shown = (ratings.variety[rows] >= PLAINEST) & (ratings.lettering[rows] <= MOST_LETTERING)
    return np.asarray(sharp & lit & shown & (ratings.clear[rows] > 0))


def _percentile(values: np.ndarray, percent: float) -> float:
    """numpy's percentile without its checks, which would take most of the time per story."""
    ordered = np.sort(values)
    place = percent / 100 * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (place - below) * (ordered[above] - ordered[below]))


def _quality_factor(ratings: Ratings, rows: np.ndarray) -> np.ndarray:
    """Quality factor of a frame: beauty is reduced if light or detail is missing."""
    exposure, sharpness = ratings.exposure[rows], ratings.sharpness[rows]
    best = max(float(sharpness.max()), 1e-6)
    return np.asarray(np.sqrt(exposure * sharpness / best))


def _parts(
    ratings: Ratings, row: int, relevance: np.ndarray | None, *, usable: bool
) -> dict[str, float]:
    parts = {
        "beauty": float(ratings.beauty[row]),
        "sharpness": float(ratings.sharpness[row]),
        "exposure": float(ratings.exposure[row]),
        "usable": float(usable),
    }
    if relevance is not None:
        parts["relevance"] = float(relevance[row])
    return parts


def _because(parts: Mapping[str, float], count: int) -> str:
    if not parts["usable"]:
        return f"all {count} frames are dark, blurred, mostly text or in a transition"
    beauty = f"beauty {parts['beauty']:.2f}"
    if "relevance" not in parts:
        return f"{beauty}; best of {count} frames"
    return f"relevance {parts['relevance']:.2f}, {beauty}; best of {count} frames"
