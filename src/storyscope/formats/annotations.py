"""Annotations made in other programs.

`read_annotations` reads the files of many programs into `WrittenAnnotation`, which keeps the line
of every story, so that errors can refer to it. `on_one_scale` converts several of them to the same
positions, for scoring or agreement.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Literal

from storyscope.core import Annotation, Segmentation
from storyscope.errors import AnnotationError, FormatError, StoryscopeError
from storyscope.formats.timeline import standard_rate
from storyscope.reading import read_at_most

Unit = Literal["seconds", "positions"]
READERS = {
    ".json": "storyscope.formats.annotation_json:read_json",
    ".csv": "storyscope.formats.annotation_text:read_csv",
    ".tsv": "storyscope.formats.annotation_text:read_csv",
    ".vtt": "storyscope.formats.annotation_text:read_webvtt",
    ".eaf": "storyscope.formats.annotation_eaf:read_eaf",
    ".txt": "storyscope.formats.annotation_chapters:read_chapters",
    ".xml": "storyscope.formats.annotation_chapters:read_matroska",
    ".edl": "storyscope.formats.annotation_edits:read_edl",
    ".otio": "storyscope.formats.annotation_otio:read_otio",
    ".fcpxml": "storyscope.formats.annotation_edits:read_fcpxml",
    ".textgrid": "storyscope.formats.annotation_labels:read_textgrid",
}
"""The reader of each file extension."""

MILLISECONDS = 1000
LARGEST_FILE = 32_000_000
"""Maximum size in bytes; a feature film with a line per frame has fewer."""
FRAME_TOLERANCE_SECONDS = 0.05
"""Seconds by which the ends of the same film in two files may differ."""


@dataclass(frozen=True)
class Hints:
    """Information that a file may lack."""

    tier: str | None = None
    """The tier of an ELAN file that contains the stories."""
    rate: Fraction | None = None
    """Frames per second, for files that count frames."""


@dataclass(frozen=True)
class WrittenAnnotation:
    """One person's stories in a file."""

    file: Path
    annotator: str
    unit: Unit
    """Whether the numbers are seconds, or whole positions such as frames or shots."""
    starts: tuple[float, ...]
    """Start of each story, the first at 0."""
    lines: tuple[int, ...]
    """The line of each start in the file."""
    end: float | None
    """End of the last story; None if the file does not contain it."""
    end_line: int = 0
    titles: tuple[str, ...] = ()

    def checked(self) -> WrittenAnnotation:
        """The annotation, or an error that names the line where the starts do not increase."""
        if self.starts[0] != 0:
            raise self.error(0, f"stories begin at 0, got {self.starts[0]:g}")
        if self.end is not None and not isfinite(self.end):
            raise self.error(-1, f"a time is a number of seconds, got {self.end:g}")
        for story, (before, start) in enumerate(pairwise(self.starts), start=1):
            if not isfinite(start):
                raise self.error(story, f"a time is a number of seconds, got {start:g}")
            if start == before:
                raise self.error(story, f"a story begins at {start:g} twice")
            if start < before:
                raise self.error(story, f"stories must be in order, got {start:g} after {before:g}")
        if self.end is not None and self.starts[-1] >= self.end:
            first = next(i for i, start in enumerate(self.starts) if start >= self.end)
            raise self.error(
                first, f"a story begins at {self.starts[first]:g}, but the end is {self.end:g}"
            )
        return self

    def error(self, story: int, reason: str) -> AnnotationError:
        return AnnotationError(f"{self.file}:{self.lines[story]}: {reason}")

    def in_seconds(self, *, end: float | None = None) -> Annotation:
        """Convert to an annotation of a video; `end` is its length, for files without one."""
        if self.unit != "seconds":
            raise AnnotationError(f"{self.file}: expected times in seconds, got positions")
        last = self.end if self.end is not None else end
        if last is None:
            raise AnnotationError(f"{self.file} does not say where the last story ends")
        whole = replace(self, end=last).checked()
        return Annotation(self.annotator, whole.starts, last, whole.titles)


