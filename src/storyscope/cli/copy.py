from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from storyscope.cli.options import JsonOption, QuietOption, open_local_library
from storyscope.cli.show import print_json, resumable, say
from storyscope.library.copying import copy_library


def copy(
    source: Annotated[Path, typer.Argument(metavar="FROM", help="Folder or address to read.")],
    target: Annotated[Path, typer.Argument(metavar="TO", help="Folder or address to write.")],
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Copy a library between a folder and PostgreSQL, in either direction.

    Everything that was indexed, annotated, learned and set is copied; films stay where they are,
    except uploads. Each artefact is verified after copying. An interrupted copy resumes; what is
    already there is not copied again.

    Examples:

        storyscope copy ~/.storyscope 'postgresql://db.example/films?arrays=/shared/arrays'

        storyscope copy 'postgresql://db.example/films?arrays=/shared/arrays' backup
    """
    library, other = open_local_library(source), open_local_library(target, create=True)
    with resumable():
        copied = copy_library(
            library, other, follow=lambda video: say(f"{video}: copying", quiet=quiet or json)
        )
    if json:
        print_json(asdict(copied))
    parts = f"{_count(copied.artefacts, 'artefact')}, {_count(copied.annotations, 'annotation')}"
    learned = _count(len(copied.documents), "document")
    say(
        f"copied {_count(len(copied.videos), 'video')} ({parts}) and {learned}; "
        f"{_count(len(copied.there), 'video')} there already",
        quiet=json,
    )
    for video, reason in copied.refused.items():
        say(f"{video} was not copied: {reason}")
    if copied.refused:
        raise typer.Exit(1)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
