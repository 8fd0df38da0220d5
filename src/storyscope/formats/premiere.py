"""Markers in Premiere Pro's list format: tab-separated, for marker panels and import scripts."""

from __future__ import annotations

import csv
import io

from storyscope.formats.csv_table import no_formula
from storyscope.formats.registry import Format
from storyscope.formats.timecode import timecode
from storyscope.formats.timeline import Timeline, one_line

COLUMNS = ("Marker Name", "Description", "In", "Out", "Duration", "Marker Type")


def write(timeline: Timeline) -> str:
    """One chapter marker per story."""
    out = io.StringIO()
    table = csv.writer(out, delimiter="\t", lineterminator="\n")
    table.writerow(COLUMNS)
    rate = timeline.rate
    for entry in timeline.entries:
        start, end = timeline.frame(entry.span.start), timeline.frame(entry.span.end)
        times = [timecode(frame, rate) for frame in (start, end, end - start)]
        words = [one_line(entry.title), one_line(entry.description)]
        table.writerow([*map(no_formula, words), *times, "Chapter"])
    return out.getvalue()


FORMAT = Format(
    "premiere",
    ".csv",
    "marker list for Premiere Pro (tab-separated)",
    "line breaks in titles; times are whole frames",
    write,
    counts_frames=True,
)
