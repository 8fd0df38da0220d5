"""Shots and their cues in, stories out, by the method the settings name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from storyscope.config import StoryConfig
from storyscope.core import Features, Segmentation, Shot
from storyscope.stories.cluster import cluster, story_path


def segment(
    shots: Sequence[Shot],
    cues: Sequence[Features],
    config: StoryConfig = StoryConfig(),
    *,
    granularity: float | None = None,
    count: int | None = None,
) -> Segmentation:
    """Part the shots by the settings, or into about as many stories as is asked for."""
    rows = _one_space(shots, cues)
    if granularity is None and count is None:
        return cluster(rows, config.penalty).segmentation
    wanted = count or round(len(shots) ** (granularity or 0.0))
    found = [point.partition.segmentation for point in story_path(rows)]
    return min(found, key=lambda parts: abs(len(parts) - wanted))


def _one_space(shots: Sequence[Shot], cues: Sequence[Features]) -> npt.NDArray[np.floating]:
    """Appearance and hue of length one each, and time in half minutes, side by side."""
    rows = [
        cue.vectors / np.maximum(np.linalg.norm(cue.vectors, axis=1, keepdims=True), 1e-9)
        for cue in cues
        if cue.name in ("appearance", "hue")
    ]
    minutes = np.array([[shot.span.middle / 60] for shot in shots])
    return np.hstack([*rows, 0.5 * minutes])
