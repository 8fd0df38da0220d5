"""Items of a decoding pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class SmallFrame:
    """A frame of the video, scaled down to 48 x 27 for the shot detector."""

    index: int
    seconds: float
    rgb: np.ndarray
    """uint8, 27 x 48 x 3."""


@dataclass(frozen=True, eq=False)
class Picture:
    """A frame at viewing size; keyframes are picked from a few of these per second."""

    index: int
    seconds: float
    rgb: np.ndarray
    """uint8, height x width x 3, upright and with the film's aspect ratio."""


@dataclass(frozen=True, eq=False)
class SoundChunk:
    """A chunk of the sound track, 16 kHz mono."""

    seconds: float
    """Presentation time of the first sample."""
    samples: np.ndarray
    """float32 in [-1, 1]."""
