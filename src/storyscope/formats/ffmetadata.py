"""Chapters in ffmpeg's metadata file: `ffmpeg -i film.mp4 -i chapters.txt -map_metadata 1 ...`."""

from __future__ import annotations

import re

from storyscope.formats.registry import Format
from storyscope.formats.timeline import Timeline

_SPECIAL = re.compile(r"([=;#\\\n])")


def write(timeline: Timeline) -> str:
    """One [CHAPTER] a story, in milliseconds."""
    blocks = [";FFMETADATA1"]
    for entry in timeline.entries:
        title = _SPECIAL.sub(r"\\\1", entry.title.replace("\r", "").replace("\0", ""))
        start, end = round(entry.span.start * 1000), round(entry.span.end * 1000)
        blocks.append(f"[CHAPTER]\nTIMEBASE=1/1000\nSTART={start}\nEND={end}\ntitle={title}")
    return "\n".join(blocks) + "\n"


FORMAT = Format(
    "ffmetadata",
    ".txt",
    "chapters for ffmpeg",
    "keywords; times are milliseconds",
    write,
)
