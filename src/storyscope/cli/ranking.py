from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from storyscope.cli.experiments import ResultsOption, show
from storyscope.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, QuietOption
from storyscope.cli.show import live_progress
from storyscope.experiments.thumbnails import judge_thumbnails, swapped_facts, swapped_table


def ranking(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DIR]",
            help="Folder of films; those of the library by default.",
            show_default="",
        ),
    ] = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    output: ResultsOption = None,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Measure how well frames are ranked by beauty.

    The table shows the percentage of pairs of a good frame and a degraded copy of it that the
    rankers put in the wrong order; each film is left out of training in turn.

    Examples:

        storyscope ranking films/

        storyscope ranking --library archive
    """
    place = folder or library
    with live_progress(place.name, quiet=quiet) as report:
        rows = judge_thumbnails(place, report=report)
    show(swapped_facts(rows), swapped_table(rows), output=output, json=json)
