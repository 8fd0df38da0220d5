from __future__ import annotations

from storyscope.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, named, open_library
from storyscope.cli.show import print_json, print_table, say


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
        say(f"The library {named(library)} is empty; add a film with `storyscope add VIDEO`.")
        return
    from storyscope.core import format_time

    print_table(
        "id",
        "length",
        "stories",
        "state",
        "file",
        rows=[
            (
                video["id"],
                format_time(video["duration"]),
                str(video["stories"]) if video["state"] == "ready" else "",
                f"failed: {video['failure']}" if video["failure"] else video["state"],
                f"{video['path']} (missing)" if video.get("missing") else video["path"],
            )
            for video in facts
        ],
    )
    if any(video.get("missing") for video in facts):
        say("Films that are missing were moved or deleted: `storyscope relink FOLDER` finds them.")
