from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    AboutOption,
    GranularityOption,
    JsonOption,
    LibraryOption,
    MinutesOption,
    VideoArgument,
    open_library,
)
from storyscope.cli.show import print_json, print_table, print_timeline, say
from storyscope.core import StoryCount, format_time
from storyscope.errors import InvalidSetting

if TYPE_CHECKING:
    from storyscope.library import Library


def stories(
    video: VideoArgument,
    library: LibraryOption = DEFAULT_LIBRARY,
    granularity: GranularityOption = None,
    about: AboutOption = None,
    minutes: MinutesOption = None,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            help="Use this number of stories in search, export and everywhere else from now on.",
        ),
    ] = False,
    annotator: Annotated[
        str | None, typer.Option(help="Show a person's version instead of the library's own.")
    ] = None,
    timeline: Annotated[
        bool,
        typer.Option("--timeline", help="Also draw the stories as a timeline in the terminal."),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show the stories of a video with times, titles and keywords.

    Examples:

        storyscope stories film

        storyscope stories film --about 12 --timeline

        storyscope stories film --about 12 --keep

        storyscope stories film --minutes 5

        storyscope stories film --json
    """
    count = StoryCount(granularity, about, minutes)
    if keep and not count:
        raise InvalidSetting(
            "there is no number to keep; give --about, --minutes or --granularity, or go back to "
            f"the library's own with `storyscope config --video {video} --reset`"
        )
    opened = open_library(library)
    if keep:
        opened.keep_story_count(video, count)
    found = opened.with_story_count(count).stories(video, annotator=annotator)
    if json:
        print_json(opened.story_facts(video, found))
        return

    summaries = ["summary"] if any(story.summary for story in found) else []
    print_table(
        "",
        "start",
        "end",
        "title",
        "keywords",
        *summaries,
        rows=[
            (
                str(number),
                format_time(story.span.start),
                format_time(story.span.end),
                story.title,
                ", ".join(story.keywords),
                *[story.summary for _ in summaries],
            )
            for number, story in enumerate(found, start=1)
        ],
    )
    if timeline:
        print_timeline([story.span for story in found], opened.video(video).duration)
    if keep:
        say(f"{video}: {count}, kept for search, export and the page")
    if annotator is None:
        say(_where_from(opened, video))


def _where_from(library: Library, video: str) -> str:
    """Print which version the stories are from, and which cues they were detected by."""
    if (person := library.own_version(video)) is not None:
        return f"{person}'s version, which is the library's own"
    return f"cues used: {', '.join(library.cues(video)) or 'none'}"
