"""Annotations in the files of editing systems: EDL and FCPXML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from storyscope.core.numbers import parse_rational
from storyscope.errors import FormatError
from storyscope.formats.annotation_text import StoryLine, from_story_lines
from storyscope.formats.annotations import Hints, WrittenAnnotation
from storyscope.formats.timecode import frame_of
from storyscope.formats.xml_text import Node, parse

_CODE = r"(\d{2}:\d{2}:\d{2}[:;.]\d{2,3})"
_EVENT = re.compile(
    rf"\s*\d+\s+\S+\s+(\S+)\s+\S+(?:\s+\d+)?\s+{_CODE}\s+{_CODE}\s+{_CODE}\s+{_CODE}"
)
_NAME = re.compile(r"\*\s*FROM CLIP NAME:\s*(.*)")
_MARKER = re.compile(r"\s*\|C:\S+ *\|M:([^|]{0,1000})\|D:([0-9]{1,12})\s*$")
_SCENE = re.compile(r"\s*(\d+(?:\.\d+)?)\s+(\d+(?:\.\d+)?)\s+(\d)\s*$")
SCENE_MARKER = "2"
CLIPS = ("asset-clip", "clip", "ref-clip", "sync-clip", "mc-clip", "video")


def read_edl(path: Path, text: str, hints: Hints) -> list[WrittenAnnotation]:
    """One story per event of CMX 3600, marker of Resolve, or scene marker of Kodi."""
    lines = list(enumerate(text.splitlines(), start=1))
    scenes = [(number, _SCENE.match(line)) for number, line in lines if line.strip()]
    if scenes and all(scene for _, scene in scenes):
        stories = [
            StoryLine(number, float(scene[2]), None)
            for number, scene in scenes
            if scene and scene[3] == SCENE_MARKER
        ]
    else:
        stories = _events(path, lines, hints.rate)
    if not stories:
        raise FormatError(f"{path}:1: expected one event per story, got none")
    return [from_story_lines(path, path.stem, stories, "seconds")]


def read_fcpxml(path: Path, text: str, hints: Hints) -> list[WrittenAnnotation]:
    """One story per chapter marker; without any, one per clip of the main storyline."""
    root = parse(path, text, kind="an FCPXML file", doctype="fcpxml")
    spine = next((node for node in root.walk() if node.tag == "spine"), None)
    clips = [] if spine is None else [node for node in spine.children if node.tag in CLIPS]
    if not clips:
        raise FormatError(f"{path}:{root.line}: expected a project with clips in its spine")
    end = _rational(path, clips[-1], "offset") + _rational(path, clips[-1], "duration")
    stories = [
        StoryLine(
            marker.line,
            _on_timeline(path, clip, marker),
            None,
            _unless_dash(marker.attributes.get("value", "")),
        )
        for clip in clips
        for marker in clip.all("chapter-marker")
    ] or [
        StoryLine(
            clip.line, float(_rational(path, clip, "offset")), None, clip.attributes.get("name", "")
        )
        for clip in clips
    ]
    stories[-1] = stories[-1]._replace(end=float(end))
    return [from_story_lines(path, path.stem, stories, "seconds")]


@dataclass
class _Event:
    line: int
    start: int
    end: int
    title: str = ""


def _events(path: Path, lines: list[tuple[int, str]], rate: Fraction | None) -> list[StoryLine]:
    """Events with picture, with times from 0 even if the list starts later."""
    if rate is None:
        raise FormatError(f"{path}:1: timecodes need a frame rate; give it with --fps")
    events: list[_Event] = []
    hour = 0
    for number, line in lines:
        if event := _EVENT.match(line):
            if "V" not in event[1] and event[1] != "B":
                continue
            start, end = (_frame(path, number, event[place], rate) for place in (4, 5))
            if not events:
                hour = frame_of(f"{event[4][:2]}:00:00{event[4][8]}00", rate)
            if start != end:
                events.append(_Event(number, start - hour, end - hour))
        elif events and (name := _NAME.match(line)):
            events[-1].title = name[1].strip()
        elif events and (marker := _MARKER.match(line)):
            events[-1].title = marker[1].strip()
            events[-1].end = events[-1].start + int(marker[2])
        elif re.match(r"\s*\d+\s+\S+\s+(V|B|AA/V)\s", line):
            raise FormatError(f"{path}:{number}: an event has four timecodes, got {line[:60]!r}")
    return [
        StoryLine(each.line, float(each.start / rate), float(each.end / rate), each.title)
        for each in events
    ]


def _frame(path: Path, line: int, code: str, rate: Fraction) -> int:
    try:
        return frame_of(code, rate)
    except FormatError as error:
        raise FormatError(f"{path}:{line}: {error}") from error


def _on_timeline(path: Path, clip: Node, marker: Node) -> float:
    """A marker uses its clip's own time base."""
    start = _rational(path, clip, "start", default="0s")
    into = _rational(path, marker, "start") - start
    return float(_rational(path, clip, "offset") + into)


def _rational(path: Path, node: Node, attribute: str, default: str | None = None) -> Fraction:
    text = node.attributes.get(attribute, default)
    try:
        return parse_rational((text or "").removesuffix("s"))
    except ValueError as error:
        raise FormatError(
            f"{path}:{node.line}: {attribute} is written as 1001/30000s, got {(text or '')[:40]!r}"
        ) from error


def _unless_dash(title: str) -> str:
    return "" if title == "–" else title
