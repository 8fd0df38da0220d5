from __future__ import annotations

from typing import Annotated

import typer

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    VideoArgument,
    open_library,
)
from storyscope.cli.show import print_json, print_table, print_timeline, say


def stories(
    video: VideoArgument,
    library: LibraryOption = DEFAULT_LIBRARY,
    granularity: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="0: few long stories; 1: many short ones."),
    ] = None,
    about: Annotated[int | None, typer.Option(min=1, help="About this many stories.")] = None,
    annotator: Annotated[
        str | None, typer.Option(help="Show a person's version instead of the machine's.")
    ] = None,
    timeline: Annotated[
        bool, typer.Option("--timeline", help="Draw the stories across the terminal, too.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show the stories of a video: when, how long, what about.

    Examples:

        storyscope stories film

        storyscope stories film --about 12 --timeline

        storyscope stories film --json
    """
    shelf = open_library(library)
    found = shelf.stories(video, granularity=granularity, count=about, annotator=annotator)
    if json:
        print_json(shelf.story_facts(video, found))
        return
    from storyscope.core import format_time

    print_table(
        "",
        "start",
        "end",
        "title",
        "keywords",
        rows=[
            (
                str(number),
                format_time(story.span.start),
                format_time(story.span.end),
                story.title,
                ", ".join(story.keywords),
            )
            for number, story in enumerate(found, start=1)
        ],
    )
    if timeline:
        print_timeline([story.span for story in found], shelf.video(video).duration)
    say(f"cues used: {', '.join(shelf.cues(video)) or 'none'}")
