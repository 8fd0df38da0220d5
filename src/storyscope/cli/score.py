from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    time_option,
    video_ids,
)
from storyscope.cli.show import print_json
from storyscope.cli.versions import FpsOption, TierOption, versions_of
from storyscope.core import count_stories
from storyscope.errors import AnnotationError
from storyscope.evaluate import boundary_score, coverage_overflow, mean_iou
from storyscope.formats import on_one_scale

EndOption = Annotated[
    float | None, time_option("End of the video, if no file contains it: a position, or a time")
]


def score(
    truth: Annotated[
        str,
        typer.Argument(
            metavar="TRUTH",
            help="The true stories: a file, or a video as film or film:ann.",
            autocompletion=video_ids,
        ),
    ],
    found: Annotated[
        str | None,
        typer.Argument(
            metavar="[FOUND]",
            help="The stories to score; by default the automatic ones of the same video.",
            show_default=False,
            autocompletion=video_ids,
        ),
    ] = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    fps: FpsOption = None,
    end: EndOption = None,
    tier: TierOption = None,
    tolerance: Annotated[
        float | None,
        time_option("Also score boundaries, with this tolerance (a time, or positions)"),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Compare found stories with true ones: mean IoU, coverage, overflow.

    Files may be anything `storyscope import` reads, in any combination. You can also give the id of
    a video in the library: as TRUTH it stands for the version that a person made, as FOUND for the
    automatic one; film:ann is ann's version of film.

    Examples:

        storyscope score truth.json found.json

        storyscope score film:ann

        storyscope score film:ann film:bob

        storyscope score truth.eaf chapters.vtt --tolerance 2 --json

        storyscope score truth_frames.json found.csv --fps 25
    """
    if found is None:
        if Path(truth).exists():
            raise AnnotationError(f"give a second file to compare {truth} with")
        found = truth.partition(":")[0]
    written = []
    for name, automatic in ((truth, False), (found, True)):
        versions = versions_of(name, library, tier=tier, fps=fps, automatic=automatic)
        if len(versions) != 1:
            names = ", ".join(each.annotator for each in versions)
            raise AnnotationError(
                f"{name} has {len(versions)} versions ({names}), and one is scored at a time; "
                f"give a person as {name}:{versions[0].annotator}, or a tier with --tier"
            )
        written += versions
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
    typer.echo(f"{count_stories(len(found_stories))} found, {len(true_stories)} true")
    for name, value in facts.items():
        typer.echo(f"{name.replace('_', ' '):<18} {value:.4f}")
