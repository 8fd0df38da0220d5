from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    VideoArgument,
    check_folder,
    open_library,
)
from storyscope.cli.show import print_json, print_table, say
from storyscope.core import format_time
from storyscope.cues import evidence_labels
from storyscope.library.explaining import draw_importance
from storyscope.report import boundary_sheet

if TYPE_CHECKING:
    from storyscope.library import Library

BAR = 24
OF_TIME = "the lengths of the shots around a boundary"


def explain(
    video: VideoArgument,
    library: LibraryOption = DEFAULT_LIBRARY,
    granularity: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="From 0 (few long stories) to 1 (many short ones)."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png", help="Draw how much each cue matters as a bar chart."),
    ] = None,
    sheet: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png", help="Draw the frames and words around each boundary."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Explain each boundary: its confidence, the cues that support it, and what is around it.

    A cue's number is its share in the decision: how much the boundary's score would drop without
    it. A negative number is evidence against the boundary. Below it are the last frame and words
    before the boundary, and the first ones after it. The bars show how much each cue matters over
    the whole video, by averaged absolute gradients.

    Examples:

        storyscope explain film

        storyscope explain film --sheet boundaries.png --plot importance.png

        storyscope explain film --json
    """
    for file in filter(None, (plot, sheet)):
        check_folder(file)
    opened = open_library(library)
    reasons = opened.explain(video, granularity=granularity)
    matters = opened.cue_importance(video)
    if plot is not None:
        draw_importance(f"Importance of cues in {video}", matters, plot)
    if sheet is not None:
        _draw(opened, video, reasons, sheet)
    if not json:
        _show(reasons, matters)
        return
    print_json({"video": video, "boundaries": reasons, "importance": matters})


def _show(reasons: Sequence[Mapping[str, Any]], matters: Mapping[str, float]) -> None:
    cues = list(matters)
    rows = [
        (
            format_time(reason["start"]),
            f"{reason['confidence']:.0%}",
            *(f"{reason['cues'][cue]:+.0%}" for cue in cues),
        )
        for reason in reasons
    ]
    print_table("boundary", "confidence", *cues, rows=rows)
    around = [
        (format_time(reason["start"]), *map(_side, reason["frames"], reason["words"], ("…", "")))
        for reason in reasons
    ]
    print_table("boundary", "before", "after", rows=around)
    bars = [(cue, "█" * round(BAR * share), f"{share:.0%}") for cue, share in matters.items()]
    print_table("cue", "importance", "", rows=bars)
    labels = evidence_labels()
    for cue in cues:
        meaning = f"{labels.get(cue, cue)}, {OF_TIME}" if cue == "time" else labels.get(cue, cue)
        say(f"{cue}: {meaning}")


def _side(seconds: float | None, words: str, lead: str) -> str:
    """One side of a boundary: the frame next to it, and the words spoken there."""
    frame = "" if seconds is None else f"frame at {format_time(seconds, decimals=1)}"
    return f"{frame} “{lead}{words}”" if words else frame


def _pictures(library: Library, video: str, reason: Mapping[str, Any]) -> list[str | None]:
    return [None if at is None else str(library.picture(video, at)) for at in reason["frames"]]


def _draw(library: Library, video: str, reasons: Sequence[Mapping[str, Any]], path: Path) -> None:
    boundary_sheet(
        f"Boundaries of {video}",
        [(each, _pictures(library, video, each)) for each in reasons],
        path,
    )
