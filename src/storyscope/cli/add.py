from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, LibraryOption, QuietOption, open_library
from storyscope.cli.show import live_progress, say


def add(
    videos: Annotated[
        list[Path], typer.Argument(metavar="VIDEO...", help="Video files, or folders of them.")
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    transcript: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Subtitles or transcript of the one video given."),
    ] = None,
    preset: Annotated[
        str | None, typer.Option(help="`paper` for every part as the paper has it.")
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="ROOM.NAME=VALUE", help="Change a setting for this run."),
    ] = None,
    again: Annotated[bool, typer.Option(help="Forget finished stages and start over.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Index videos: find their shots, describe them, and part them into stories.

    Files and folders may be mixed. A bad file is named at the end and the others go on; a run
    that was interrupted resumes where it stopped; an unchanged video costs nothing.

    Examples:

        storyscope add film.mp4

        storyscope add film.mp4 --transcript film.srt

        storyscope add ~/Films more/*.mkv --library archive

        storyscope add film.mp4 --set stories.penalty=0.2
    """
    from storyscope.errors import StoryscopeError
    from storyscope.media import find_videos

    paths = find_videos(videos)
    if transcript is not None and len(paths) != 1:
        raise StoryscopeError(
            f"--transcript belongs to one video, but {len(paths)} were given; "
            "name one, or lay each transcript beside its video under the same name"
        )
    shelf = open_library(library).with_settings(setting or [], preset=preset)
    failures = []
    for number, path in enumerate(paths, start=1):
        title = path.name if len(paths) == 1 else f"{number}/{len(paths)} {path.name}"
        try:
            with live_progress(title, quiet=quiet) as report:
                video = shelf.add(path, transcript=transcript, again=again, report=report)
            count = len(shelf.stories(video.id))
            say(f"{video.id}: {count} {'story' if count == 1 else 'stories'}", quiet=quiet)
        except StoryscopeError as error:
            failures.append(f"{path}: {error}" if str(path) not in str(error) else str(error))
    if failures:
        if len(paths) == 1:
            raise StoryscopeError(failures[0])
        lines = "\n  ".join(failures)
        raise StoryscopeError(f"{len(failures)} of {len(paths)} videos failed:\n  {lines}")
