"""Options shared by several commands."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from storyscope.core import parse_time
from storyscope.errors import FormatError, InvalidSpan, LibraryError, StoryscopeError
from storyscope.library import Library, LocalLibrary, is_library
from storyscope.store import address_of, without_password

DEFAULT_LIBRARY = Path.home() / ".storyscope"
LIBRARY_VARIABLE = "STORYSCOPE_LIBRARY"


def video_ids(context: typer.Context, incomplete: str) -> list[str]:
    """Ids of videos in the library of an incomplete command line, for shell completion."""
    given = context.params.get("library") or os.environ.get(LIBRARY_VARIABLE)
    try:
        ids = [record.video.id for record in open_library(Path(given or DEFAULT_LIBRARY)).videos()]
    except (StoryscopeError, OSError):  # A shell shows no errors while a person is typing.
        return []
    return [name for name in ids if name.startswith(incomplete)]


def completes(names: Callable[[], list[str]]) -> Callable[[str], Iterator[str]]:
    """Completion of an incomplete word with one of these names."""
    return lambda incomplete: (name for name in names() if name.startswith(incomplete))


LibraryOption = Annotated[
    Path,
    typer.Option(
        "--library",
        metavar="DIR",
        envvar=LIBRARY_VARIABLE,
        help="Folder or address (postgresql://... or http://...) of the library.",
        show_default="~/.storyscope",
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print JSON on standard output and nothing else.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors.")]
VideoArgument = Annotated[
    str,
    typer.Argument(
        metavar="VIDEO",
        help="Id of a video, as `storyscope list` shows it.",
        autocompletion=video_ids,
    ),
]
OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Replace a file that already exists.")
]
OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to this file."),
]
GranularityOption = Annotated[
    float | None,
    typer.Option(
        help="How finely to split: 0 for one story, 0.5 as detected, 1 for one story per shot."
    ),
]
AboutOption = Annotated[int | None, typer.Option(metavar="N", help="About N stories.")]
MinutesOption = Annotated[
    float | None, typer.Option(metavar="N", help="Stories of about N minutes each.")
]


def time_option(text: str) -> typer.models.OptionInfo:
    """An option that takes a time, in seconds or as h:mm:ss."""
    option: typer.models.OptionInfo = typer.Option(
        parser=_time, metavar="TIME", help=f"{text}, such as 95.5, 1:35 or 1:02:33."
    )
    return option


def _time(given: str | float) -> float:
    """Convert a given time to seconds; a default is in seconds already."""
    try:
        return given if isinstance(given, float) else parse_time(given)
    except InvalidSpan as error:  # As a ValueError it would exit with 2.
        raise StoryscopeError(str(error)) from error


def refuse_existing(output: Path | None, overwrite: bool) -> None:
    """Refuse to replace an existing file unless --overwrite was given."""
    if output is not None and not overwrite and (output.is_file() or output.is_symlink()):
        raise FormatError(
            f"{output} already exists; choose another file, or replace it with --overwrite"
        )


def named(folder: Path) -> str:
    """The library as it was typed: a Path removes one of the slashes of an address."""
    return without_password(address_of(folder)[1])


def open_library(folder: Path, *, create: bool = False) -> Library:
    """Open the library of a command, in a folder or at an address.

    Only commands that add something may `create` a library, so that a mistyped folder is reported.
    """
    if not create and not is_library(folder):
        raise LibraryError(
            f"there is no library in {folder}; choose another with --library, "
            "or create one with `storyscope add VIDEO`"
        )
    return Library(folder)


def open_local_library(folder: Path, *, create: bool = False) -> LocalLibrary:
    """Open a library for a command that needs its folder."""
    library = open_library(folder, create=create)
    if not isinstance(library, LocalLibrary):
        raise LibraryError(
            f"{library.place} is a remote library, and this command needs its folder; "
            "run it on the machine that has it"
        )
    return library


def check_folder(output: Path) -> None:
    """Refuse to write into a folder that does not exist: it was probably mistyped."""
    if not output.absolute().parent.is_dir():
        raise FormatError(
            f"{output} cannot be written: the folder {output.parent} does not exist; "
            "create it first"
        )
