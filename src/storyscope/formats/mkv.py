"""A Matroska copy of the film with chapters."""

from __future__ import annotations

from pathlib import Path

from storyscope.formats.embedded import copy_with_chapters
from storyscope.formats.registry import Format
from storyscope.formats.timeline import Timeline


def save(timeline: Timeline, path: Path) -> None:
    """Copy every packet unchanged, and add one chapter per story."""
    copy_with_chapters(timeline, path, ".mkv")


FORMAT = Format(
    "mkv",
    ".mkv",
    "a copy of the video with chapters inside, not re-encoded",
    "keywords, and tracks that Matroska does not support",
    save=save,
)
