from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, LibraryOption, QuietOption, named
from storyscope.cli.show import say
from storyscope.library.backups import restore_database


def restore(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="File that `storyscope backup` wrote.")
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    quiet: QuietOption = False,
) -> None:
    """Restore the library's database from a backup.

    The current database is kept in the library's `backups`. Run `storyscope check --repair`
    afterwards: it indexes again what was indexed since the backup.

    Example:

        storyscope restore ~/.storyscope/backups/daily-2026-11-16.sqlite
    """
    kept = restore_database(named(library), file)
    say(f"restored the database from {file}", quiet=quiet)
    if kept is not None:
        say(f"the previous one is kept as {kept}", quiet=quiet)
