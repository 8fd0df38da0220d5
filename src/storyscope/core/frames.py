"""What one pass of decoding hands to everyone who listens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SMALL_WIDTH, SMALL_HEIGHT = 48, 27
SOUND_RATE = 16_000


@dataclass(frozen=True, eq=False)
class SmallFrame:
    """Every frame of the video, shrunk to 48 x 27 for the shot detector."""

    index: int
    seconds: float
    rgb: np.ndarray
    """uint8, 27 x 48 x 3."""


@dataclass(frozen=True, eq=False)
class Picture:
    """A frame at viewing size; a few a second, from which keyframes are picked."""

    index: int
    seconds: float
    rgb: np.ndarray
    """uint8, height x width x 3, upright and in the film's own proportions."""


@dataclass(frozen=True, eq=False)
class SoundChunk:
    """A stretch of the sound track, 16 kHz mono."""

    seconds: float
    """Presentation time of the first sample."""
    samples: np.ndarray
    """float32 in [-1, 1]."""
