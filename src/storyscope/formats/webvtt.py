"""WebVTT chapters: what the browser's own player shows."""

from __future__ import annotations

from storyscope.formats.registry import Format
from storyscope.formats.timeline import Timeline, one_line


def write(timeline: Timeline) -> str:
    """One cue a story."""
    cues = [
        f"{number}\n{stamp(entry.span.start)} --> {stamp(entry.span.end)}\n{_text(entry.title)}\n"
        for number, entry in enumerate(timeline.entries, start=1)
    ]
    return "\n".join(["WEBVTT\n", *cues])


def stamp(seconds: float) -> str:
    """00:01:02.345; the hours are always there, for the readers that want them."""
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minute = divmod(minutes, 60)
    return f"{hours:02d}:{minute:02d}:{rest // 1000:02d}.{rest % 1000:03d}"


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
