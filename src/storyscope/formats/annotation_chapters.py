"""Annotations in chapter files: ffmpeg's, YouTube's and Matroska's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from storyscope.core import parse_time
from storyscope.core.numbers import parse_rational
from storyscope.errors import FormatError, InvalidSpan
from storyscope.formats.annotation_labels import is_label_line, read_labels
from storyscope.formats.annotation_text import StoryLine, from_story_lines
from storyscope.formats.annotations import Hints, WrittenAnnotation
from storyscope.formats.xml_text import Node, parse

_TIMED_LINE = re.compile(r"\s*((?:\d+:)?\d{1,2}:\d{2})[\s\-–—:]+(.*\S)?")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_KEY = re.compile(r"((?:[^=\\]|\\.)*)=(.*)", re.DOTALL)
NANOSECONDS = "1/1000000000"


def read_chapters(path: Path, text: str, hints: Hints) -> list[WrittenAnnotation]:
    """ffmpeg metadata or Audacity labels, detected by the first line; otherwise YouTube's `0:00
    Title`."""
    if is_label_line(next((line for line in text.splitlines() if line.strip()), "")):
        return [read_labels(path, text)]
    if text.startswith(";FFMETADATA"):
        chapters = [_story(path, chapter) for chapter in _chapters(path, text)]
        if not chapters:
            raise FormatError(f"{path}:1: expected one [CHAPTER] per story, got none")
    else:
        found = ((n, _TIMED_LINE.match(line)) for n, line in enumerate(text.splitlines(), start=1))
        chapters = [
            StoryLine(number, parse_time(line[1]), None, line[2] or "")
            for number, line in found
            if line
        ]
        if not chapters:
            raise FormatError(
                f"{path}:1: chapters begin with ;FFMETADATA1, or are lines such as 0:00 Title"
            )
    return [from_story_lines(path, path.stem, chapters, "seconds")]


def read_matroska(path: Path, text: str, hints: Hints) -> list[WrittenAnnotation]:
    """Chapter XML: one story per chapter of the default edition; nested chapters are ignored."""
    root = parse(path, text, kind="a Matroska chapter file")
    if root.tag != "Chapters":
        raise FormatError(f"{path}:{root.line}: expected Matroska <Chapters>, got <{root.tag}>")
    editions = root.all("EditionEntry")
    default = [each for each in editions if each.words("EditionFlagDefault") == "1"]
    atoms = [atom for edition in (default or editions)[:1] for atom in edition.all("ChapterAtom")]
    stories = [_atom(path, atom) for atom in atoms if atom.words("ChapterFlagHidden") != "1"]
    if not stories:
        raise FormatError(f"{path}:{root.line}: expected one chapter per story, got none")
    return [from_story_lines(path, path.stem, stories, "seconds")]


def _atom(path: Path, atom: Node) -> StoryLine:
    titles = [display.words("ChapterString") for display in atom.all("ChapterDisplay")]
    end = atom.words("ChapterTimeEnd")
    try:
        start = parse_time(atom.words("ChapterTimeStart"))
        return StoryLine(atom.line, start, parse_time(end) if end else None, *titles[:1])
    except InvalidSpan as error:
        raise FormatError(f"{path}:{atom.line}: {error}") from error


@dataclass
class _Chapter:
    line: int
    facts: dict[str, str] = field(default_factory=dict)


def _chapters(path: Path, text: str) -> list[_Chapter]:
    """The [CHAPTER] sections of ffmpeg's metadata."""
    chapters: list[_Chapter] = []
    inside = False
    for number, line in _whole_lines(text):
        if line.startswith("["):
            inside = line.strip() == "[CHAPTER]"
            if inside:
                chapters.append(_Chapter(number))
        elif inside and line.strip() and line[0] not in ";#":
            pair = _KEY.fullmatch(line)
            if not pair:
                raise FormatError(f"{path}:{number}: expected key=value, got {line[:40]!r}")
            key, value = (_ESCAPED.sub(r"\1", half) for half in pair.groups())
            chapters[-1].facts[key.lower()] = value
    return chapters


def _whole_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; a backslash at the end of a line continues it in the next."""
    held, first = "", 1
    for number, line in enumerate(text.split("\n"), start=1):
        held += line
        slashes = len(line) - len(line.rstrip("\\"))
        if slashes % 2:
            held += "\n"
            continue
        yield first, held
        held, first = "", number + 1
    if held:
        yield first, held


def _story(path: Path, chapter: _Chapter) -> StoryLine:
    try:
        base = parse_rational(chapter.facts.get("timebase", NANOSECONDS))
        start, end = (parse_rational(chapter.facts[edge]) * base for edge in ("start", "end"))
    except (KeyError, ValueError) as error:
        raise FormatError(
            f"{path}:{chapter.line}: a chapter needs TIMEBASE=1/1000, START=0 and END=95000"
        ) from error
    return StoryLine(chapter.line, float(start), float(end), chapter.facts.get("title", ""))
