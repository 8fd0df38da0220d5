from __future__ import annotations

from typing import Annotated

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, LibraryOption, QuietOption, open_library
from storyscope.cli.show import say


def remove(
    videos: Annotated[list[str], typer.Argument(metavar="VIDEO...", help="Ids of videos.")],
    library: LibraryOption = DEFAULT_LIBRARY,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Remove videos that people have annotated, too.")
    ] = False,
    quiet: QuietOption = False,
) -> None:
    """Remove videos: their index and their annotations. Your files are not touched; the library's
    own copies of what was uploaded on the page go too.

    Example:

        storyscope remove film
    """
    from storyscope.errors import LibraryError

    shelf = open_library(library)
    for video in videos:
        annotators = list(shelf.annotations(video))
        if annotators and not yes:
            raise LibraryError(
                f"{video} has annotations by {', '.join(annotators)}, which would be lost; "
                "export them first, or add --yes"
            )
    for video in videos:
        shelf.remove(video)
        say(f"{video}: removed", quiet=quiet)
