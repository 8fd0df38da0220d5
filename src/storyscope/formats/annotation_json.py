"""Annotations in JSON: ours, podcast chapters and IIIF manifests."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from storyscope.errors import FormatError
from storyscope.formats.annotation_text import StoryLine, from_story_lines
from storyscope.formats.annotations import Hints, WrittenAnnotation

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_PART = re.compile(r"#t=(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)$")


def read_json(path: Path, text: str, hints: Hints) -> list[WrittenAnnotation]:
    """Segmentation files, one or a list of them; the output of `storyscope stories --json`; others.

    The others are podcast chapters and the ranges of IIIF manifests.
    """
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    except ValueError as error:
        raise FormatError(f"{path}:1: a number in it has too many digits") from error
    except RecursionError as error:
        raise FormatError(f"{path}:1: not JSON that can be read: nested too deep") from error
    if isinstance(content, dict) and "stories" in content:
        return [_from_stories(path, text, content)]
    if isinstance(content, dict) and "chapters" in content:
        return [_from_chapters(path, text, content)]
    if isinstance(content, dict) and content.get("type") == "Manifest":
        return [_from_manifest(path, text, content)]
    items = content if isinstance(content, list) else [content]
    if not items:
        raise FormatError(f"{path}:1: expected a segmentation, got an empty list")
    line_at = _line_finder(text)
    starts_lines = list(_array_lines(text, "starts", line_at))
    end_lines = [line_at(found.start()) for found in re.finditer(r'"end"\s*:', text)]
    annotations = []
    for number, item in enumerate(items):
        starts, end = _starts_and_end(path, item)
        annotations.append(
            WrittenAnnotation(
                file=path,
                annotator=str(item.get("annotator") or _numbered(path, number, len(items))),
                unit="positions",
                starts=tuple(starts),
                lines=_lines_for(starts_lines, number, len(starts)),
                end=end,
                end_line=end_lines[number] if number < len(end_lines) else 1,
            )
        )
    return annotations


def _from_chapters(path: Path, text: str, content: dict[str, Any]) -> WrittenAnnotation:
    line_at = _line_finder(text)
    found = re.finditer(r'"startTime"\s*:', text)
    lines = chain((line_at(each.start()) for each in found), repeat(1))
    try:
        chapters = [
            StoryLine(
                line,
                float(chapter["startTime"]),
                float(chapter["endTime"]) if "endTime" in chapter else None,
                str(chapter.get("title", "")),
            )
            for line, chapter in zip(lines, content["chapters"], strict=False)
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path}:1: chapters need a startTime in seconds") from error
    if not chapters:
        raise FormatError(f"{path}:1: expected at least one chapter, got none")
    return from_story_lines(path, path.stem, chapters, "seconds")


def _from_manifest(path: Path, text: str, content: dict[str, Any]) -> WrittenAnnotation:
    """The ranges of the first structure, each by the first part of a canvas in it."""
    try:
        top = content["structures"][0]
        line_at = _line_finder(text)
        stories = [_from_range(path, text, story, line_at) for story in top["items"]]
        annotator = _label(top) or path.stem
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise FormatError(f"{path}:1: expected a manifest with one range per story") from error
    if not stories:
        raise FormatError(f"{path}:1: expected at least one range, got none")
    return from_story_lines(path, annotator, stories, "seconds")


def _from_range(
    path: Path, text: str, story: dict[str, Any], line_at: Callable[[int], int]
) -> StoryLine:
    parts = [item["id"] for item in story["items"] if item.get("type") == "Canvas"]
    where = max(0, text.find(json.dumps(story["id"])))
    part = _PART.search(parts[0]) if parts else None
    if part is None:
        line = line_at(where)
        raise FormatError(f"{path}:{line}: a range points into its canvas with #t=start,end")
    line = line_at(max(0, text.find(json.dumps(parts[0]), where)))
    return StoryLine(line, float(part[1]), float(part[2]), _label(story))


def _label(item: dict[str, Any]) -> str:
    """The first label in the first language."""
    return next((str(lines[0]) for lines in item.get("label", {}).values() if lines), "")


def _starts_and_end(path: Path, item: Any) -> tuple[list[float], float]:
    wanted = 'a segmentation is {"end": 500, "starts": [0, 120, 300]}'
    if not isinstance(item, dict) or "starts" not in item or "end" not in item:
        raise FormatError(f"{path}:1: {wanted}, got {str(item)[:60]}")
    starts, end = item["starts"], item["end"]
    if not isinstance(starts, list) or not starts or not all(map(_is_whole, [*starts, end])):
        raise FormatError(f"{path}:1: {wanted}, in whole numbers, got {str(item)[:60]}")
    return [float(start) for start in starts], float(end)


def _is_whole(number: object) -> bool:
    if isinstance(number, float):
        return number.is_integer()
    return isinstance(number, int) and not isinstance(number, bool)


def _from_stories(path: Path, text: str, content: dict[str, Any]) -> WrittenAnnotation:
    # Shots, which have starts too, may be next to the stories.
    listed = re.search(r'"stories"\s*:\s*\[', text)
    starts = re.compile(r'"start"\s*:').finditer(text, listed.start() if listed else 0)
    # A story without a start must be read to be rejected, whether or not it has a line.
    line_at = _line_finder(text)
    lines = chain((line_at(found.start()) for found in starts), repeat(1))
    try:
        stories = [
            StoryLine(line, float(story["start"]), float(story["end"]), str(story.get("title", "")))
            for line, story in zip(lines, content["stories"], strict=False)
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path}:1: stories need a start and an end in seconds") from error
    if not stories:
        raise FormatError(f"{path}:1: expected at least one story, got none")
    return from_story_lines(path, str(content.get("annotator") or path.stem), stories, "seconds")


def _array_lines(text: str, key: str, line_at: Callable[[int], int]) -> Iterator[list[int]]:
    """For each array with that key, the line of every number in it."""
    for found in re.finditer(rf'"{key}"\s*:\s*\[([^\]]*)\]', text):
        offset = found.start(1)
        yield [line_at(offset + number.start()) for number in _NUMBER.finditer(found.group(1))]


def _lines_for(found: list[list[int]], number: int, count: int) -> tuple[int, ...]:
    """The lines of an array's numbers; keys with escapes are not found, and report line 1."""
    lines = found[number][:count] if number < len(found) else []
    return tuple(lines) if len(lines) == count else (1,) * count


def _line_finder(text: str) -> Callable[[int], int]:
    """Finds the line of a position in the text without counting from the top each time."""
    breaks = [found.start() for found in re.finditer("\n", text)]
    return lambda offset: bisect_left(breaks, offset) + 1


def _numbered(path: Path, number: int, count: int) -> str:
    return path.stem if count == 1 else f"{path.stem} {number + 1}"
