from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from storyscope.cli.options import JsonOption, QuietOption, open_local_library
from storyscope.cli.show import live_progress, say
from storyscope.core import counted
from storyscope.errors import InvalidSetting, MissingDependency
from storyscope.experiments.benchmark import run_methods
from storyscope.experiments.methods import DEFAULT_METHODS, METHODS
from storyscope.experiments.nested import NestedStudy, facts_of, run_nested, table_of
from storyscope.experiments.picture import write_stories
from storyscope.experiments.protocols import protocol_called
from storyscope.experiments.report import benchmark_report
from storyscope.experiments.task import Benchmark, judged_videos, left_out
from storyscope.library.benchmark_folder import write_benchmark

if TYPE_CHECKING:
    from storyscope.experiments.benchmark import Outcome
    from storyscope.progress import Report


def benchmark(
    folder: FolderArgument,
    library: Annotated[
        Path | None,
        typer.Option(
            "--library",
            metavar="DIR",
            help="Write DIR from the annotated videos of this library first.",
        ),
    ] = None,
    annotator: Annotated[
        str | None,
        typer.Option(
            help="Annotator whose stories are the truth (--library); by default their agreement."
        ),
    ] = None,
    protocol: Annotated[
        str, typer.Option(help="`leave-one-out`, or `pretrained` for a model trained elsewhere.")
    ] = "leave-one-out",
    features: FeaturesOption = None,
    methods: Annotated[
        str | None,
        typer.Option(help="Methods to run, the main one first, or `all`."),
    ] = None,
    train: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Other videos to train on (`pretrained`).")
    ] = None,
    nested: Annotated[
        bool,
        typer.Option(
            "--nested", help="Choose our settings for each video on the other videos only."
        ),
    ] = False,
    also: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Train on these videos too (--nested).")
    ] = None,
    folds: FoldsOption = None,
    jobs: JobsOption = ALL_CORES,
    seed: SeedOption = 0,
    seeds: Annotated[
        int, typer.Option(min=1, help="Number of seeds to train with; the mean is reported.")
    ] = 1,
    output: ResultsOption = None,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Measure story detection on videos whose stories are known.

    DIR contains a folder for each video with a video.json and its features. Trivial baselines
    (uniform cuts with the true number of stories, one story per shot) are always in the table.
    Results are cached: an interrupted run resumes where it stopped. With --library, the folder is
    created from the annotated videos of your own library.

    Examples:

        storyscope benchmark data/bbc --features vgg19,hsv

        storyscope benchmark mine --library archive

        storyscope benchmark data/bbc --features vgg19,hsv --methods ours --seeds 3

        storyscope benchmark data/ovsd --protocol pretrained --train data/bbc --features vgg19

        storyscope benchmark data/ovsd --nested --also data/bbc --features vgg19,hsv -o results
    """
    if library is not None:
        _build(library, folder, annotator, quiet=quiet)
    if nested:
        every = tuple(range(seed, seed + seeds))
        with live_progress(folder.name, quiet=quiet) as report:
            facts, table = _nested(folder, features, train, also, every, jobs, report)
        show(facts, table, output=output, json=json)
        return

    protocol_called(protocol)
    names = _names(methods)
    task = Benchmark(folder, chosen(features), protocol, train, seed, folds=folds)
    announce(task, ", ".join(names), quiet=quiet)
    outcomes: dict[int, Outcome] = {}
    with live_progress(folder.name, quiet=quiet) as report:
        for each in range(seed, seed + seeds):
            again = replace(task, seed=each)
            outcomes[each] = run_methods(
                again, names, jobs=jobs, cache=results_cache(), report=report
            )
    not_run = outcomes[seed].unavailable
    for name, reason in not_run.items():
        say(f"not run: {name}: {reason}")
    if not outcomes[seed].scores:
        raise MissingDependency("no method could be run; see above")
    of_seeds = {each: outcome.scores for each, outcome in outcomes.items()}
    scores, facts, tables = benchmark_report(of_seeds, judged_videos(task))
    facts |= {"left_out": dict(left_out(task)), "not_run": dict(not_run)}
    show(facts, tables, output=output, json=json)
    if output is not None:
        write_stories(output, scores)


def _build(library: Path, folder: Path, annotator: str | None, *, quiet: bool) -> None:
    videos = write_benchmark(open_local_library(library), folder, annotator=annotator)
    say(f"wrote {counted(len(videos), 'video')} to {folder}: {', '.join(videos)}", quiet=quiet)


def _nested(
    folder: Path,
    features: str | None,
    train: Path | None,
    also: Path | None,
    seeds: tuple[int, ...],
    jobs: int,
    report: Report,
) -> tuple[dict[str, Any], str]:
    names = chosen(features)
    if not names:
        raise InvalidSetting("--nested compares cues by name; give --features, such as vgg19,hsv")
    study = NestedStudy(folder, names, train=train, also=also, seeds=seeds)
    facts = facts_of(study, run_nested(study, jobs=jobs, report=report))
    return facts, table_of(facts)


def _names(methods: str | None) -> list[str]:
    if methods is None:
        return [*DEFAULT_METHODS]
    names = METHODS if methods == "all" else (name.strip() for name in methods.split(","))
    return [*dict.fromkeys(names)]
