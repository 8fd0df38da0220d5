from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, LibraryOption, OutputOption, open_library
from storyscope.cli.show import print_table, say
from storyscope.errors import FormatError

if TYPE_CHECKING:
    from storyscope.formats import Format, Timeline


class Level(StrEnum):
    """What is written."""

    stories = "stories"
    shots = "shots"
    nested = "nested"


def export(
    video: Annotated[
        str, typer.Argument(metavar="VIDEO", help="Id of a video, as `storyscope list` shows it.")
    ] = "",
    format: Annotated[
        str, typer.Option("--format", "-f", metavar="F", help="`list` explains them all.")
    ] = "list",
    output: OutputOption = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    level: Annotated[
        Level, typer.Option(help="Write stories, shots, or stories with their shots inside.")
    ] = Level.stories,
    annotator: Annotated[
        str | None, typer.Option(help="A person's version instead of the machine's.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a file that is already there.")
    ] = False,
    granularity: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="0: few long stories; 1: many short ones."),
    ] = None,
) -> None:
    """Write stories for editors, publishers, players and scholars.

    Examples:

        storyscope export --format list

        storyscope export film --format youtube

        storyscope export film --format edl --output film.edl

        storyscope export film --format eaf --level nested --output film.eaf

        storyscope export film --format clips --output clips/
    """
    from storyscope.formats import find_format, format_names
    from storyscope.writing import write_whole

    if format == "list":
        kinds = [find_format(name) for name in format_names()]
        rows = [
            (kind.name, kind.summary, kind.loses, "yes" if kind.nests else "") for kind in kinds
        ]
        print_table("format", "for", "what it loses", "nests", rows=rows)
        return
    if not video:
        raise FormatError("name the video to export; `storyscope list` shows their ids")
    kind = find_format(format)
    if level is Level.nested and not kind.nests:
        nesting = ", ".join(name for name in format_names() if find_format(name).nests)
        raise FormatError(f"{format} cannot hold shots inside stories; {nesting} can")
    shelf = open_library(library)
    timeline = shelf.timeline(
        video, level=level.value, annotator=annotator, granularity=granularity
    )
    if kind.write is not None and output is None:
        sys.stdout.write(kind.write(timeline))
        _say_rate(kind, timeline)
        return
    if output is None:
        raise FormatError(
            f"{format} is not text; say where to write it with --output {video}{kind.suffix}"
        )
    if output.is_file() and not overwrite:
        raise FormatError(
            f"{output} is there already; choose another --output, or replace it with --overwrite"
        )
    try:
        if kind.write is not None:
            _check_folder(output)
            write_whole(output, [kind.write(timeline).encode()])
        elif kind.save is not None:
            kind.save(timeline, output)
    except OSError as error:
        raise FormatError(f"{output} cannot be written: {error.strerror or error}") from error
    say(f"wrote {output}")
    _say_rate(kind, timeline)


def _check_folder(output: Path) -> None:
    """Refuse a folder that is not there: it is more likely mistyped than wanted."""
    if not output.absolute().parent.is_dir():
        raise FormatError(
            f"{output} cannot be written: {output.parent} is no folder; make it first"
        )


def _say_rate(kind: Format, timeline: Timeline) -> None:
    """Tell people when frames are counted at another rate than the film's."""
    if kind.counts_frames and timeline.rate_note:
        say(timeline.rate_note)
