"""Avid Media Composer markers: Markers window, Import Markers."""

from __future__ import annotations

from storyscope.formats.registry import Format
from storyscope.formats.timecode import timecode
from storyscope.formats.timeline import Timeline, one_line

COLOURS = ("Red", "Green", "Blue", "Cyan", "Magenta", "Yellow", "White")
TRACK = "V1"


def write(timeline: Timeline) -> str:
    """One marker per story: user, timecode, track, colour, comment and length in frames."""
    lines = []
    for number, entry in enumerate(timeline.entries):
        first, end = timeline.frame(entry.span.start), timeline.frame(entry.span.end)
        cells = (
            one_line(timeline.annotator) or "storyscope",
            timecode(first, timeline.rate),
            TRACK,
            COLOURS[number % len(COLOURS)],
            one_line(entry.title) or f"Story {number + 1}",
            str(max(1, end - first)),
        )
        lines.append("\t".join(cells))
    return "\r\n".join(lines) + "\r\n"


FORMAT = Format(
    "avid",
    ".txt",
    "markers for Avid Media Composer",
    "keywords, line breaks in titles; times are whole frames",
    write,
    counts_frames=True,
)
