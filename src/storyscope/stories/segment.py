"""From shots and their cues to stories, by the method in the settings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from storyscope.clustering import cluster
from storyscope.config import StoryConfig
from storyscope.core import Features, Segmentation, Shot, StoryCount, StoryPath
from storyscope.embedding import Embedding, Layout
from storyscope.errors import ModelError, UnknownName
from storyscope.stories.detect import detect
from storyscope.stories.hierarchy import order_changes, scatter_splits
from storyscope.stories.model import StoryModel, default_model
from storyscope.stories.similarity import Array


def segment(
    shots: Sequence[Shot],
    cues: Sequence[Features],
    config: StoryConfig = StoryConfig(),
    *,
    granularity: float | None = None,
    count: int | None = None,
) -> Segmentation:
    """Split the shots according to the settings, or into about the requested number of stories."""
    wanted = StoryCount(granularity, count) or config.count
    return wanted.of(all_granularities(shots, cues, config), shots[-1].span.end)


def all_granularities(
    shots: Sequence[Shot], cues: Sequence[Features], config: StoryConfig = StoryConfig()
) -> StoryPath:
    """The stories at every granularity, by the method in the settings."""
    if config.method == "ours":
        return detect(shots, cues, load_model(config.model))
    if config.method == "cluster":
        space = _load_space(config.model)
        rows = _one_space(shots, cues, config.cues) if space is None else space.embed(cues)
        return _clustered(rows, config.penalty)
    raise UnknownName(f"no story detector is called {config.method!r}; choose ours or cluster")


def model_digest(config: StoryConfig) -> str:
    """Digest of the model in the settings; another model finds other stories."""
    if config.method == "ours":
        return load_model(config.model).digest
    return "" if config.model == "default" else Embedding.digest_in(Path(config.model))


def load_model(name: str) -> StoryModel:
    """The shipped model, called `default`, or one from a file."""
    return default_model() if name == "default" else StoryModel.load(Path(name))


def _load_space(name: str) -> Embedding | None:
    """The embedding to cluster in, or None if it is called `default`."""
    if name == "default":
        return None
    space = Embedding.load(Path(name))
    if space.kind == "lstm":
        raise ModelError(f"{name} is an LSTM, which scores boundaries and does not embed shots")
    return space


def _clustered(rows: Array, penalty: float | str) -> StoryPath:
    """The paper's clustering; a shot change is a boundary or not, so there is no other
    confidence."""
    starts = cluster(rows, penalty).segmentation.starts
    order = order_changes(starts, len(rows), scatter_splits(rows))
    confidence = np.isin(np.arange(len(rows)), starts).astype(float)
    return StoryPath(order, len(starts), tuple(confidence.tolist()))


def _one_space(shots: Sequence[Shot], cues: Sequence[Features], names: str) -> Array:
    """The named features side by side, scaled as for an embedding; missing ones are left out."""
    times = np.array([(shot.span.middle, shot.span.length) for shot in shots])
    there = {"time": Features("time", times, "middle and length 1")}
    there |= {cue.name: cue for cue in cues}
    used = [there[name] for name in chosen_cues(names) if name in there]
    joined: Array = Layout.of(used).join(used)
    return joined


def chosen_cues(names: str) -> list[str]:
    """The names in a list written as `appearance,time`."""
    return [name.strip() for name in names.split(",") if name.strip()]
