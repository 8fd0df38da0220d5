"""Options and output shared by the commands on benchmark folders."""

from __future__ import annotations

import json as json_text
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from storyscope.cli.show import print_json, say
from storyscope.core import counted
from storyscope.errors import AnnotationError
from storyscope.experiments.conditions import conditions
from storyscope.experiments.task import left_out, videos_of
from storyscope.models import cache_folder

if TYPE_CHECKING:
    from storyscope.experiments.task import Benchmark

FolderArgument = Annotated[
    Path,
    typer.Argument(metavar="DIR", help="Videos with true stories.", show_default=False),
]
FeaturesOption = Annotated[
    str | None,
    typer.Option(help="Features to use, such as vgg19,hsv; by default those that all videos have."),
]
FoldsOption = Annotated[
    int | None,
    typer.Option(min=1, help="Number of videos to test on, spread over DIR."),
]
JobsOption = Annotated[int, typer.Option(min=1, help="Number of processes.")]
SeedOption = Annotated[int, typer.Option(help="Random seed.")]
ResultsOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="DIR", help="Write JSON, tables and pictures here."),
]
ALL_CORES = os.cpu_count() or 1


def chosen(features: str | None) -> tuple[str, ...] | None:
    """The names in a list written as `vgg19,hsv`."""
    return tuple(name.strip() for name in features.split(",")) if features else None


def announce(task: Benchmark, what: str, *, quiet: bool) -> None:
    """Print which videos are scored and which are left out; raise an error if a folder has none."""
    for name, reason in left_out(task).items():
        say(f"left out: {name} {reason}", quiet=quiet)
    videos = videos_of(task)
    if not videos:
        wanted = ", ".join(task.features or ())
        raise AnnotationError(f"no video of {task.folder} has {wanted}; name features it has")
    say(f"{counted(len(videos), 'video')}, {', '.join(videos[0].features)}: {what}", quiet=quiet)


def results_cache() -> Path:
    """Folder of cached results of all benchmarks."""
    return cache_folder() / "benchmarks"


def show(facts: Mapping[str, Any], tables: str, *, output: Path | None, json: bool) -> None:
    """Print facts or tables, and write both to the output folder if there is one."""
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        text = json_text.dumps(facts, indent=2) + "\n"
        (output / "benchmark.json").write_text(text, encoding="utf-8")
        page = f"{tables.rstrip()}\n\n{conditions()}\n"
        (output / "benchmark.md").write_text(page, encoding="utf-8")
    if json:
        print_json(facts)
    else:
        typer.echo(tables)
