"""Shots and their cues in, stories out, by the method the settings name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from storyscope.config import StoryConfig
from storyscope.core import Features, Segmentation, Shot, StoryPath
from storyscope.errors import UnknownName
from storyscope.stories.cluster import cluster, story_path
from storyscope.stories.detect import detect
from storyscope.stories.model import StoryModel, default_model


def segment(
    shots: Sequence[Shot],
    cues: Sequence[Features],
    config: StoryConfig = StoryConfig(),
    *,
    granularity: float | None = None,
    count: int | None = None,
) -> Segmentation:
    """Part the shots by the settings, or into about as many stories as is asked for.

    With the method `ours`, finer stories lie inside coarser ones. The paper's clustering solves
    every granularity for itself, so there they need not.
    """
    if config.method == "cluster":
        return _clustered(shots, cues, config, granularity=granularity, count=count)
    path = all_granularities(shots, cues, config)
    if count is not None:
        return path.about(count)
    return path.stories if granularity is None else path.at(granularity)


def all_granularities(
    shots: Sequence[Shot], cues: Sequence[Features], config: StoryConfig = StoryConfig()
) -> StoryPath:
    """Everything that is needed to regroup the shots later without their features."""
    if config.method != "ours":
        raise UnknownName(f"no story detector is called {config.method!r}; choose ours or cluster")
    return detect(shots, cues, load_model(config.model))


def load_model(name: str) -> StoryModel:
    """The model that ships, under the name `default`, or one from a file."""
    return default_model() if name == "default" else StoryModel.load(Path(name))


def _clustered(
    shots: Sequence[Shot],
    cues: Sequence[Features],
    config: StoryConfig,
    *,
    granularity: float | None,
    count: int | None,
) -> Segmentation:
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
