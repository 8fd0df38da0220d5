"""The one shape every extractor has: material in, one row a shot out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from storyscope.config import FeatureConfig
from storyscope.core import Features, Keyframes, Shot, Sound, Transcript, VisionOutput
from storyscope.features.fisher import Mixture


@dataclass(frozen=True, eq=False)
class Material:
    """What is known of a video when its shots are described; None is what it does not have."""

    shots: tuple[Shot, ...]
    keyframes: Keyframes | None = None
    vision: VisionOutput | None = None
    """One row a keyframe."""
    sound: Sound | None = None
    transcript: Transcript | None = None
    mixture: Mixture | None = None
    """The sound mixture of the collection, for the paper's Fisher vectors."""


Extractor = Callable[[Material, FeatureConfig], Features | None]
"""One row a shot, or None when the video lacks what is described: absent is not zero."""
