"""Annotations in tables and in WebVTT."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from storyscope.core import parse_time
from storyscope.errors import FormatError, InvalidSpan
from storyscope.formats.annotations import Hints, Unit, WrittenAnnotation
from storyscope.formats.csv_table import no_formula
from storyscope.formats.timecode import is_timecode, seconds_at

_LIKE_A_TIME = re.compile(r"-?[\d:.]+")
_TAG = re.compile(r"<[^<>]*>")
_CUE = re.compile(r"\s*((?:\d+:)?\d{1,2}:\d{2}[.,]\d{3})\s+-->\s+((?:\d+:)?\d{1,2}:\d{2}[.,]\d{3})")
START_NAMES = (
    "start",
    "start_time_(seconds)",
    "start_seconds",
    "start_time",
    "start_timecode",
    "begin",
    "time",
    "seconds",
    "first",
    "cut",
    "in",
)
FRAME_NAMES = ("start_frame", "first_frame", "frame", "position", "shot", "first_shot")
END_NAMES = (
    "end",
    "end_time_(seconds)",
    "end_seconds",
    "end_time",
    "end_timecode",
    "stop",
    "end_frame",
    "end_shot",
    "out",
)
ANNOTATOR_NAMES = ("annotator", "person", "author")
TITLE_NAMES = ("title", "story", "name", "label", "text", "marker_name")


class StoryLine(NamedTuple):
    """One story in a line of a file."""

    line: int
    start: float
    end: float | None
    title: str = ""
    annotator: str = ""


def read_csv(path: Path, text: str, hints: Hints) -> list[WrittenAnnotation]:
    """A column of starts, as 95.5, 1:35 or timecode, or in frames if the header says so.

    Further columns may contain the end, the title and the annotator; without a header the second
    column is the end.
    """
    rows = list(_rows(path, _without_cutting_list(text)))
    if not rows:
        raise FormatError(f"{path}:1: expected one story per line, got an empty file")
    header = _names(rows[0][1])
    named = any(name in START_NAMES + FRAME_NAMES for name in header)
    if not named:
        header = ["start", "end", "title"]
    unit: Unit = "positions" if not set(header) & set(START_NAMES) else "seconds"
    columns = _Columns(path, header, hints)
    stories = [columns.story(line, cells) for line, cells in rows[1 if named else 0 :]]
    if not stories:
        raise FormatError(f"{path}:{rows[0][0]}: expected one story per line, got a header only")
    return _by_annotator(path, stories, unit)


def read_webvtt(path: Path, text: str, hints: Hints) -> list[WrittenAnnotation]:
    """Chapters: one story per cue, with its text as the title."""
    lines = text.splitlines()
    if not lines or not lines[0].startswith("WEBVTT"):
        raise FormatError(f"{path}:1: a WebVTT file begins with WEBVTT")
    stories: list[StoryLine] = []
    titles: list[list[str]] = []
    inside = False
    for number, line in enumerate(lines, start=1):
        if "-->" in line:
            stories.append(_cue(path, number, line))
            titles.append([])
            inside = True
        elif inside and line.strip():
            titles[-1].append(line)
        else:
            inside = False
    if not stories:
        raise FormatError(f"{path}:1: expected one cue per story, got none")
    titled = [
        story._replace(title=_title(words)) for story, words in zip(stories, titles, strict=True)
    ]
    return _by_annotator(path, titled, "seconds")


def _cue(path: Path, number: int, line: str) -> StoryLine:
    cue = _CUE.match(line)
    if not cue:
        raise FormatError(f"{path}:{number}: cue times are written 00:01:35.000 --> 00:02:00.000")
    start, end = (parse_time(time) for time in cue.groups())
    return StoryLine(number, start, end)


def from_story_lines(
    path: Path, annotator: str, stories: Sequence[StoryLine], unit: Unit
) -> WrittenAnnotation:
    """Stories from the lines of one person.

    Each ends where the next one starts. If ends are given, a first story that begins late is
    extended to 0; if there are only starts, they are cuts, and the part before the first is a story
    too.
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
    """The meaning of the columns of a table."""

    def __init__(self, path: Path, header: Sequence[str], hints: Hints) -> None:
        self.path = path
        self.rate = hints.rate
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
            _plain(self._cell(cells, self.title)),
            self._cell(cells, self.annotator),
        )

    def _time(self, line: int, cell: str) -> float:
        try:
            if is_timecode(cell):
                return seconds_at(cell, self.rate)
            return -parse_time(cell[1:]) if cell.startswith("-") else parse_time(cell)
        except (InvalidSpan, FormatError) as error:
            raise FormatError(f"{self.path}:{line}: {error}") from error

    @staticmethod
    def _cell(cells: Sequence[str], column: int | None) -> str:
        return cells[column].strip() if column is not None and column < len(cells) else ""

    @staticmethod
    def _find(header: Sequence[str], names: Sequence[str]) -> int | None:
        return next((header.index(name) for name in names if name in header), None)


def _plain(cell: str) -> str:
    """The text of a cell without the apostrophe that prevents spreadsheets from evaluating it."""
    return cell[1:] if cell[:1] == "'" and no_formula(cell[1:]) == cell else cell


def _title(words: Sequence[str]) -> str:
    """The text of a cue without its markup; a dash means no title."""
    title = html.unescape(_TAG.sub("", " ".join(words))).strip()
    return "" if title == "–" else title


def _rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Lines that are not empty, with their numbers."""
    number = 1
    try:
        reader = csv.reader(io.StringIO(text), delimiter=_separator(text))
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
            number = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(f"{path}:{number}: {error}") from error


def _without_cutting_list(text: str) -> str:
    """Blank out the list of cuts that PySceneDetect's table may begin with."""
    first, newline, rest = text.partition("\n")
    return newline + rest if first.startswith("Timecode List:") else text


def _separator(text: str) -> str:
    """The delimiter that splits the first line into most cells, the first of them a name or a
    time."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    known = START_NAMES + FRAME_NAMES + END_NAMES + ANNOTATOR_NAMES + TITLE_NAMES

    def sense(separator: str) -> tuple[bool, int]:
        cells = next(csv.reader([first], delimiter=separator))
        start = cells[0].strip() if cells else ""
        fits = any(name in known for name in _names(cells)) or _LIKE_A_TIME.fullmatch(start)
        return bool(fits), len(cells)

    return max("\t;,", key=sense)


def _names(cells: Sequence[str]) -> list[str]:
    return [cell.strip().lower().replace(" ", "_") for cell in cells]
