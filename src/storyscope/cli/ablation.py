from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from storyscope.cli.experiments import (
    ALL_CORES,
    FeaturesOption,
    FolderArgument,
    FoldsOption,
    JobsOption,
    ResultsOption,
    SeedOption,
    announce,
    chosen,
    results_cache,
    show,
)
from storyscope.cli.options import JsonOption, QuietOption
from storyscope.cli.show import live_progress
from storyscope.experiments.ablation import Ablation
from storyscope.experiments.task import Benchmark


def ablation(
    folder: FolderArgument,
    features: FeaturesOption = None,
    train: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Other videos to train on, in a separate table."),
    ] = None,
    folds: FoldsOption = None,
    jobs: JobsOption = ALL_CORES,
    seed: SeedOption = 0,
    output: ResultsOption = None,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Measure what each part of story detection contributes.

    Shot times alone, then with one more feature at a time; the paper's embeddings compared with
    ours; and, with --train, training on another collection.

    Examples:

        storyscope ablation data/bbc --train data/ovsd --features vgg19,hsv --folds 3
    """
    task = Benchmark(folder, chosen(features), seed=seed, folds=folds)
    announce(task, "ablation", quiet=quiet)
    with live_progress(folder.name, quiet=quiet) as report:
        parts = Ablation(task, train, jobs=jobs, cache=results_cache(), report=report)
        tables = parts.tables()
    facts = {
        table.title: [dict(zip(table.header, row, strict=True)) for row in table.rows]
        for table in tables
    }
    show(facts, "\n".join(table.text for table in tables), output=output, json=json)
