"""What is known of a file before, and after, it is decoded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from storyscope.core import Span


@dataclass(frozen=True)
class Chapter:
    """A chapter the container itself marks."""

    span: Span
    title: str


@dataclass(frozen=True)
class SoundTrack:
    """A sound track of the file; `chosen` is the one that is decoded."""

    index: int
    codec: str
    language: str
    title: str
    chosen: bool


@dataclass(frozen=True)
class SubtitleTrack:
    """A subtitle track inside the file; `index` is its stream number."""

    index: int
    codec: str
    language: str
    title: str
    is_text: bool
    """False for subtitles stored as pictures (DVD, Blu-ray)."""


@dataclass(frozen=True)
class Probe:
    """The facts a file states about itself; nothing but its first frame was decoded."""

    path: Path
    digest: str
    """Fingerprint of the whole file: equal digests mean equal films."""
    container: str
    codec: str
    duration: float
    """Seconds of picture as the container states them; `ScanEnd.end_seconds` is measured."""
    fps: float
    """Average frame rate, 0 when the container does not say."""
    frame_count: int
    """Frames as the container states or implies them; `ScanEnd.frame_count` is the count."""
    width: int
    """Upright and with square pixels: what a viewer sees."""
    height: int
    has_sound: bool
    chapters: tuple[Chapter, ...]
    sound_tracks: tuple[SoundTrack, ...]
    subtitles: tuple[SubtitleTrack, ...]
    title: str = ""
    """The title in the file's own metadata."""


@dataclass(frozen=True)
class ScanEnd:
    """The last item of a scan: how much there was, and whether the file is whole."""

    frame_count: int
    end_seconds: float
    """Time of the last frame plus its duration."""
    damaged: str
    """What was wrong with the file, for people; empty when nothing was."""
    has_subtitles: bool
    """Whether a track of the file holds text to read."""


@dataclass(frozen=True)
class Subtitles:
    """What a text subtitle track says."""

    index: int
    """Number of the stream in the file."""
    language: str
    """As the file states it: "eng", "fre", or nothing."""
    cues: tuple[tuple[float, float, str], ...]
    """(start, end, text) each, in seconds from the first frame."""
