from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, QuietOption
from storyscope.cli.show import live_progress, print_json, say

if TYPE_CHECKING:
    from storyscope.evaluate import VideoScore
    from storyscope.evaluate.annotators import AnnotatorStudy
    from storyscope.experiments.benchmark import Benchmark
    from storyscope.progress import Report

    Scores = Mapping[str, Sequence[VideoScore]]


def benchmark(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="Videos with true stories.", show_default=False),
    ] = None,
    protocol: Annotated[
        str, typer.Option(help="`leave-one-out`, or `pretrained` for a model trained elsewhere.")
    ] = "leave-one-out",
    features: Annotated[
        str | None,
        typer.Option(help="Features to use, such as vgg19,hsv; else those all videos have."),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            help="Methods to run, the one to judge first, or `all`; else ours and its rivals."
        ),
    ] = None,
    train: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Other videos to train on (`pretrained`).")
    ] = None,
    ablation: Annotated[
        bool,
        typer.Option(
            "--ablation",
            help="Add features one by one, compare embeddings, and train on --train instead.",
        ),
    ] = False,
    folds: Annotated[
        int | None, typer.Option(min=1, help="Judge on so many videos only, spread over DIR.")
    ] = None,
    annotators: Annotated[
        bool, typer.Option("--annotators", help="Train and test on each annotator instead.")
    ] = False,
    thumbnails: Annotated[
        bool,
        typer.Option("--thumbnails", help="Judge the ranking of frames, on films, instead."),
    ] = False,
    simulate: Annotated[
        int, typer.Option(min=2, help="Annotators to make up where there is only one.")
    ] = 5,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = os.cpu_count() or 1,
    seed: Annotated[int, typer.Option(help="Seed of all that is random.")] = 0,
    seeds: Annotated[
        int, typer.Option(min=1, help="Train from so many seeds, and give the mean.")
    ] = 1,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Write JSON, tables and pictures here."),
    ] = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Judge story detection on videos whose stories are known.

    DIR holds a folder for each video with a video.json and its features. Trivial answers (uniform
    cuts with the true number of stories, one story per shot) are always in the table. What was
    computed is kept: a stopped run goes on where it stopped.

    With --thumbnails, percent of pairs of a good frame and the same frame made worse that rankers
    have in the wrong order, on the films in DIR or, without it, on those of the library.

    Examples:

        storyscope benchmark data/bbc --features vgg19,hsv

        storyscope benchmark data/bbc --features vgg19,hsv --methods ours --seeds 3

        storyscope benchmark data/ovsd --protocol pretrained --train data/bbc --features vgg19

        storyscope benchmark data/bbc --annotators --methods ours --json

        storyscope benchmark --thumbnails films/

        storyscope benchmark data/bbc --ablation --train data/ovsd --features vgg19,hsv --folds 3
    """
    if thumbnails:
        _show_thumbnails(folder or library, output, quiet, json)
        return
    if folder is None:
        raise typer.BadParameter("give DIR, the folder of the videos")
    from storyscope.errors import AnnotationError, UnknownName
    from storyscope.experiments.benchmark import Benchmark, left_out, videos_of

    if protocol not in ("leave-one-out", "pretrained"):
        raise UnknownName(f"no protocol is called {protocol!r}; choose leave-one-out or pretrained")
    if annotators and protocol == "pretrained":
        raise AnnotationError("annotators are compared by leaving one video out; drop --protocol")
    names = _names(methods)
    task = Benchmark(
        folder=folder,
        features=tuple(name.strip() for name in features.split(",")) if features else None,
        protocol="pretrained" if protocol == "pretrained" else "leave-one-out",
        train=train,
        seed=seed,
        simulated_people=simulate if annotators and not _has_people(folder) else 0,
        folds=folds,
    )
    for name, reason in left_out(task).items():
        say(f"left out: {name} {reason}", quiet=quiet)
    videos = videos_of(task)
    if not videos:
        raise AnnotationError(f"no video of {folder} has {features}; name features it has")
    what = "ablation" if ablation else ", ".join(names)
    say(f"{len(videos)} videos, {', '.join(videos[0].features)}: {what}", quiet=quiet)
    with live_progress(folder.name, quiet=quiet) as report:
        if ablation:
            _show_ablation(task, train, jobs, output, json, report)
        elif annotators:
            _show_study(task, names[0], jobs, output, json, report)
        else:
            _show_scores(task, names, seeds, jobs, output, json, report)


def _show_thumbnails(folder: Path, output: Path | None, quiet: bool, json: bool) -> None:
    from storyscope.experiments.thumbnails import judge_thumbnails, swapped_facts, swapped_table

    with live_progress(folder.name, quiet=quiet) as report:
        rows = judge_thumbnails(folder, report=report)
    facts, table = swapped_facts(rows), swapped_table(rows)
    if output is not None:
        _write(output, facts, table)
    if json:
        print_json(facts)
    else:
        typer.echo(table)


def _names(methods: str | None) -> list[str]:
    from storyscope.experiments.benchmark import DEFAULT_METHODS, METHODS

    if methods is None:
        return [*DEFAULT_METHODS]
    names = METHODS if methods == "all" else (name.strip() for name in methods.split(","))
    return [*dict.fromkeys(names)]


def _show_scores(
    task: Benchmark,
    names: Sequence[str],
    seeds: int,
    jobs: int,
    output: Path | None,
    json: bool,
    report: Report,
) -> None:
    from storyscope.errors import MissingDependency
    from storyscope.evaluate.protocol import repeated
    from storyscope.evaluate.report import (
        as_details,
        as_facts,
        as_table,
        mean_over_videos,
        seeds_table,
    )
    from storyscope.evaluate.trivial import trivial_scores
    from storyscope.experiments.benchmark import judged_videos, left_out, run_methods

    every = range(task.seed, task.seed + seeds)
    outcomes = [
        run_methods(replace(task, seed=each), names, jobs=jobs, cache=_cache(), report=report)
        for each in every
    ]
    not_run = outcomes[0].unavailable
    for name, reason in not_run.items():
        say(f"not run: {name}: {reason}")
    if not outcomes[0].scores:
        raise MissingDependency("no method could be run; see above")
    scores = {name: repeated([run.scores[name] for run in outcomes]) for name in outcomes[0].scores}
    baselines = trivial_scores(judged_videos(task))
    facts = as_facts(scores, baselines)
    facts |= {"left_out": dict(left_out(task)), "not_run": dict(not_run)}
    tables = [as_table(scores, baselines), as_details(scores, baselines)]
    if seeds > 1:
        means = {
            each: {name: mean_over_videos(of) for name, of in run.scores.items()}
            for each, run in zip(every, outcomes, strict=True)
        }
        facts |= {"seeds": means}
        tables.append(seeds_table(means))
    if output is not None:
        _write(output, facts, "\n".join(tables))
        _draw(output, scores)
    if json:
        print_json(facts)
    else:
        typer.echo("\n".join(tables))


def _show_ablation(
    task: Benchmark, train: Path | None, jobs: int, output: Path | None, json: bool, report: Report
) -> None:
    from storyscope.experiments.ablation import Ablation

    home = replace(task, protocol="leave-one-out", train=None)
    tables = Ablation(home, train, jobs=jobs, cache=_cache(), report=report).tables()
    facts = {
        table.title: [dict(zip(table.header, row, strict=True)) for row in table.rows]
        for table in tables
    }
    text = "\n".join(table.text for table in tables)
    if output is not None:
        _write(output, facts, text)
    if json:
        print_json(facts)
    else:
        typer.echo(text)


def _show_study(
    task: Benchmark, method: str, jobs: int, output: Path | None, json: bool, report: Report
) -> None:
    from storyscope.evaluate.annotators import AGREEMENT, annotator_names, study_annotators
    from storyscope.evaluate.report import study_facts, study_table
    from storyscope.experiments.benchmark import judged_videos, run_methods

    videos = judged_videos(task)
    simulated = task.simulated_people > 0
    if simulated:
        say("one annotation only: annotators are SIMULATED by merging, splitting and shifting it")
    found = {}
    for annotator in (*annotator_names(videos), AGREEMENT):
        outcome = run_methods(
            task, [method], annotator=annotator, jobs=jobs, cache=_cache(), report=report
        )
        _refuse_unavailable(outcome.unavailable)
        found[annotator] = [score.found for score in outcome.scores[method]]
    study: AnnotatorStudy = study_annotators(videos, found, simulated=simulated)
    facts = {"method": method, **study_facts(study)}
    if output is not None:
        _write(output, facts, study_table(study))
    if json:
        print_json(facts)
    else:
        typer.echo(study_table(study))


def _refuse_unavailable(reasons: Mapping[str, str]) -> None:
    from storyscope.errors import MissingDependency

    for name, reason in reasons.items():
        raise MissingDependency(f"{name} cannot be run: {reason}")


def _has_people(folder: Path) -> bool:
    """Whether the videos say what several people think."""
    from storyscope.evaluate.dataset import read_description

    files = sorted(folder.glob("*/video.json"))
    people = read_description(files[0]).get("annotations") if files else None
    return isinstance(people, dict) and len(people) > 1


def _cache() -> Path:
    from storyscope.models import cache_folder

    return cache_folder() / "benchmarks"


def _write(output: Path, facts: Mapping[str, Any], tables: str) -> None:
    import json

    output.mkdir(parents=True, exist_ok=True)
    (output / "benchmark.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    (output / "benchmark.md").write_text(tables, encoding="utf-8")


def _draw(output: Path, scores: Scores) -> None:
    """One picture for each video."""
    from storyscope.evaluate.picture import draw_stories

    for of_video in zip(*scores.values(), strict=True):
        rows = {"truth": of_video[0].truth}
        rows |= {name: score.found for name, score in zip(scores, of_video, strict=True)}
        name = of_video[0].name
        file = "".join(c if c.isalnum() else "-" for c in name.lower())
        (output / f"{file}.png").write_bytes(draw_stories(name, rows))
