"""Audacity labels: File, Import, Labels."""

from __future__ import annotations

from storyscope.formats.registry import Format
from storyscope.formats.timeline import Timeline, one_line


def write(timeline: Timeline) -> str:
    """One label per story: start, end and title, separated by tabs."""
    return "".join(
        f"{entry.span.start:.6f}\t{entry.span.end:.6f}\t{one_line(entry.title)}\n"
        for entry in timeline.entries
    )


FORMAT = Format(
    "audacity",
    ".txt",
    "a label track for Audacity",
    "keywords, line breaks in titles; times are microseconds",
    write,
)
