"""Options that many commands share, so that they read the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from storyscope.library import Library, LocalLibrary

DEFAULT_LIBRARY = Path.home() / ".storyscope"

LibraryOption = Annotated[
    Path,
    typer.Option(
        "--library",
        metavar="DIR",
        envvar="STORYSCOPE_LIBRARY",
        help="Folder of the library, or its address: postgresql://... or that of a served one.",
        show_default="~/.storyscope",
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print JSON on standard output and nothing else.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors.")]
VideoArgument = Annotated[
    str, typer.Argument(metavar="VIDEO", help="Id of a video, as `storyscope list` shows it.")
]
OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write here, not to standard output."),
]


def named(folder: Path) -> str:
    """The library as people write it: a Path drops one of an address's slashes."""
    from storyscope.store import address_of, without_password

    return without_password(address_of(folder)[1])


def open_library(folder: Path, *, create: bool = False) -> Library:
    """Open the library that a command was pointed at; an address opens the one served there.

    Only a command that puts something into a library may `create` one: whoever mistypes the
    folder of another is told so.
    """
    from storyscope.errors import LibraryError
    from storyscope.library import Library, is_library

    if not create and not is_library(folder):
        raise LibraryError(
            f"there is no library in {folder}; name another with --library, "
            "or make one with `storyscope add VIDEO`"
        )
    return Library(folder)


def open_local_library(folder: Path, *, create: bool = False) -> LocalLibrary:
    """Open a library for a command that needs its folder and not only its verbs."""
    from storyscope.errors import LibraryError
    from storyscope.library import LocalLibrary

    shelf = open_library(folder, create=create)
    if not isinstance(shelf, LocalLibrary):
        raise LibraryError(
            f"{shelf.place} is an address, and this command needs the folder; run it where that is"
        )
    return shelf
