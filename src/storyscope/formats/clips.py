"""One clip per story, cut without re-encoding: each begins at the keyframe before its story."""

from __future__ import annotations

import re
from pathlib import Path

from storyscope.errors import FormatError
from storyscope.formats.registry import Format
from storyscope.formats.timeline import Entry, Timeline, one_line
from storyscope.media import cut_clips

LONGEST_NAME = 60


def save(timeline: Timeline, folder: Path, *, exact: bool = False) -> None:
    """Write the clips into a folder, which is created if missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(f"clips go into a folder; {folder} cannot be one") from error
    entries = timeline.entries

    def place(number: int, suffix: str) -> Path:
        return folder / clip_name(number + 1, entries[number], suffix)

    spans = [entry.span for entry in entries]
    cut_clips(Path(timeline.video.path), spans, place, exact=exact)


def clip_name(number: int, entry: Entry, suffix: str) -> str:
    """A file name that is valid on any system: "03 The hunt.mp4"."""
    words = re.sub(r"[^\w .,'()-]+", " ", one_line(entry.title))
    return f"{number:02d} {one_line(words)[:LONGEST_NAME]}".strip(" .") + suffix


FORMAT = Format(
    "clips",
    ".mp4",
    "a folder with one clip per story, not re-encoded",
    "exact cuts: a clip begins at the keyframe before its story and may end a few frames late",
    save=save,
)
