"""A table that any program reads: start, end, title, keywords."""

from __future__ import annotations

import csv
import io

from storyscope.formats.registry import Format
from storyscope.formats.timeline import Timeline


def write(timeline: Timeline) -> str:
    """One row a story, times in seconds."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["start", "end", "title", "keywords"])
    for entry in timeline.entries:
        start, end = f"{entry.span.start:.6f}", f"{entry.span.end:.6f}"
        table.writerow([start, end, entry.title, "; ".join(entry.keywords)])
    return out.getvalue()


FORMAT = Format("csv", ".csv", "a plain table, times in seconds", "nothing", write)