@dataclass(frozen=True)
class OneScale:
    """Several annotations over the same whole positions."""

    segmentations: tuple[Segmentation, ...]
    unit: Unit
    """The unit of a position."""
    per_unit: int
    """Positions per second, or 1."""

    def written(self, positions: Sequence[int]) -> list[float]:
        """Positions in the unit of the files."""
        if self.per_unit == 1:
            return list(positions)
        return [position / self.per_unit for position in positions]


def read_annotations(
    path: str | Path, *, tier: str | None = None, fps: float | None = None
) -> list[WrittenAnnotation]:
    """The annotations of a file, one for each person.

    `tier` selects a tier of an ELAN file; `fps` is for files with timecodes, which count frames.
    """
    path = Path(path)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise FormatError(
            f"{path}: annotations are read from {', '.join(READERS)} files; rename or convert it"
        )
    module, _, name = reader.partition(":")
    read: Callable[..., list[WrittenAnnotation]] = getattr(import_module(module), name)
    try:
        text = read_at_most(path, LARGEST_FILE).decode("utf-8-sig")
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not text in UTF-8; save it as UTF-8") from error
    hints = Hints(tier, None if fps is None else standard_rate(fps))
    try:
        found = read(path, text, hints)
        return [written.checked() for written in found]
    except (ArithmeticError, LookupError, ValueError, RecursionError, csv.Error) as error:
        if isinstance(error, StoryscopeError):
            raise
        raise FormatError(
            f"{path} cannot be read as {path.suffix} annotations: {str(error)[:200]}"
        ) from error


def on_one_scale(
    annotations: Sequence[WrittenAnnotation], *, fps: float | None = None, end: float | None = None
) -> OneScale:
    """Convert annotations to the same positions.

    If all have positions, those are kept. If some have seconds, positions of the others are frames
    if `fps` is given, and seconds if not; the scale is then frames or milliseconds. `end` is the
    end of the video, if no file contains it.
    """
    in_positions = all(each.unit == "positions" for each in annotations)
    per_unit = 1 if in_positions or fps is not None else MILLISECONDS
    scaled = [_in_positions(each, per_unit, fps) for each in annotations]
    if end is not None:
        end = float(round(end * per_unit))
    tolerance = 0 if in_positions else FRAME_TOLERANCE_SECONDS * (per_unit if fps is None else fps)
    mixed = fps is None and len({each.unit for each in annotations}) > 1
    advice = "give --fps if one of them counts frames" if mixed else ""
    last = _common_end(scaled, end, max(tolerance, 0 if in_positions else 1), per_unit, advice)
    unit: Unit = "positions" if in_positions or fps is not None else "seconds"
    return OneScale(tuple(_segmentation(each, last) for each in scaled), unit, per_unit)


def _in_positions(
    written: WrittenAnnotation, per_unit: int, fps: float | None
) -> WrittenAnnotation:
    scale = fps if fps is not None and written.unit == "seconds" else per_unit
    return replace(
        written,
        starts=tuple(float(round(start * scale)) for start in written.starts),
        end=None if written.end is None else float(round(written.end * scale)),
    ).checked()


def _common_end(
    annotations: Sequence[WrittenAnnotation],
    end: float | None,
    tolerance: float,
    per_unit: int,
    advice: str,
) -> int:
    """The end that all files share; a file that differs is reported, in the files' own unit."""
    known = [each for each in annotations if each.end is not None]
    if end is None and not known:
        raise AnnotationError(
            f"{annotations[0].file} does not say where the last story ends, nor does another "
            "file; give the length with --end"
        )
    common = end if end is not None else max(each.end for each in known if each.end is not None)
    for each in known:
        if each.end is not None and abs(each.end - common) > tolerance:
            other = "the length given" if end is not None else str(_longest(known).file)
            raise AnnotationError(
                f"{each.file}:{each.end_line}: ends at {each.end / per_unit:g}, but {other} "
                f"at {common / per_unit:g}; "
                f"{advice or 'annotations of the same video end together'}"
            )
    return int(common)


def _longest(annotations: Sequence[WrittenAnnotation]) -> WrittenAnnotation:
    return max(annotations, key=lambda each: each.end or 0)


def _segmentation(written: WrittenAnnotation, end: int) -> Segmentation:
    whole = replace(written, end=float(end)).checked()
    return Segmentation(tuple(int(start) for start in whole.starts), end)
