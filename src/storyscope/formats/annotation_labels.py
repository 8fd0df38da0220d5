"""Annotations in label files: Audacity's and Praat's."""

from __future__ import annotations

import re
from pathlib import Path

from storyscope.core.numbers import parse_rational
from storyscope.errors import FormatError
from storyscope.formats.annotation_text import StoryLine, from_story_lines
from storyscope.formats.annotation_tiers import story_tiers
from storyscope.formats.annotations import Hints, WrittenAnnotation

_LABEL = re.compile(r"\s*([0-9][0-9.,]*)\t\s*([0-9][0-9.,]*)(?:\t(.*))?$")
_FIELD = re.compile(r"\s*(name|class|xmin|xmax|text|mark)\s*=(.*)$")


def is_label_line(line: str) -> bool:
    """Whether a line is an Audacity label: start, end and text, separated by tabs."""
    return _LABEL.match(line) is not None


def read_labels(path: Path, text: str) -> WrittenAnnotation:
    """One story per Audacity label; the lines about frequencies are ignored."""
    stories = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("\\"):
            continue
        label = _LABEL.match(line)
        if not label:
            raise FormatError(f"{path}:{number}: a label is start, end and text, with tabs between")
        start, end = _seconds(path, number, label[1]), _seconds(path, number, label[2])
        stories.append(StoryLine(number, start, end, (label[3] or "").strip()))
    return from_story_lines(path, path.stem, stories, "seconds")


def read_textgrid(path: Path, text: str, hints: Hints) -> list[WrittenAnnotation]:
    """One story per interval of the tier named for stories, of `--tier`, or of the only tier."""
    if "ooTextFile" not in text[:200]:
        raise FormatError(f"{path}:1: expected a TextGrid in Praat's long text format")
    tiers = _tiers(path, text)
    chosen = story_tiers(path, list(tiers), hints.tier)
    return [
        from_story_lines(path, name if len(chosen) > 1 else path.stem, tiers[name], "seconds")
        for name in chosen
    ]


def _tiers(path: Path, text: str) -> dict[str, list[StoryLine]]:
    """Intervals by the name of their tier; tiers of points are left out."""
    tiers: dict[str, list[StoryLine]] = {}
    name, kind, start, end = "", "", None, None
    for number, line in enumerate(text.splitlines(), start=1):
        field = _FIELD.match(line)
        if not field:
            continue
        key, value = field[1], field[2].strip()
        if key == "class":
            kind = _unquoted(value)
        elif key == "name":
            name = _unquoted(value)
        elif key == "xmin":
            start = _seconds(path, number, value)
        elif key == "xmax":
            end = _seconds(path, number, value)
        elif key == "text" and kind == "IntervalTier" and start is not None and end is not None:
            tiers.setdefault(name, []).append(StoryLine(number, start, end, _unquoted(value)))
    return tiers


def _unquoted(value: str) -> str:
    return value[1:-1].replace('""', '"') if value[:1] == value[-1:] == '"' else value


def _seconds(path: Path, line: int, text: str) -> float:
    try:
        return float(parse_rational(text))
    except ValueError as error:
        raise FormatError(f"{path}:{line}: {error}") from error
