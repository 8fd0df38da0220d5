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


def faces(
    video: VideoArgument,
    name: Annotated[
        list[str] | None, typer.Option(metavar="N=NAME", help="Name a face; may be repeated.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Find the faces again.")] = False,
    forget: ForgetOption = False,
    library: LibraryOption = DEFAULT_LIBRARY,
    json: JsonOption = False,
) -> None:
    """Find the people whose faces a video shows, name them, or delete them.

    Faces are looked for only by this command; they stay on this machine, and only the times, the
    places in keyframes and the names are stored.

    Examples:

        storyscope models get faces

        storyscope faces talk

        storyscope faces talk --name 1=Ann

        storyscope search question --face Ann

        storyscope faces talk --forget
    """
    opened = open_library(library)
    if forget:
        forget_people(opened, video)
    elif name:
        opened.name_faces(video, numbered_names(name))
    elif again or not opened.faces(video):
        with live_progress(video, quiet=json) as report:
            opened.find_faces(video, report=report)
    print_people(video, opened.faces(video), "face", "appearances", as_json=json)
