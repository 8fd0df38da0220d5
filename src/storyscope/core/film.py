"""A film after its one pass of decoding."""

from __future__ import annotations

from dataclasses import dataclass

from storyscope.core.features import Keyframes, Sound
from storyscope.core.video import Shot


@dataclass(frozen=True, eq=False)
class Film:
    """Everything later stages need of the file, so that it is never decoded again."""

    shots: tuple[Shot, ...]
    keyframes: Keyframes
    sound: Sound | None
    """None when the file carries no sound."""
    damaged: str = ""
    """What was wrong with the file, when only a part of it could be decoded."""
    has_subtitles: bool = False
    """Whether the file carries text to read."""
