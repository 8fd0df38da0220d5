"""A film after decoding."""

from __future__ import annotations

from dataclasses import dataclass

from storyscope.core.features import Keyframes, Sound
from storyscope.core.video import Shot


@dataclass(frozen=True, eq=False)
class Film:
    """Everything that later stages need from the file, so that it is decoded only once."""

    shots: tuple[Shot, ...]
    keyframes: Keyframes
    sound: Sound | None
    """None if the file has no sound."""
    damaged: str = ""
    """What was wrong with the file, if only a part of it could be decoded."""
    has_subtitles: bool = False
    """Whether the file contains a text subtitle track."""
