from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, open_library
from storyscope.cli.show import print_json, say


def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What marks the stories; a film with chapters.")
    ],
    video: Annotated[
        str, typer.Option(metavar="VIDEO", help="Id of the video, as `storyscope list` shows it.")
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    annotator: Annotated[
        str | None, typer.Option(help="Whose version it is; the file's name by default.")
    ] = None,
    tier: Annotated[
        str | None, typer.Option(help="Tier of an ELAN file that holds the stories.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Write over a version of the same name.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Bring in stories that people marked elsewhere, ready to train, score and agree.

    FILE may be WebVTT, ffmpeg metadata, Matroska chapter XML, OTIO, FCPXML, EDL, ELAN (several
    tiers are several annotators), CSV, JSON, YouTube chapter lines, or a film with chapters inside.

    Examples:

        storyscope import chapters.vtt --video film --annotator ann

        storyscope import annotations.eaf --video film

        storyscope import film.mkv --video film --annotator publisher
    """
    from storyscope.library.exchange import import_annotations

    shelf = open_library(library)
    kept = import_annotations(
        shelf, file, video, annotator=annotator, tier=tier, replace_kept=replace
    )
    if json:
        people = [{"annotator": each.annotator, "stories": len(each.starts)} for each in kept]
        print_json({"video": video, "annotations": people})
        return
    for each in kept:
        say(f"{each.annotator}'s version of {video} has {len(each.starts)} stories")
