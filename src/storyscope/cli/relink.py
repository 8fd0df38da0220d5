from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, open_local_library
from storyscope.cli.show import print_json, say
from storyscope.library.relinking import relink as find_again


def relink(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Folder where the films are now.")
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    json: JsonOption = False,
) -> None:
    """Find films that were moved or renamed, by their content; stories and annotations are kept.

    Example:

        storyscope relink /films/documentaries
    """
    found, lost = find_again(open_local_library(library), folder)
    if json:
        print_json({"relinked": [asdict(each) for each in found], "missing": lost})
        return
    for each in found:
        say(f"{each.video}: {each.before} is now {each.now}")
    for video in lost:
        say(f"{video}: its file is not in {folder}")
    if not (found or lost):
        say("No video was moved.")
