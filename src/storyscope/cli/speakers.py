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
from storyscope.cli.show import live_progress, print_json


def speakers(
    video: VideoArgument,
    name: Annotated[
        list[str] | None, typer.Option(metavar="N=NAME", help="Name a speaker; may be repeated.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Identify the speakers again.")] = False,
    forget: Annotated[
        bool, typer.Option("--forget", help="Delete the turns and names of this video's speakers.")
    ] = False,
    library: LibraryOption = DEFAULT_LIBRARY,
    json: JsonOption = False,
) -> None:
    """Identify the speakers of a video by their voices, name them, or delete them.

    Speakers are analysed only by this command; voices stay on this machine, and only the times of
    the turns and the names are stored.

    Examples:

        storyscope models get speakers

        storyscope speakers talk

        storyscope speakers talk --name 1=Ann --name 2="Bob Lee"

        storyscope search question --speaker Ann

        storyscope speakers talk --forget
    """
    opened = open_library(library)
    if forget:
        opened.forget_speakers(video)
    elif name:
        opened.name_speakers(video, dict(_numbered(text) for text in name))
    elif again or not opened.speakers(video):
        with live_progress(video, quiet=json) as report:
            opened.find_speakers(video, report=report)
    rows = opened.speakers(video)
    if json:
        print_json({"video": video, "speakers": rows})
        return
    for row in rows:
        called = row["name"] or f"Speaker {row['speaker']}"
        print(
            f"{row['speaker']:>3}  {called:<24}{row['seconds']:>8.1f} s  {len(row['turns'])} turns"
        )


def _numbered(text: str) -> tuple[int, str]:
    number, equals, name = text.partition("=")
    if not equals or not number.strip().isdigit():
        raise typer.BadParameter(f"{text!r} is not of the form 1=Ann", param_hint="--name")
    return int(number), name.strip()
