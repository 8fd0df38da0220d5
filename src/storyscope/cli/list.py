from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from storyscope.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, named, open_library
from storyscope.cli.show import print_json, print_table, say
from storyscope.core import format_time
from storyscope.library import LocalLibrary
from storyscope.stages.words import stage_words

if TYPE_CHECKING:
    from storyscope.library import Library


def list(library: LibraryOption = DEFAULT_LIBRARY, json: JsonOption = False) -> None:
    """List the videos of the library; the id is what every command takes as VIDEO.

    Examples:

        storyscope list

        storyscope list --json | jq '.videos[].id'
    """
    opened = open_library(library)
    facts = opened.facts()
    if json:
        print_json({"videos": facts})
        return
    for line in _progress(opened):
        say(line)
    if not facts:
        say(f"The library {named(library)} is empty; add a video with `storyscope add VIDEO`.")
        return

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
                f"failed: {video['failure']}" if video["state"] == "failed" else video["state"],
                f"{video['path']} (missing)" if video.get("missing") else video["path"],
            )
            for video in facts
        ],
        whole=("id",),
    )
    for video in facts:
        if any(video["id"] < other for other in video.get("same_film", ())):
            say(f"{video['id']} is the same video as {', '.join(video['same_film'])}.")
    if any(video["state"] == "stopped" for video in facts):
        say("Add stopped videos again to resume them.")
    if any(video.get("missing") for video in facts):
        say("Files that are missing were moved or deleted: `storyscope relink FOLDER` finds them.")


def _progress(library: Library) -> Iterator[str]:
    """Print the progress of videos that servers and clusters are indexing."""
    jobs = library.jobs() if isinstance(library, LocalLibrary) else []
    for job in jobs:
        if job["state"] == "indexing" and job["stage"]:
            yield f"{job['name']}: {stage_words(job['stage'])}, {job['fraction']:.0%}"
    waiting = sum(job["state"] == "waiting" for job in jobs)
    if waiting:
        yield f"{waiting} {'video waits' if waiting == 1 else 'videos wait'} to be indexed"
