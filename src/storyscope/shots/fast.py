"""The fast detector: measurements of small frames, scored by a small network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from storyscope.shots.measure import REACH, measure, sketch
from storyscope.shots.network import MARGIN, score
from storyscope.shots.sliding import sliding


def score_frames(pixels: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    """Score every frame (cut, gradual, fade, wipe) from its surroundings, and nothing else."""
    sketches = (sketch(block) for block in pixels)
    return sliding(sliding(sketches, measure, REACH), score, MARGIN)
