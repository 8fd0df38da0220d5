from __future__ import annotations

from storyscope.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, open_library
from storyscope.cli.show import print_json, say


def list(library: LibraryOption = DEFAULT_LIBRARY, json: JsonOption = False) -> None:
    """List the videos of the library; the id is what every command takes as VIDEO.

    Examples:

        storyscope list

        storyscope list --json | jq '.videos[].id'
    """
    shelf = open_library(library)
    facts = shelf.facts()
    if json:
        print_json({"videos": facts})
        return
    if not facts:
        say(f"The library {library} is empty; add a film with `storyscope add VIDEO`.")
        return
    from rich.console import Console
    from rich.table import Table

    from storyscope.core import format_time

    table = Table("id", "length", "stories", "state", "file", box=None, header_style="bold")
    for video in facts:
        state = video["state"] if not video["failure"] else f"failed: {video['failure']}"
        count = str(video["stories"]) if video["state"] == "ready" else ""
        table.add_row(video["id"], format_time(video["duration"]), count, state, video["path"])
    Console().print(table)
