from __future__ import annotations

from typing import Annotated

import typer

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    open_library,
    video_ids,
)
from storyscope.cli.show import print_json, say
from storyscope.core import count_stories
from storyscope.errors import AnnotationError
from storyscope.library.exchange import import_annotations, import_chapters


def import_(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="File that marks the stories; with --chapters, id of a video.",
            autocompletion=video_ids,
        ),
    ],
    video: Annotated[
        str | None,
        typer.Option(
            metavar="VIDEO",
            help="Id of the video, as `storyscope list` shows it.",
            autocompletion=video_ids,
        ),
    ] = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    annotator: Annotated[
        str | None,
        typer.Option(
            "--annotator", "--name", help="Whose version it is; the file's name by default."
        ),
    ] = None,
    chapters: Annotated[
        bool,
        typer.Option("--chapters", help="Import the chapters inside the video's own file."),
    ] = False,
    tier: Annotated[
        str | None, typer.Option(help="Tier of an ELAN or Praat file that contains the stories.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a version of the same name.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Import stories that people marked in other programs, for training, scoring and comparing.

    FILE may be WebVTT, ffmpeg metadata, Matroska chapter XML, OTIO, FCPXML, EDL, ELAN or Praat
    (several tiers are several annotators), Audacity labels, CSV, JSON, PySceneDetect's scene list,
    YouTube chapter lines, or a video file with chapters inside.

    Examples:

        storyscope import chapters.vtt --video film --annotator eve

        storyscope import annotations.eaf --video film

        storyscope import film --chapters --name editor
    """
    opened = open_library(library)
    if chapters:
        video, name = video or file, annotator or "chapters"
        kept = import_chapters(opened, video, annotator=name, replace_kept=replace)
    elif video is None:
        raise AnnotationError(
            f"give the video that {file} belongs to with --video; `storyscope list` shows their ids"
        )
    else:
        kept = import_annotations(
            opened, file, video, annotator=annotator, tier=tier, replace_kept=replace
        )
    if json:
        people = [{"annotator": each.annotator, "stories": len(each.starts)} for each in kept]
        print_json({"video": video, "annotations": people})
        return
    for each in kept:
        say(f"{each.annotator}'s version of {video} has {count_stories(len(each.starts))}")
