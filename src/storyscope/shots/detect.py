"""The streaming detector: small frames in, shots out, in memory that does not grow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from storyscope.config import ShotConfig
from storyscope.core import Shot, SmallFrame
from storyscope.errors import UnknownName
from storyscope.shots import paper
from storyscope.shots.decide import find_transitions
from storyscope.shots.measure import REACH, measure, sketch
from storyscope.shots.network import MARGIN, score
from storyscope.shots.sliding import sliding
from storyscope.shots.tile import Timestamps, tile

BLOCK = 256


def detect_shots(
    frames: Iterable[SmallFrame], config: ShotConfig = ShotConfig(), *, block: int = BLOCK
) -> Iterator[Shot]:
    """Group `frames`, in presentation order, into the shots that tile the video.

    A shot is yielded once the transition that ends it is certain: `block` and a few seconds
    later. `block` changes that delay and nothing else.
    """
    times = Timestamps()
    pixels = _blocks(times.noting(frames), block)
    transitions = find_transitions(_scorer(config.detector)(pixels))
    yield from tile(transitions, times, config)


def _scorer(detector: str) -> Callable[[Iterable[np.ndarray]], Iterator[np.ndarray]]:
    scorers = {"fast": score_frames, "paper": paper.score_frames}
    if detector not in scorers:
        raise UnknownName(
            f"no shot detector is called {detector!r}; choose from {', '.join(scorers)}"
        )
    return scorers[detector]


def score_frames(pixels: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    """Score every frame (cut, gradual, fade, wipe) from what surrounds it, and nothing else."""
    sketches = (sketch(block) for block in pixels)
    return sliding(sliding(sketches, measure, REACH), score, MARGIN)


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
