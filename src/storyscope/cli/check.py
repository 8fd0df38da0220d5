from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, open_local_library
from storyscope.cli.show import print_json, say
from storyscope.library.checking import check_library


def check(
    library: LibraryOption = DEFAULT_LIBRARY,
    repair: Annotated[
        bool, typer.Option("--repair", help="Rebuild what is damaged, if possible.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Check the whole library for damage; the exit code is 1 while there is any.

    Every file is checked against its digest, and every film against its recorded path; the database
    is checked for missing files. `--repair` indexes damaged videos again, stage by stage, and
    deletes files that belong to no video. Annotations are never touched.

    Examples:

        storyscope check

        storyscope check --repair
    """
    problems = check_library(open_local_library(library), repair=repair)
    if json:
        print_json({"problems": [asdict(problem) for problem in problems]})
    for problem in problems:
        ending = "repaired" if problem.repaired else problem.advice
        say(f"{problem.what}: {ending}" if ending else problem.what, quiet=json)
    left = [problem for problem in problems if not problem.repaired]
    if not problems:
        say("No damage found.", quiet=json)
    if left:
        raise typer.Exit(1)
