"""CMX 3600 edit decision list: one event per story, with equal source and record times."""

from __future__ import annotations

from pathlib import Path

from storyscope.formats.registry import Format
from storyscope.formats.timecode import is_drop, timecode
from storyscope.formats.timeline import Timeline, one_line


def write(timeline: Timeline) -> str:
    """Numbered events of picture and sound, with the title and the file as comments."""
    rate, video = timeline.rate, timeline.video
    channels = "AA/V" if video.has_sound else "V"
    lines = [
        f"TITLE: {one_line(video.id)[:70]}",
        f"FCM: {'DROP FRAME' if is_drop(rate) else 'NON-DROP FRAME'}",
        *([f"* {timeline.rate_note.upper()}"] if timeline.rate_note else []),
        "",
    ]
    for number, entry in enumerate(timeline.entries, start=1):
        start = timecode(timeline.frame(entry.span.start), rate)
        end = timecode(timeline.frame(entry.span.end), rate)
        lines += [
            f"{number:03d}  AX       {channels:4}  C        {start} {end} {start} {end}",
            f"* FROM CLIP NAME: {one_line(entry.title)}",
            f"* SOURCE FILE: {one_line(Path(video.path).name)}",
            "",
        ]
    return "\n".join(lines)


FORMAT = Format(
    "edl",
    ".edl",
    "CMX 3600 edit list for any editing system",
    "keywords, line breaks in titles; times are whole frames, and events past 999 get four digits",
    write,
    counts_frames=True,
)
