from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    AboutOption,
    GranularityOption,
    LibraryOption,
    MinutesOption,
    OutputOption,
    OverwriteOption,
    VideoArgument,
    check_folder,
    completes,
    open_library,
    refuse_existing,
)
from storyscope.cli.show import print_table, say
from storyscope.core import StoryCount
from storyscope.errors import FormatError
from storyscope.formats import find_format, format_names, save_files

if TYPE_CHECKING:
    from storyscope.formats import Format, Timeline


def _formats() -> list[str]:
    return [*format_names(), "list"]


class Level(StrEnum):
    """What to export: stories, shots, or both."""

    stories = "stories"
    shots = "shots"
    nested = "nested"


def export(
    video: VideoArgument = "",
    format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="F",
            help="Name of the format; `list` shows all of them.",
            autocompletion=completes(_formats),
        ),
    ] = "list",
    output: OutputOption = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    level: Annotated[
        Level, typer.Option(help="Write stories, shots, or stories with their shots inside.")
    ] = Level.stories,
    annotator: Annotated[
        str | None, typer.Option(help="A person's version instead of the library's own.")
    ] = None,
    overwrite: OverwriteOption = False,
    granularity: GranularityOption = None,
    about: AboutOption = None,
    minutes: MinutesOption = None,
) -> None:
    """Export stories for editors, publishers, players and researchers.

    Examples:

        storyscope export --format list

        storyscope export film --format youtube --about 10

        storyscope export film --format edl --output film.edl

        storyscope export film --format eaf --level nested --output film.eaf

        storyscope export film --format clips --output clips/
    """
    if format == "list":
        kinds = [find_format(name) for name in format_names()]
        rows = [
            (kind.name, kind.summary, kind.loses, "yes" if kind.nests else "") for kind in kinds
        ]
        print_table("format", "for", "what it loses", "nests", rows=rows)
        return
    if not video:
        raise FormatError("give the video to export; `storyscope list` shows their ids")
    kind = find_format(format)
    if level is Level.nested and not kind.nests:
        nesting = ", ".join(name for name in format_names() if find_format(name).nests)
        raise FormatError(f"{format} cannot contain shots inside stories; {nesting} can")
    count = StoryCount(granularity, about, minutes)
    opened = open_library(library).with_story_count(count)
    timeline = opened.timeline(video, level=level.value, annotator=annotator)
    if kind.write is not None and output is None:
        sys.stdout.write(kind.write(timeline))
        _say_rate(kind, timeline)
        return
    if output is None:
        raise FormatError(f"{format} is not text; give a file with --output {video}{kind.suffix}")
    refuse_existing(output, overwrite)
    check_folder(output)
    try:
        save_files(kind, timeline, output, overwrite=overwrite)
    except OSError as error:
        raise FormatError(f"{output} cannot be written: {error.strerror or error}") from error
    say(f"wrote {output}")
    _say_rate(kind, timeline)


def _say_rate(kind: Format, timeline: Timeline) -> None:
    """Tell the user if the format counts frames at another rate than the film's."""
    if kind.counts_frames and timeline.rate_note:
        say(timeline.rate_note)
