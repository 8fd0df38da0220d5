"""A table that any program reads: start, end, title, keywords, summary."""

from __future__ import annotations

import csv
import io

from storyscope.formats.registry import Format
from storyscope.formats.timeline import Timeline


def write(timeline: Timeline) -> str:
    """One row per story, times in seconds."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["start", "end", "title", "keywords", "summary"])
    for entry in timeline.entries:
        start, end = f"{entry.span.start:.6f}", f"{entry.span.end:.6f}"
        words = "; ".join(entry.keywords)
        texts = (entry.title, words, entry.summary)
        table.writerow([start, end, *map(no_formula, texts)])
    return out.getvalue()


def no_formula(text: str) -> str:
    """A cell that spreadsheets do not evaluate: what looks like a formula gets an apostrophe."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


FORMAT = Format("csv", ".csv", "a plain table, times in seconds", "nothing", write)
