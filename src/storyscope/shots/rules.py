"""Scores by rule, from squared distances between frames a few frames apart.

Write x_t for frame t as 16 x 9 coloured tiles and d(s, t) = |x_s - x_t|.
A cut at t parts everything before from everything after: d is large between every frame of
t-3..t-1 and every frame of t..t+2, larger than any change near it. A dissolve centred at t lies
half way between its ends: |x_t - (x_{t-k} + x_{t+k}) / 2| is small beside d(t-k, t+k).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from storyscope.shots.decide import Scores

CONTEXT = 48
LAGS = (4, 8, 16)
CUT_DISTANCE = 14.0
GRADUAL_DISTANCE = 16.0


def score_frames(blocks: Iterable[np.ndarray]) -> Iterator[Scores]:
    """Score every frame; each score sees CONTEXT frames to either side and nothing else."""
    held: np.ndarray | None = None
    for block in blocks:
        tiles = _tiles(block)
        if held is None:
            held = np.repeat(tiles[:1], CONTEXT, axis=0)
        held = np.concatenate([held, tiles])
        if len(held) > 2 * CONTEXT:
            yield _score(held)
            held = held[-2 * CONTEXT :]
    if held is not None:
        yield _score(np.concatenate([held, np.repeat(held[-1:], CONTEXT, axis=0)]))


def _tiles(rgb: np.ndarray) -> np.ndarray:
    """Mean colour of 3 x 3 pixel tiles: n x 432."""
    n = len(rgb)
    rows = rgb.reshape(n, 9, 3, 144).sum(axis=2, dtype=np.uint16)
    tiles = rows.reshape(n, 9, 16, 3, 3).sum(axis=3, dtype=np.uint16)
    return np.asarray(tiles.reshape(n, 432) / np.float32(9), np.float32)


def _score(tiles: np.ndarray) -> Scores:
    core = slice(CONTEXT, len(tiles) - CONTEXT)
    step = _distance(tiles, 1)  # step[t]: from frame t-1 to t
    across, near = step.copy(), np.zeros_like(step)
    for before, after in ((2, 0), (1, 1), (3, 0), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2)):
        # The distance of t-before to t+after, seen from t.
        across = np.minimum(across, _shifted(_distance(tiles, before + after), after))
    for offset in range(1, 9):
        near = np.maximum(near, np.maximum(_shifted(step, offset), _shifted(step, -offset)))
    cut = np.minimum(across / CUT_DISTANCE, across / (1.6 * near + 1e-6)) / 2
    gradual = np.zeros_like(step)
    for lag in LAGS:
        gradual = _spread(gradual, _halfway(tiles, step, lag), lag)
    spread = tiles.std(axis=1)
    return Scores(np.clip(cut, 0, 1)[core], gradual[core], (spread < 6).astype(np.float32)[core])


def _distance(tiles: np.ndarray, lag: int) -> np.ndarray:
    """Root mean square difference of frame t to frame t-lag, at position t."""
    change = tiles[lag:] - tiles[:-lag]
    distance = np.zeros(len(tiles), np.float32)
    distance[lag:] = np.sqrt(np.einsum("ij,ij->i", change, change) / tiles.shape[1])
    return distance


def _shifted(values: np.ndarray, offset: int) -> np.ndarray:
    """values[t + offset] at position t; zero beyond the ends."""
    out = np.zeros_like(values)
    if offset > 0:
        out[:-offset] = values[offset:]
    elif offset < 0:
        out[-offset:] = values[:offset]
    else:
        out[:] = values
    return out


def _halfway(tiles: np.ndarray, step: np.ndarray, lag: int) -> np.ndarray:
    """How much frame t looks like the middle of a dissolve from t-lag to t+lag."""
    one, two = _distance(tiles, lag), _shifted(_distance(tiles, 2 * lag), lag)
    # Apollonius: the distance to the midpoint from the three sides of the triangle.
    squared = (one**2 + _shifted(one, lag) ** 2) / 2 - two**2 / 4
    off = np.sqrt(np.maximum(squared, 0)) / (two + 1e-6)
    rest = np.maximum(_shifted(one, -lag), _shifted(one, 2 * lag))
    jump = step.copy()
    for offset in range(1, lag + 1):
        jump = np.maximum(jump, np.maximum(_shifted(step, offset), _shifted(step, -offset)))
    good = (two > GRADUAL_DISTANCE) & (off < 0.16) & (jump < 0.3 * two) & (rest < 0.3 * two)
    return np.asarray(good, np.float32)


def _spread(gradual: np.ndarray, middles: np.ndarray, lag: int) -> np.ndarray:
    for offset in range(-lag // 2, lag // 2 + 1):
        gradual = np.maximum(gradual, _shifted(middles, offset))
    return gradual
