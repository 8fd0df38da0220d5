"""Which keyframes represent a shot."""

from __future__ import annotations

import numpy as np

from storyscope.config import FeatureConfig
from storyscope.core import Keyframes, Shot
from storyscope.features.colour import keyframe_colours
from storyscope.features.keyframes import nearest_to_uniform, rows_of_shots


def sample_keyframes(
    shots: tuple[Shot, ...], keyframes: Keyframes, config: FeatureConfig
) -> list[np.ndarray]:
    """For every shot the rows of the keyframes that represent it, at least one each."""
    colours = keyframe_colours(keyframes) if config.sampling == "different" else None
    rows = []
    for shot, own in zip(shots, rows_of_shots(keyframes, shots), strict=True):
        if colours is not None:
            chosen = most_different(colours[own], config.keyframes_per_shot)
        else:
            chosen = _uniform(keyframes, own, shot, config.keyframes_per_shot)
        rows.append(own[chosen])
    return rows


def most_different(histograms: np.ndarray, count: int) -> np.ndarray:
    """Rows that differ most: the farthest pair, then whatever is farthest from those selected."""
    if len(histograms) <= count:
        return np.arange(len(histograms))
    distances = np.abs(histograms[:, None] - histograms[None]).sum(axis=2)
    taken = [int(row) for row in divmod(int(distances.argmax()), len(histograms))][:count]
    while len(taken) < count:
        taken.append(int(distances[taken].min(axis=0).argmax()))
    return np.unique(np.array(taken, dtype=int))


def _uniform(keyframes: Keyframes, own: np.ndarray, shot: Shot, count: int) -> np.ndarray:
    frames = keyframes.frames[own].astype(float)
    first = max(shot.frames.start, shot.transition.end_frame)
    return nearest_to_uniform(frames, first, shot.frames.stop, count)
