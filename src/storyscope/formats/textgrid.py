"""Praat TextGrid: intervals on tiers, for phoneticians and ELAN."""

from __future__ import annotations

from collections.abc import Sequence

from storyscope.formats.registry import Format
from storyscope.formats.timeline import Entry, Timeline, one_line


def write(timeline: Timeline) -> str:
    """A tier of stories and, optionally, one of shots."""
    tiers = [("stories", timeline.entries)]
    if timeline.shots:
        tiers.append(("shots", timeline.shots))
    end = max(timeline.video.duration, timeline.entries[-1].span.end)
    lines = [
        'File type = "ooTextFile"',
        'Object class = "TextGrid"',
        "",
        "xmin = 0",
        f"xmax = {end:.6f}",
        "tiers? <exists>",
        f"size = {len(tiers)}",
        "item []:",
    ]
    for number, (name, entries) in enumerate(tiers, start=1):
        lines += [f"    item [{number}]:", *_tier(name, entries, end)]
    return "\n".join(lines) + "\n"


def _tier(name: str, entries: Sequence[Entry], end: float) -> list[str]:
    """Intervals without gaps, as Praat requires."""
    starts = [0.0, *(entry.span.start for entry in entries[1:])]
    ends = [*starts[1:], end]
    lines = [
        '        class = "IntervalTier"',
        f'        name = "{name}"',
        "        xmin = 0",
        f"        xmax = {end:.6f}",
        f"        intervals: size = {len(entries)}",
    ]
    for number, (entry, first, last) in enumerate(zip(entries, starts, ends, strict=True), start=1):
        text = one_line(entry.title).replace('"', '""')
        lines += [
            f"        intervals [{number}]:",
            f"            xmin = {first:.6f}",
            f"            xmax = {last:.6f}",
            f'            text = "{text}"',
        ]
    return lines


FORMAT = Format(
    "textgrid",
    ".TextGrid",
    "Praat, and programs that read its TextGrids",
    "keywords, line breaks in titles; times are microseconds",
    write,
    nests=True,
)
