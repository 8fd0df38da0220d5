"""The interface of extractors: data of a video in, one row per shot out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from storyscope.config import FeatureConfig
from storyscope.core import Features, Keyframes, Shot, Sound, Span, Transcript, VisionOutput
from storyscope.features.fisher import Mixture


@dataclass(frozen=True, eq=False)
class Material:
    """Data of a video from which its shots are described; None for what it does not have."""

    shots: tuple[Shot, ...]
    keyframes: Keyframes | None = None
    vision: VisionOutput | None = None
    """One row per keyframe."""
    sound: Sound | None = None
    transcript: Transcript | None = None
    mixture: Mixture | None = None
    """The audio mixture of the collection, for the paper's Fisher vectors."""
    voice: tuple[Span, ...] | None = None
    """When somebody speaks, if there is no transcript."""


Extractor = Callable[[Material, FeatureConfig], Features | None]
"""One row per shot, or None if the video lacks the source: missing is not zero."""
