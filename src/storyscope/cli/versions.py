"""Versions of stories given on the command line: files, or videos of the library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from storyscope.cli.options import open_library
from storyscope.errors import AnnotationError
from storyscope.formats import WrittenAnnotation, read_annotations
from storyscope.library import is_library
from storyscope.library.exchange import kept_versions

if TYPE_CHECKING:
    from storyscope.formats import WrittenAnnotation

FpsOption = Annotated[
    float | None,
    typer.Option(min=0.001, help="Frames per second, if positions are frames."),
]
TierOption = Annotated[
    str | None, typer.Option(help="Tier of ELAN or Praat files that contains the stories.")
]


def versions_of(
    name: str, library: Path, *, tier: str | None, fps: float | None, automatic: bool = False
) -> list[WrittenAnnotation]:
    """The versions in a file, or of a video: "film" has those of all annotators, "film:ann" one.

    With `automatic`, the id of a video alone means its automatic version.
    """
    video = name.partition(":")[0]
    if Path(name).exists():
        return read_annotations(Path(name), tier=tier, fps=fps)
    opened = open_library(library) if is_library(library) else None
    if opened is None or video not in [record.video.id for record in opened.videos()]:
        raise AnnotationError(
            f"{name} is neither a file nor a video of the library {library}; videos are named as "
            "in `storyscope list`, or with a person as film:ann"
        )
    return kept_versions(opened, name, automatic=automatic)


def shot_starts(
    name: str, library: Path, *, tier: str | None, fps: float | None
) -> WrittenAnnotation:
    """The shots of a video, or the first version in a file, as positions where stories may
    begin."""
    if Path(name).exists():
        return read_annotations(Path(name), tier=tier, fps=fps)[0]
    shots = open_library(library).shots(name)
    starts = (0.0, *(shot.span.start for shot in shots[1:]))
    lines = tuple(range(1, len(starts) + 1))
    return WrittenAnnotation(Path(name), "shots", "seconds", starts, lines, shots[-1].span.end)
