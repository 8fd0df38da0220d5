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
from storyscope.cli.people import ForgetOption, forget_people, numbered_names, print_people
from storyscope.cli.show import live_progress


def speakers(
    video: VideoArgument,
    name: Annotated[
        list[str] | None, typer.Option(metavar="N=NAME", help="Name a speaker; may be repeated.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Identify the speakers again.")] = False,
    forget: ForgetOption = False,
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
        forget_people(opened, video)
    elif name:
        opened.name_speakers(video, numbered_names(name))
    elif again or not opened.speakers(video):
        with live_progress(video, quiet=json) as report:
            opened.find_speakers(video, report=report)
    print_people(video, opened.speakers(video), "speaker", "turns", as_json=json)
