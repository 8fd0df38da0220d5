from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from storyscope.cli.options import JsonOption
from storyscope.cli.score import EndOption, FpsOption, TierOption
from storyscope.cli.show import print_json, say


def agree(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="One person's stories.")],
    cuts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Stories may begin only where one of this file does, say its shots.",
        ),
    ] = None,
    fps: FpsOption = None,
    end: EndOption = None,
    tier: TierOption = None,
    time_limit: Annotated[
        float, typer.Option(min=0.0, help="Seconds after which the best found so far is printed.")
    ] = 60.0,
    as_in_paper: Annotated[
        bool, typer.Option("--as-in-paper", help="Use the paper's approximate program instead.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Find the stories that agree most with several people, proven best.

    Files may be anything `storyscope import` reads, in any mixture.

    Examples:

        storyscope agree anna.json bob.json carol.json

        storyscope agree anna.eaf bob.vtt carol.csv --json > agreement.json
    """
    from storyscope import evaluate
    from storyscope.formats import on_one_scale, read_annotations

    written = [each for file in files for each in read_annotations(file, tier=tier, fps=fps)]
    allowed = [] if cuts is None else read_annotations(cuts, tier=tier, fps=fps)[:1]
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
    typer.echo(f"{len(starts)} stories, mean IoU {best.mean_iou:.4f} with {len(people)} people")
    for person, segmentation in zip(written, people, strict=True):
        iou = evaluate.mean_iou(best.segmentation, segmentation)
        typer.echo(f"  {person.annotator:<24} {iou:.4f}  {len(segmentation)} stories")
    if not best.exact:
        say(f"not proven best: none agrees more than {best.bound:.4f}")
