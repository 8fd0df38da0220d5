from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from storyscope.cli.options import JsonOption
from storyscope.cli.show import print_json

FpsOption = Annotated[
    float | None,
    typer.Option(min=0.001, help="Frames a second: positions are frames, and scored as such."),
]
EndOption = Annotated[
    float | None, typer.Option(min=0.001, help="Where the video ends, if no file says it.")
]
TierOption = Annotated[str | None, typer.Option(help="Tier of ELAN files that holds the stories.")]


def score(
    truth: Annotated[Path, typer.Argument(metavar="TRUTH", help="The true stories.")],
    found: Annotated[Path, typer.Argument(metavar="FOUND", help="The stories to judge.")],
    fps: FpsOption = None,
    end: EndOption = None,
    tier: TierOption = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            min=0.0, help="Also judge boundaries one by one, this far off (seconds or positions)."
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Judge found stories by true ones: mean IoU, coverage, overflow.

    Files may be anything `storyscope import` reads, in any mixture.

    Examples:

        storyscope score truth.json found.json

        storyscope score truth.eaf chapters.vtt --tolerance 2 --json

        storyscope score truth_frames.json found.csv --fps 25
    """
    from storyscope.errors import AnnotationError
    from storyscope.evaluate import boundary_score, coverage_overflow, mean_iou
    from storyscope.formats import on_one_scale, read_annotations

    written = []
    for file in (truth, found):
        annotations = read_annotations(file, tier=tier, fps=fps)
        if len(annotations) != 1:
            names = ", ".join(each.annotator for each in annotations)
            raise AnnotationError(
                f"{file} holds {len(annotations)} annotations ({names}); one is scored at a time"
            )
        written += annotations
    scale = on_one_scale(written, fps=fps, end=end)
    true_stories, found_stories = scale.segmentations
    parts = coverage_overflow(found_stories, true_stories)
    facts = {
        "mean_iou": mean_iou(true_stories, found_stories),
        "coverage": parts.coverage,
        "overflow": parts.overflow,
        "f_score": parts.f_score,
    }
    if tolerance is not None:
        reach = round(tolerance * scale.per_unit)
        boundaries = boundary_score(found_stories, true_stories, tolerance=reach)
        facts |= {
            "boundary_precision": boundaries.precision,
            "boundary_recall": boundaries.recall,
            "boundary_f1": boundaries.f1,
        }
    if json:
        print_json(facts)
        return
    typer.echo(f"{len(found_stories)} stories found, {len(true_stories)} true")
    for name, value in facts.items():
        typer.echo(f"{name.replace('_', ' '):<18} {value:.4f}")
