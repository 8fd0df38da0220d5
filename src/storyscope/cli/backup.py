from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, LibraryOption, QuietOption, open_local_library
from storyscope.cli.show import say
from storyscope.errors import LibraryError
from storyscope.library.backups import back_up


def backup(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]", help="File to write; in the library's `backups` by default."
        ),
    ] = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    overwrite: Annotated[bool, typer.Option(help="Replace a file that already exists.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Copy the library's database: videos, stories and everybody's annotations.

    The copy is consistent even while videos are being indexed or corrected. One is also made before
    the first change of each day, and kept for a week. It does not contain arrays: they can be
    rebuilt from the films.

    Examples:

        storyscope backup

        storyscope backup /safe/place/films.sqlite
    """
    opened = open_local_library(library)
    if file is not None and file.exists() and not overwrite:
        raise LibraryError(
            f"{file} already exists; choose another file, or replace it with --overwrite"
        )
    say(f"wrote {back_up(opened, file)}", quiet=quiet)
