"""The streaming detector: from small frames to shots, in constant memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module

import numpy as np

from storyscope.config import ShotConfig
from storyscope.core import Shot, SmallFrame
from storyscope.plugins import load_plugin
from storyscope.shots.confirm import Confirmation
from storyscope.shots.decide import find_transitions
from storyscope.shots.tile import Timestamps, tile

BLOCK = 256

DETECTORS = {
    "fast": "storyscope.shots.fast",
    "neural": "storyscope.shots.verify",
    "paper": "storyscope.shots.paper",
}
"""Every detector and the module of its `score_frames`."""
CONFIRMED_DETECTORS = ("fast", "neural")
"""Detectors whose transitions are looked at again; those of the paper's are not."""

PLUGINS = "storyscope.detectors"
"""The group of entry points of `score_frames` functions in other packages."""

Scorer = Callable[[Iterable[np.ndarray]], Iterator[np.ndarray]]


def detect_shots(
    frames: Iterable[SmallFrame], config: ShotConfig = ShotConfig(), *, block: int = BLOCK
) -> Iterator[Shot]:
    """Group `frames`, in presentation order, into the shots that tile the video.

    A shot is yielded once the transition that ends it is certain: `block` and a few seconds
    later. `block` changes that delay and nothing else.
    """
    times, confirm = Timestamps(), Confirmation(config.model)
    pixels = confirm.watching(times.looking(_blocks(times.noting(frames), block)))
    scores = _scorer(config.detector)(pixels)
    if config.detector in CONFIRMED_DETECTORS:
        transitions = find_transitions(scores, times.is_pause, confirm, confirm.is_cut)
    else:
        transitions = find_transitions(scores, times.is_pause)
    yield from tile(transitions, times, config)


def _scorer(detector: str) -> Scorer:
    if detector in DETECTORS:
        ours: Scorer = import_module(DETECTORS[detector]).score_frames
        return ours
    theirs: Scorer = load_plugin(PLUGINS, detector)
    return theirs


def _blocks(frames: Iterable[SmallFrame], size: int) -> Iterator[np.ndarray]:
    """Stack the frames' pixels, `size` frames at a time; the last block may be shorter."""
    pixels: list[np.ndarray] = []
    for frame in frames:
        pixels.append(frame.rgb)
        if len(pixels) == size:
            yield np.stack(pixels)
            pixels.clear()
    if pixels:
        yield np.stack(pixels)
