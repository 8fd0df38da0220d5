from __future__ import annotations

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
from storyscope.cli.show import live_progress, say
from storyscope.experiments.annotators import has_annotators, run_study
from storyscope.experiments.report import study_facts, study_table
from storyscope.experiments.task import Benchmark


def annotators(
    folder: FolderArgument,
    method: Annotated[
        str, typer.Option("--method", "--methods", help="Method to train, as `benchmark` names it.")
    ] = "ours",
    features: FeaturesOption = None,
    simulate: Annotated[
        int, typer.Option(min=2, help="Number of annotators to simulate if there is only one.")
    ] = 5,
    folds: FoldsOption = None,
    jobs: JobsOption = ALL_CORES,
    seed: SeedOption = 0,
    output: ResultsOption = None,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Train and test on each annotator and on their agreement.

    This is the paper's table of annotators, with the upper bound for any segmentation. If videos
    have only one annotation, annotators are simulated from it, and every table says so.

    Examples:

        storyscope annotators data/bbc --method ours --json
    """
    simulated = 0 if has_annotators(folder) else simulate
    task = Benchmark(folder, chosen(features), seed=seed, simulated_people=simulated, folds=folds)
    announce(task, method, quiet=quiet)
    if simulated:
        say("one annotation only: annotators are SIMULATED by merging, splitting and shifting it")
    with live_progress(folder.name, quiet=quiet) as report:
        study = run_study(task, method, jobs=jobs, cache=results_cache(), report=report)
    facts = {"method": method, **study_facts(study)}
    show(facts, study_table(study), output=output, json=json)
