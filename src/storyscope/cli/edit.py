from __future__ import annotations

import getpass
from typing import Annotated

import typer

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    VideoArgument,
    open_library,
)
from storyscope.cli.show import print_json, say
from storyscope.core import count_stories, parse_time
from storyscope.errors import AnnotationError


def edit(
    video: VideoArgument,
    library: LibraryOption = DEFAULT_LIBRARY,
    annotator: Annotated[
        str | None, typer.Option(help="Whose version; your login name by default.")
    ] = None,
    split: Annotated[
        list[str] | None, typer.Option(metavar="TIME", help="Start a new story at this time.")
    ] = None,
    merge: Annotated[
        list[int] | None,
        typer.Option(metavar="NUMBER", help="Join this story to the one before it."),
    ] = None,
    move: Annotated[
        list[str] | None,
        typer.Option(metavar="NUMBER=TIME", help="Start this story at another time."),
    ] = None,
    title: Annotated[
        list[str] | None, typer.Option(metavar="NUMBER=TITLE", help="Give this story a title.")
    ] = None,
    discard: Annotated[bool, typer.Option(help="Delete this version.")] = False,
    json: JsonOption = False,
) -> None:
    """Correct the stories in your own version; the automatic one is kept.

    Moves are applied first, then titles, merges and splits, each with the numbers that `storyscope
    stories VIDEO --annotator NAME` shows.

    Examples:

        storyscope edit film --move 3=12:10 --title "3=The hunt"

        storyscope edit film --merge 4 --split 1:02:33

        storyscope edit film --annotator ann --discard
    """
    if not (discard or move or title or merge or split):
        raise AnnotationError(
            "nothing to change; give --move, --title, --merge, --split or --discard"
        )
    opened = open_library(library)
    person = annotator or getpass.getuser()
    if discard:
        opened.discard_annotation(video, person)
        say(f"deleted {person}'s version of {video}")
        if json:
            print_json(opened.story_facts(video, opened.stories(video)))
        return
    mine = opened.version(video, person)
    for number, text in (_numbered(line, "--move") for line in move or []):
        mine = mine.move(number - 1, parse_time(text))
    for number, text in (_numbered(line, "--title") for line in title or []):
        mine = mine.retitle(number - 1, text)
    for number in sorted(merge or [], reverse=True):
        mine = mine.merge(number - 1)
    for text in split or []:
        mine = mine.split(parse_time(text))
    opened.annotate(video, mine)
    if json:
        print_json(opened.story_facts(video, opened.stories(video, annotator=person)))
        return
    say(f"{person}'s version of {video} has {count_stories(len(mine.starts))}")


def _numbered(line: str, option: str) -> tuple[int, str]:
    number, equals, text = line.partition("=")
    if not (equals and number.strip().isdigit()):
        raise AnnotationError(f"{option} is written as NUMBER=VALUE, such as 3=12:10, got {line!r}")
    return int(number), text
