"""Chapters for the description of a YouTube video.

YouTube wants the first at 0:00, at least three, and at least ten seconds each.
"""

from __future__ import annotations

from dataclasses import replace

from storyscope.core import Span, format_time
from storyscope.errors import FormatError
from storyscope.formats.registry import Format
from storyscope.formats.timeline import Entry, Timeline, one_line

FEWEST, SHORTEST_SECONDS = 3, 10.0
NO_BRACKETS = str.maketrans("<>", "‹›")
"""Characters that YouTube rejects in a description."""


def write(timeline: Timeline) -> str:
    """One line per chapter; stories that are too short are joined to a neighbour."""
    entries = list(timeline.entries)
    entries[0] = replace(entries[0], span=Span(0.0, entries[0].span.end))
    while len(entries) > 1 and (place := _too_short(entries)) is not None:
        entries[place : place + 2] = [_joined(entries[place], entries[place + 1])]
    if len(entries) < FEWEST:
        raise FormatError(
            f"YouTube requires at least {FEWEST} chapters of {SHORTEST_SECONDS:.0f} seconds; "
            f"{timeline.video.id} has {len(entries)}: ask for finer stories with --granularity"
        )
    lines = [f"{_shown(entry.span.start)} {_title(entry, n)}" for n, entry in enumerate(entries, 1)]
    return "\n".join(lines) + "\n"


def _too_short(entries: list[Entry]) -> int | None:
    """The first of two neighbours to join, compared in whole seconds, as YouTube does."""
    starts = [int(entry.span.start) for entry in entries] + [int(entries[-1].span.end)]
    for place in range(len(entries)):
        if starts[place + 1] - starts[place] < SHORTEST_SECONDS:
            return place if place + 1 < len(entries) else place - 1
    return None


def _joined(first: Entry, second: Entry) -> Entry:
    longer = max(first, second, key=lambda entry: entry.span.length)
    return Entry(Span(first.span.start, second.span.end), longer.title, longer.keywords)


def _shown(seconds: float) -> str:
    text = format_time(seconds)
    return text if text.count(":") == 2 or len(text) > 4 else f"0{text}"


def _title(entry: Entry, number: int) -> str:
    return one_line(entry.title.translate(NO_BRACKETS)) or f"Chapter {number}"


FORMAT = Format(
    "youtube",
    ".txt",
    "chapter lines for a YouTube description",
    "keywords, line breaks, <>; times are whole seconds, stories under ten seconds are joined",
    write,
)
