"""A copy of the film with its stories as chapters inside; no frame is touched."""

from __future__ import annotations

from pathlib import Path

from storyscope.errors import FormatError
from storyscope.formats.copying import MUXERS, Copy, open_source
from storyscope.formats.timeline import Timeline


def copy_with_chapters(timeline: Timeline, path: Path, suffix: str) -> None:
    """Write the copy to `path`, in the container that `suffix` names."""
    if path.suffix.lower() != suffix:
        raise FormatError(f"{MUXERS[suffix]} copies end in {suffix}, got {path.name}")
    chapters = [
        (entry.span, entry.title or f"Chapter {number}")
        for number, entry in enumerate(timeline.entries, start=1)
    ]
    with open_source(timeline.video.path) as source:
        # Matroska has no time before 0: sound that leads the picture pushes both back. An MP4
        # trims it with an edit list.
        offset = source.lead if suffix == ".mkv" else 0.0
        copy = Copy(source, path, begin=-offset)
        try:
            copy.mark(chapters, offset=offset)
            for packet in source.packets():
                copy.add(packet)
        except BaseException:
            copy.discard()
            raise
        copy.finish()
