from __future__ import annotations

from typing import Annotated

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, open_local_library
from storyscope.cli.show import print_json, print_table, say


def config(
    settings: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ROOM.NAME=VALUE]...", help="Settings to keep in the library."),
    ] = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    preset: Annotated[
        str | None, typer.Option(help="Start from `default`, `paper` or `paper-lite`.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show or change the settings of the library; they are kept in its storyscope.toml.

    Examples:

        storyscope config

        storyscope config features.keyframes_per_shot=5 stories.method=cluster

        storyscope config --preset paper
    """
    from dataclasses import asdict

    from storyscope.config import describe_settings

    shelf = open_local_library(library, create=True)
    if settings or preset:
        shelf.keep_settings(settings or [], preset=preset)
        say(f"kept in {shelf.place}; the next `storyscope add` recomputes what they touch")
    if json:
        print_json(asdict(shelf.config))
        return
    rows = [(name, str(value), words) for name, value, words in describe_settings(shelf.config)]
    print_table("setting", "value", "what it does", rows=rows)
