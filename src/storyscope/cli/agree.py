from __future__ import annotations

from typing import Annotated

import typer

from storyscope import evaluate
from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    time_option,
    video_ids,
)
from storyscope.cli.score import EndOption
from storyscope.cli.show import print_json, say
from storyscope.cli.versions import FpsOption, TierOption, shot_starts, versions_of
from storyscope.core import count_stories, counted
from storyscope.formats import on_one_scale


def agree(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="People's stories: files, or videos as film or film:ann.",
            autocompletion=video_ids,
        ),
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    cuts: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Stories may begin only where one of this file does, or a shot of this video.",
        ),
    ] = None,
    fps: FpsOption = None,
    end: EndOption = None,
    tier: TierOption = None,
    time_limit: Annotated[
        float, time_option("Maximum time to search before the best so far is printed")
    ] = 60.0,
    as_in_paper: Annotated[
        bool, typer.Option("--as-in-paper", help="Use the paper's approximate algorithm instead.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Find the segmentation that agrees most with several annotators, with a proof.

    Files may be anything `storyscope import` reads, in any combination. A video of the library has
    the versions of everybody who annotated it; film:ann is ann's version of film.

    Examples:

        storyscope agree anna.json bob.json carol.json

        storyscope agree film --cuts film

        storyscope agree anna.eaf bob.vtt carol.csv --json > agreement.json
    """
    written = [each for name in files for each in versions_of(name, library, tier=tier, fps=fps)]
    allowed = [] if cuts is None else [shot_starts(cuts, library, tier=tier, fps=fps)]
    scale = on_one_scale([*written, *allowed], fps=fps, end=end)
    people = scale.segmentations[: len(written)]
    positions = None if cuts is None else scale.segmentations[-1].starts
    if as_in_paper:
        best = evaluate.agree_as_in_paper(people, positions)
    else:
        best = evaluate.agree(people, positions, time_limit=time_limit)
    starts, (last,) = (
        scale.written(best.segmentation.starts),
        scale.written([best.segmentation.end]),
    )
    if json:
        facts = {"starts": starts, "end": last, "mean_iou": best.mean_iou, "exact": best.exact}
        print_json(facts if best.exact else {**facts, "bound": best.bound})
        return
    typer.echo(" ".join(f"{start:g}" for start in starts))
    whom = counted(len(people), "person", "people")
    typer.echo(f"{count_stories(len(starts))}, mean IoU {best.mean_iou:.4f} with {whom}")
    for person, segmentation in zip(written, people, strict=True):
        iou = evaluate.mean_iou(best.segmentation, segmentation)
        typer.echo(f"  {person.annotator:<24} {iou:.4f}  {count_stories(len(segmentation))}")
    if not best.exact:
        say(f"not proven optimal: upper bound {best.bound:.4f}")
