"""A copy of the film with its stories as chapters; packets are not changed."""

from __future__ import annotations

from pathlib import Path

from storyscope.errors import FormatError
from storyscope.formats.timeline import Timeline
from storyscope.media import remux


def copy_with_chapters(timeline: Timeline, path: Path, suffix: str) -> None:
    """Write the copy to `path`, in the container of `suffix`."""
    if path.suffix.lower() != suffix:
        raise FormatError(f"{suffix[1:]} copies end in {suffix}, got {path.name}")
    chapters = [
        (entry.span, entry.title or f"Chapter {number}")
        for number, entry in enumerate(timeline.entries, start=1)
    ]
    remux(Path(timeline.video.path), path, chapters=chapters)
