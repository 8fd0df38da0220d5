"""Annotations in our JSON, in CSV and in WebVTT."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from storyscope.core import parse_time
from storyscope.errors import FormatError, InvalidSpan
from storyscope.formats.annotations import Unit, WrittenAnnotation

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_CUE = re.compile(r"\s*((?:\d+:)?\d{1,2}:\d{2}[.,]\d{3})\s+-->\s+((?:\d+:)?\d{1,2}:\d{2}[.,]\d{3})")
START_NAMES = ("start", "start_seconds", "begin", "time", "seconds", "first", "cut")
FRAME_NAMES = ("start_frame", "first_frame", "frame", "position", "shot", "first_shot")
END_NAMES = ("end", "end_seconds", "stop", "end_frame", "end_shot")
ANNOTATOR_NAMES = ("annotator", "person", "author")
TITLE_NAMES = ("title", "story", "name", "label", "text")


class StoryLine(NamedTuple):
    """One story as one line of a file has it."""

    line: int
    start: float
    end: float | None
    title: str = ""
    annotator: str = ""


def read_json(path: Path, text: str) -> list[WrittenAnnotation]:
    """Segmentation files, one or a list of them, or what `storyscope stories --json` prints."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    if isinstance(content, dict) and "stories" in content:
        return [_from_stories(path, text, content)]
    items = content if isinstance(content, list) else [content]
    if not items:
        raise FormatError(f"{path}:1: a segmentation is wanted, got an empty list")
    starts_lines = list(_array_lines(text, "starts"))
    end_lines = [_line_at(text, found.start()) for found in re.finditer(r'"end"\s*:', text)]
    annotations = []
    for number, item in enumerate(items):
        starts, end = _starts_and_end(path, item)
        annotations.append(
            WrittenAnnotation(
                file=path,
                annotator=str(item.get("annotator") or _numbered(path, number, len(items))),
                unit="positions",
                starts=tuple(starts),
                lines=tuple(starts_lines[number][: len(starts)]),
                end=end,
                end_line=end_lines[number],
            )
        )
    return annotations


def read_csv(path: Path, text: str) -> list[WrittenAnnotation]:
    """A column of starts, in seconds as 95.5 or 1:35, or in frames where the header says so.

    Further columns may hold the end, the title and the annotator; without a header the second
    column is the end.
    """
    rows = list(_rows(text))
    if not rows:
        raise FormatError(f"{path}:1: one story a line is wanted, got an empty file")
    header = [cell.strip().lower().replace(" ", "_") for cell in rows[0][1]]
    named = any(name in START_NAMES + FRAME_NAMES for name in header)
    if not named:
        header = ["start", "end", "title"]
    unit: Unit = "positions" if not set(header) & set(START_NAMES) else "seconds"
    columns = _Columns(path, header)
    stories = [columns.story(line, cells) for line, cells in rows[1 if named else 0 :]]
    if not stories:
        raise FormatError(f"{path}:{rows[0][0]}: one story a line is wanted, got a header only")
    return _by_annotator(path, stories, unit)


def read_webvtt(path: Path, text: str) -> list[WrittenAnnotation]:
    """Chapters: one story a cue, its text the title."""
    lines = text.splitlines()
    if not lines or not lines[0].startswith("WEBVTT"):
        raise FormatError(f"{path}:1: a WebVTT file begins with WEBVTT")
    stories = []
    for number, line in enumerate(lines, start=1):
        if "-->" not in line:
            continue
        cue = _CUE.match(line)
        if not cue:
            raise FormatError(
                f"{path}:{number}: cue times are written 00:01:35.000 --> 00:02:00.000"
            )
        start, end = (parse_time(time) for time in cue.groups())
        title = lines[number].strip() if number < len(lines) else ""
        stories.append(StoryLine(number, start, end, title))
    if not stories:
        raise FormatError(f"{path}:1: one cue a story is wanted, got none")
    return _by_annotator(path, stories, "seconds")


def from_story_lines(
    path: Path, annotator: str, stories: Sequence[StoryLine], unit: Unit
) -> WrittenAnnotation:
    """Stories from the lines of one person.

    Each runs to the start of the next. Where the ends are given, a first story that begins late
    is taken to begin at 0; where only starts are, they are cuts, and what comes before the first
    is a story too.
    """
    lines = list(stories)
    ends_known = lines[-1].end is not None
    if lines[0].start > 0 and ends_known:
        lines[0] = lines[0]._replace(start=0.0)
    elif lines[0].start > 0:
        lines.insert(0, StoryLine(lines[0].line, 0.0, None))
    return WrittenAnnotation(
        file=path,
        annotator=annotator,
        unit=unit,
        starts=tuple(story.start for story in lines),
        lines=tuple(story.line for story in lines),
        end=lines[-1].end,
        end_line=lines[-1].line,
        titles=tuple(story.title for story in lines),
    )


def _by_annotator(path: Path, stories: Sequence[StoryLine], unit: Unit) -> list[WrittenAnnotation]:
    """One annotation for each run of lines of the same person."""
    return [
        from_story_lines(path, annotator or path.stem, list(lines), unit)
        for annotator, lines in groupby(stories, key=lambda story: story.annotator)
    ]


class _Columns:
    """Which column of a table is which."""

    def __init__(self, path: Path, header: Sequence[str]) -> None:
        self.path = path
        self.start = self._find(header, START_NAMES + FRAME_NAMES)
        self.end = self._find(header, END_NAMES)
        self.title = self._find(header, TITLE_NAMES)
        self.annotator = self._find(header, ANNOTATOR_NAMES)

    def story(self, line: int, cells: Sequence[str]) -> StoryLine:
        end = self._cell(cells, self.end)
        return StoryLine(
            line,
            self._time(line, self._cell(cells, self.start)),
            self._time(line, end) if end else None,
            self._cell(cells, self.title),
            self._cell(cells, self.annotator),
        )

    def _time(self, line: int, cell: str) -> float:
        try:
            return -parse_time(cell[1:]) if cell.startswith("-") else parse_time(cell)
        except InvalidSpan as error:
            raise FormatError(f"{self.path}:{line}: {error}") from error

    @staticmethod
    def _cell(cells: Sequence[str], column: int | None) -> str:
        return cells[column].strip() if column is not None and column < len(cells) else ""

    @staticmethod
    def _find(header: Sequence[str], names: Sequence[str]) -> int | None:
        return next((header.index(name) for name in names if name in header), None)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Lines that hold something, with their numbers; the separator is the one used most."""
    separator = max("\t;,", key=text.count)
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    for cells in reader:
        if any(cell.strip() for cell in cells):
            yield reader.line_num, cells


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
    lines = [_line_at(text, found.start()) for found in re.finditer(r'"start"\s*:', text)]
    try:
        stories = [
            StoryLine(line, float(story["start"]), float(story["end"]), str(story.get("title", "")))
            for line, story in zip(lines, content["stories"], strict=True)
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path}:1: stories need a start and an end in seconds") from error
    if not stories:
        raise FormatError(f"{path}:1: at least one story is wanted, got none")
    return from_story_lines(path, str(content.get("annotator") or path.stem), stories, "seconds")


def _array_lines(text: str, key: str) -> Iterator[list[int]]:
    """For each array of that key, the line of every number in it."""
    for found in re.finditer(rf'"{key}"\s*:\s*\[([^\]]*)\]', text):
        offset = found.start(1)
        yield [_line_at(text, offset + n.start()) for n in _NUMBER.finditer(found.group(1))]


def _line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _numbered(path: Path, number: int, count: int) -> str:
    return path.stem if count == 1 else f"{path.stem} {number + 1}"
