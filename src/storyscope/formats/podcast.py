"""Podcasting 2.0 chapters (`podcast:chapters`)."""

from __future__ import annotations

import json

from storyscope.formats.registry import Format
from storyscope.formats.timeline import Timeline


def write(timeline: Timeline) -> str:
    """One chapter per story."""
    chapters = [
        {
            "startTime": round(entry.span.start, 3),
            "endTime": round(entry.span.end, 3),
            "title": entry.title,
        }
        for entry in timeline.entries
    ]
    facts = {"version": "1.2.0", "chapters": chapters}
    return json.dumps(facts, ensure_ascii=False, indent=2) + "\n"


FORMAT = Format(
    "podcast",
    ".json",
    "chapters for podcast players",
    "keywords; times are milliseconds",
    write,
)
