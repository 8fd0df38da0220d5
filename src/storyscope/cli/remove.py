from __future__ import annotations

from typing import Annotated

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, LibraryOption, QuietOption, open_library
from storyscope.cli.show import say
from storyscope.errors import LibraryError


def remove(
    videos: Annotated[list[str], typer.Argument(metavar="VIDEO...", help="Ids of videos.")],
    library: LibraryOption = DEFAULT_LIBRARY,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Also remove videos that people have annotated.")
    ] = False,
    quiet: QuietOption = False,
) -> None:
    """Remove videos: their index and their annotations. Your files are not touched; the library's
    own copies of uploaded files are deleted.

    Example:

        storyscope remove film
    """
    opened = open_library(library)
    for video in videos:
        annotators = list(opened.annotations(video))
        if annotators and not yes:
            raise LibraryError(
                f"{video} has annotations by {', '.join(annotators)}, which would be lost; "
                "export them first, or add --yes"
            )
    for video in videos:
        opened.remove(video)
        say(f"{video}: removed", quiet=quiet)
