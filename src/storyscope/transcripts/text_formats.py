"""Subtitle formats made of lines: SubRip, WebVTT and SubStation."""

from __future__ import annotations

import html
import re

from storyscope.core.language import UNKNOWN, language_code
from storyscope.transcripts.cues import Cue


def subrip_cues(text: str, name: str = "") -> tuple[list[Cue], str]:
    """Cues of an .srt file.

    A cue's text runs to the next timing line, less that one's number: blank lines inside a cue
    and blank lines forgotten between cues are both common.
    """
    lines = text.split("\n")
    timings = [(row, times) for row, line in enumerate(lines) if (times := _timing(line))]
    cues = []
    ends = [row for row, _ in timings[1:]] + [len(lines)]
    for (row, (start, end)), last in zip(timings, ends, strict=False):
        body = lines[row + 1 : last]
        if last < len(lines):
            while body and not body[-1].strip():
                body.pop()
            if body and body[-1].strip().isdigit():
                body.pop()
        cues.append(_cue(start, end, "\n".join(body)))
    return cues, UNKNOWN


def webvtt_cues(text: str, name: str = "") -> tuple[list[Cue], str]:
    """Cues of a .vtt file; a blank line ends each, notes and styles are ignored."""
    header, _, _ = text.partition("\n\n")
    declared = re.search(r"^Language:\s*([\w-]+)", header, re.MULTILINE | re.IGNORECASE)
    cues = []
    for block in re.split(r"\n[ \t]*\n", text):
        lines = block.split("\n")
        row = next((row for row, line in enumerate(lines[:3]) if _timing(line)), None)
        times = _timing(lines[row]) if row is not None else None
        if row is not None and times and not lines[0].startswith(("NOTE", "STYLE", "REGION")):
            cues.append(_cue(*times, "\n".join(lines[row + 1 :])))
    return cues, (declared and language_code(declared[1])) or UNKNOWN


def substation_cues(text: str, name: str = "") -> tuple[list[Cue], str]:
    """Cues of an .ass or .ssa file; comments and drawings are left out."""
    columns = ["layer", "start", "end", "style", "name", "l", "r", "v", "effect", "text"]
    cues = []
    in_events = False
    for line in text.split("\n"):
        key, _, rest = line.partition(":")
        key = key.strip().lower()
        if line.strip().startswith("["):
            in_events = line.strip().lower() == "[events]"
        elif in_events and key == "format":
            columns = [column.strip().lower() for column in rest.split(",")]
        elif key == "dialogue":
            values = [value.strip() for value in rest.split(",", len(columns) - 1)]
            fields = dict(zip(columns, values, strict=False))
            start, end = _clock(fields.get("start", "")), _clock(fields.get("end", ""))
            body = fields.get("text", "")
            if start is not None and end is not None and not DRAWING.search(body):
                body = re.sub(r"\\[Nn]", "\n", body).replace(r"\h", " ")
                cues.append(Cue(start, end, OVERRIDE.sub("", body)))
    return cues, UNKNOWN


def has_timing_line(text: str) -> bool:
    """Whether any line contains a time range, as in SubRip and WebVTT."""
    return any(_timing(line) for line in text.split("\n"))


def seconds_of(clock: str) -> float | None:
    """Seconds of "1:02:03,450", "02:03.45" (hours missing) or "3.4"; None for anything else."""
    return _clock(clock)


SPACE = r"[ \t]{0,4}"
CLOCK = (
    rf"(?:(\d{{1,6}}){SPACE}:{SPACE})?(?:(\d{{1,3}}){SPACE}:{SPACE})?(\d{{1,4}})"
    rf"(?:{SPACE}[,.:;]{SPACE}(\d{{1,9}}))?"
)
TIMING = re.compile(rf"^[ \t\ufeff]{{0,40}}({CLOCK}){SPACE}--?>{SPACE}({CLOCK})(?:\s|$)")
LONGEST_TIMING = 400
"""Maximum length of a line with a time range, including WebVTT's cue settings."""
OVERRIDE = re.compile(r"\{[^{}]{0,1000}\}")
DRAWING = re.compile(r"\{[^{}]{0,1000}\\p[1-9]")
TAG = re.compile(r"<(/?)([a-zA-Z][^<>\s.]{0,80}|\d[\d:.]{0,20})([^<>]{0,300})>")


def _timing(line: str) -> tuple[float, float] | None:
    if "->" not in line[:LONGEST_TIMING]:
        return None
    match = TIMING.match(line[:LONGEST_TIMING])
    if not match:
        return None
    start, end = _clock(match[1]), _clock(match[6])
    return (start, end) if start is not None and end is not None else None


def _clock(text: str) -> float | None:
    # The fraction is preceded by hours, minutes and seconds, or fewer from the left.
    parts = [part.strip() for part in text.replace(",", ".").replace(";", ".").split(":")]
    if len(parts) == 4:
        parts = [*parts[:2], f"{parts[2]}.{parts[3]}"]
    if not 1 <= len(parts) <= 3:
        return None
    seconds = 0.0
    for part in parts:
        if not re.fullmatch(r"[0-9]{1,9}[ \t]{0,4}(?:\.[ \t]{0,4}[0-9]{0,9})?", part):
            return None
        seconds = 60 * seconds + float("".join(part.split()))
    return seconds


def _cue(start: float, end: float, body: str) -> Cue:
    """A cue without its markup; times inside WebVTT text become anchors."""
    text = ""
    anchors: list[tuple[int, float]] = []
    place = 0
    body = OVERRIDE.sub("", body) if r"{\\" in body or "{\\" in body else body
    for match in TAG.finditer(body):
        text += html.unescape(body[place : match.start()])
        place = match.end()
        seconds = _clock(match[2]) if match[2][0].isdigit() else None
        if seconds is not None:
            anchors.append((len(text), seconds))
    text += html.unescape(body[place:])
    return Cue(start, end, text, anchors=tuple(anchors))
