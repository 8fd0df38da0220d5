"""Annotations in OpenTimelineIO files, read as plain JSON.

OpenTimelineIO's own reader is a C++ library that some files crash; these few rules of its model are
enough for stories.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

from storyscope.errors import FormatError
from storyscope.formats.annotation_text import StoryLine, from_story_lines
from storyscope.formats.annotations import Hints, WrittenAnnotation

DEEPEST = 100
"""Maximum depth of nested timelines."""


def read_otio(path: Path, text: str, hints: Hints) -> list[WrittenAnnotation]:
    """One story per item of the first video track."""
    try:
        timeline = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}:1: not JSON that can be read") from error
    if _schema(timeline) != "Timeline":
        raise FormatError(f"{path}:1: not an OTIO timeline: it begins with {str(timeline)[:40]!r}")
    tracks = [
        track
        for track in _children(timeline.get("tracks"))
        if _schema(track) == "Track" and track.get("kind", "Video") == "Video"
    ]
    if not tracks:
        raise FormatError(f"{path}:1: expected a timeline with a video track")
    try:
        stories = _stories(tracks[0])
    except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise FormatError(f"{path}:1: not an OTIO timeline: {error}") from error
    if not stories:
        raise FormatError(f"{path}:1: expected one clip per story, got none")
    return [from_story_lines(path, _annotator(timeline) or path.stem, stories, "seconds")]


def _stories(track: dict[str, Any]) -> list[StoryLine]:
    stories, start = [], Fraction(0)
    for item in _children(track):
        if _schema(item) == "Transition":
            continue
        end = start + _length(item, 0)
        if _schema(item) != "Gap":
            stories.append(StoryLine(1, float(start), float(end), str(item.get("name") or "")))
        start = end
    return stories


def _length(item: dict[str, Any], depth: int) -> Fraction:
    """Seconds that an item takes on its track: its trimmed range, or all of it."""
    if depth > DEEPEST:
        raise ValueError("it is nested too deep")
    trimmed = item.get("source_range") or _media_range(item)
    if isinstance(trimmed, dict):
        return _seconds(trimmed.get("duration"))
    inside = [_length(child, depth + 1) for child in _children(item)]
    if _schema(item) == "Stack":
        return max(inside, default=Fraction(0))
    if _schema(item) == "Track":
        return sum(inside, Fraction(0))
    raise ValueError(f"{item.get('name') or 'a clip'!r} does not say how long it is")


def _media_range(item: dict[str, Any]) -> Any:
    """The whole available range of a clip's film."""
    several = item.get("media_references")
    key = item.get("active_media_reference_key")
    media = several.get(key) if isinstance(several, dict) else item.get("media_reference")
    return media.get("available_range") if isinstance(media, dict) else None


def _seconds(time: Any) -> Fraction:
    if not isinstance(time, dict):
        raise TypeError("a duration has a value and a rate")
    value, rate = _number(time.get("value")), _number(time.get("rate"))
    return Fraction(value) / Fraction(rate).limit_denominator(1001)


def _number(value: Any) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError("a duration has a value and a rate")
    return value


def _children(item: Any) -> list[dict[str, Any]]:
    children = item.get("children") if isinstance(item, dict) else None
    return [child for child in children or [] if isinstance(child, dict)]


def _schema(item: Any) -> str:
    name = item.get("OTIO_SCHEMA", "") if isinstance(item, dict) else ""
    return str(name).partition(".")[0]


def _annotator(timeline: dict[str, Any]) -> str:
    """The annotator, if Storyscope wrote the file."""
    metadata = timeline.get("metadata")
    ours = metadata.get("storyscope") if isinstance(metadata, dict) else None
    return str(ours.get("annotator", "")) if isinstance(ours, dict) else ""
