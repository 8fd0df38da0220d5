"""WebVTT chapters, which browsers' own players show."""

from __future__ import annotations

from storyscope.core import Span
from storyscope.core.times import format_timestamp
from storyscope.formats.registry import Format
from storyscope.formats.timeline import Timeline, one_line


def write(timeline: Timeline) -> str:
    """One cue per story."""
    cues = [
        f"{number}\n{_times(entry.span)}\n{_text(entry.title)}\n"
        for number, entry in enumerate(timeline.entries, start=1)
    ]
    return "\n".join(["WEBVTT\n", *cues])


def _times(span: Span) -> str:
    return f"{format_timestamp(span.start)} --> {format_timestamp(span.end)}"


def _text(title: str) -> str:
    escaped = one_line(title).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return escaped or "–"


FORMAT = Format(
    "webvtt",
    ".vtt",
    "chapter track for web players",
    "keywords, line breaks in titles; times are milliseconds",
    write,
)
