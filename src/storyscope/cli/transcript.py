from __future__ import annotations

import sys
from typing import Annotated

import typer

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    LibraryOption,
    OutputOption,
    OverwriteOption,
    VideoArgument,
    open_library,
    refuse_existing,
)
from storyscope.errors import TranscriptError, UnknownName
from storyscope.transcripts import FORMATS, write_transcript


def transcript(
    video: VideoArgument,
    form: Annotated[
        str, typer.Option("--format", help="`srt`, `vtt` or `text`.", show_default=True)
    ] = "srt",
    screen: Annotated[
        bool, typer.Option("--screen", help="Write the text on screen instead.")
    ] = False,
    sounds: Annotated[
        bool, typer.Option("--sounds", help="Write the names of sounds instead.")
    ] = False,
    output: OutputOption = None,
    overwrite: OverwriteOption = False,
    library: LibraryOption = DEFAULT_LIBRARY,
) -> None:
    """Write the transcript of a video, from subtitles or speech recognition.

    Example:

        storyscope transcript film --format vtt --output film.vtt
    """
    if form not in FORMATS:
        raise UnknownName(f"no transcript format called {form!r}; choose from {', '.join(FORMATS)}")
    refuse_existing(output, overwrite)
    opened = open_library(library)
    words = opened.transcript(video, screen=screen, sounds=sounds)
    if words is None:
        raise TranscriptError(f"{video} has no {_missing(screen=screen, sounds=sounds)}")
    text = write_transcript(words, form)
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, encoding="utf-8")


def _missing(*, screen: bool, sounds: bool) -> str:
    """What a video does not have, and how to get it."""
    if sounds:
        return "names of sounds; run `storyscope models get sounds` and add it again"
    if screen:
        return "text on screen; add it again with transcripts.screen=on"
    return "transcript; add it again with --transcript FILE or transcripts.speech=auto"
