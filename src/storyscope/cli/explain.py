from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    VideoArgument,
    open_library,
)
from storyscope.cli.show import print_json, print_table

BAR = 24


def explain(
    video: VideoArgument,
    library: LibraryOption = DEFAULT_LIBRARY,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png", help="Draw how much each cue matters as a bar chart."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Say why each boundary is where it is: how sure, and which cues speak for it.

    A cue's number is its share in the decision, by what the boundary's score loses without it;
    below 0 it speaks against the boundary.
    The bars show how much each cue matters over the whole video, by averaged absolute gradients.

    Examples:

        storyscope explain film

        storyscope explain film --plot importance.png

        storyscope explain film --json
    """
    from storyscope.library.explaining import draw_importance

    shelf = open_library(library)
    reasons = shelf.explain(video)
    matters = shelf.cue_importance(video)
    if plot is not None:
        draw_importance(f"What matters in {video}", matters, plot)
    if not json:
        _show(reasons, matters)
        return
    print_json({"video": video, "boundaries": reasons, "importance": matters})


def _show(reasons: Sequence[Mapping[str, Any]], matters: Mapping[str, float]) -> None:
    from storyscope.core import format_time

    cues = list(matters)
    rows = [
        (
            format_time(reason["start"]),
            f"{reason['confidence']:.0%}",
            *(f"{reason['cues'][cue]:+.0%}" for cue in cues),
        )
        for reason in reasons
    ]
    print_table("boundary", "sure", *cues, rows=rows)
    bars = [(cue, "█" * round(BAR * share), f"{share:.0%}") for cue, share in matters.items()]
    print_table("cue", "importance", "", rows=bars)
