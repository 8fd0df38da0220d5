"""Properties of a file before and after decoding."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from storyscope.core import Span


@dataclass(frozen=True)
class Chapter:
    """A chapter inside the container."""

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
    """Properties that a file states about itself; only its first frame was decoded."""

    path: Path
    digest: str
    """Digest of the whole file: equal digests mean equal films."""
    container: str
    codec: str
    duration: float
    """Duration of the picture as stated by the container; `ScanEnd.end_seconds` is measured."""
    fps: float
    """Average frame rate, 0 if the container does not state it."""
    frame_count: int
    """Number of frames as stated or implied by the container; `ScanEnd.frame_count` is counted."""
    width: int
    """Size as displayed: upright and with square pixels."""
    height: int
    has_sound: bool
    chapters: tuple[Chapter, ...]
    sound_tracks: tuple[SoundTrack, ...]
    subtitles: tuple[SubtitleTrack, ...]
    title: str = ""
    """The title in the file's own metadata."""


@dataclass(frozen=True)
class ScanEnd:
    """The last item of a scan: how much there was, and whether the file is complete."""

    frame_count: int
    end_seconds: float
    """Time of the last frame plus its duration."""
    damaged: str
    """A description of damage to the file; empty if there is none."""
    has_subtitles: bool
    """Whether the file contains a text subtitle track."""


@dataclass(frozen=True)
class Subtitles:
    """The content of a text subtitle track."""

    index: int
    """Number of the stream in the file."""
    language: str
    """Language as stated by the file: "eng", "fre", or empty."""
    cues: tuple[tuple[float, float, str], ...]
    """(start, end, text) each, in seconds from the first frame."""
