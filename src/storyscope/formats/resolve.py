"""Markers for DaVinci Resolve: File, Import, Timeline Markers from EDL."""

from __future__ import annotations

from storyscope.formats.registry import Format
from storyscope.formats.timecode import is_drop, timecode
from storyscope.formats.timeline import Timeline, one_line

COLOURS = ("Blue", "Cyan", "Green", "Yellow", "Pink", "Purple", "Sand", "Mint")
FIRST_HOUR = 3600
"""Start of a Resolve timeline: 01:00:00:00."""


def write(timeline: Timeline) -> str:
    """One marker per story, as long as the story, in alternating colours."""
    rate = timeline.rate
    offset = FIRST_HOUR * round(rate) if not is_drop(rate) else _drop_hour(timeline)
    mode = "DROP FRAME" if is_drop(rate) else "NON-DROP FRAME"
    lines = [f"TITLE: {one_line(timeline.video.id)[:70]}", f"FCM: {mode}"]
    lines += [f"* {timeline.rate_note.upper()}", ""] if timeline.rate_note else [""]
    for number, entry in enumerate(timeline.entries, start=1):
        first, end = timeline.frame(entry.span.start), timeline.frame(entry.span.end)
        start = timecode(first + offset, rate)
        after = timecode(first + offset + 1, rate)
        lines.append(f"{number:03d}  001      V     C        {start} {after} {start} {after}")
        colour = COLOURS[(number - 1) % len(COLOURS)]
        title = one_line(entry.title).replace("|", "/")
        lines.append(f" |C:ResolveColor{colour} |M:{title} |D:{end - first}")
        lines.append("")
    return "\n".join(lines)


def _drop_hour(timeline: Timeline) -> int:
    base = round(timeline.rate)
    return FIRST_HOUR * base - base // 15 * 54


FORMAT = Format(
    "resolve",
    ".edl",
    "timeline markers for DaVinci Resolve",
    "keywords, line breaks in titles; times are whole frames, | becomes /",
    write,
    counts_frames=True,
)
