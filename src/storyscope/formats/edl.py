"""CMX 3600 edit decision list: one event a story, source and record times alike."""

from __future__ import annotations

from storyscope.formats.registry import Format
from storyscope.formats.timecode import is_drop, timecode
from storyscope.formats.timeline import Timeline, one_line


def write(timeline: Timeline) -> str:
    """Numbered events with the title as a comment."""
    rate = timeline.rate
    lines = [
        f"TITLE: {one_line(timeline.video.id)[:70]}",
        f"FCM: {'DROP FRAME' if is_drop(rate) else 'NON-DROP FRAME'}",
        "",
    ]
    for number, entry in enumerate(timeline.entries, start=1):
        start = timecode(timeline.frame(entry.span.start), rate)
        end = timecode(timeline.frame(entry.span.end), rate)
        lines.append(f"{number:03d}  AX       V     C        {start} {end} {start} {end}")
        lines.append(f"* FROM CLIP NAME: {one_line(entry.title)}")
        lines.append("")
    return "\n".join(lines)


FORMAT = Format(
    "edl",
    ".edl",
    "CMX 3600 edit list for any editing system",
    "keywords, line breaks in titles; times are whole frames, and events past 999 get four digits",
    write,
)
