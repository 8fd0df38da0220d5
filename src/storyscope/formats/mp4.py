"""An MP4 copy of the film with chapters."""

from __future__ import annotations

from pathlib import Path

from storyscope.formats.embedded import copy_with_chapters
from storyscope.formats.registry import Format
from storyscope.formats.timeline import Timeline


def save(timeline: Timeline, path: Path) -> None:
    """Copy every packet unchanged, and add one chapter per story."""
    copy_with_chapters(timeline, path, ".mp4")


FORMAT = Format(
    "mp4",
    ".mp4",
    "a copy of the video with chapters inside, not re-encoded",
    "keywords, and tracks that MP4 does not support; times are milliseconds",
    save=save,
)
