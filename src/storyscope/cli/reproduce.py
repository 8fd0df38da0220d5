from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from storyscope.cli.options import JsonOption, QuietOption
from storyscope.cli.show import live_progress, print_json, say
from storyscope.experiments.conditions import conditions
from storyscope.experiments.reproduction import Reproduction
from storyscope.models import cache_folder

if TYPE_CHECKING:
    from storyscope.experiments.reproduction import Reproduction
    from storyscope.experiments.table import Table

app = typer.Typer(help="Repeat the paper's experiments on videos you own.", no_args_is_help=True)

FolderArgument = Annotated[
    Path, typer.Argument(metavar="DIR", help="The collection as it was published, with videos.")
]
OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="DIR", help="Folder for indexes, results and tables."),
]
JobsOption = Annotated[int, typer.Option(min=1, help="Number of processes.")]
BackboneOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="File of VGG-16 weights, unless `storyscope models get vgg16` has it."
    ),
]
QueryOption = Annotated[
    list[str] | None,
    typer.Option("--query", metavar="TEXT", help="Query for the retrieval table; repeatable."),
]


@app.command()
def bbc(
    folder: FolderArgument,
    output: OutputOption = None,
    backbone: BackboneOption = None,
    query: QueryOption = None,
    jobs: JobsOption = os.cpu_count() or 1,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """BBC Planet Earth: eleven episodes, five annotators.

    DIR contains annotations/shots/01_From_Pole_to_Pole.txt (a line per shot: first and last frame),
    annotations/scenes/annotator_0/01_From_Pole_to_Pole.txt (first shots of the stories, separated
    by commas), and videos and transcripts of the same name. The videos are indexed with the paper
    preset and with ours; what is finished is kept. Without videos, people's agreement is shown;
    without VGG-16 (`storyscope models get vgg16 --file FILE`) paper-lite stands in for the paper.

    Examples:

        storyscope reproduce bbc planet-earth

        storyscope reproduce bbc planet-earth --output results --jobs 4
    """
    work = partial(Reproduction, "bbc", folder, backbone=backbone, queries=query or (), jobs=jobs)
    _reproduce(work, "bbc", output, quiet, json, None)


@app.command()
def ally(
    folder: FolderArgument,
    output: OutputOption = None,
    trained_on_bbc: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Output of `reproduce bbc`, to train on as well."),
    ] = None,
    backbone: BackboneOption = None,
    query: QueryOption = None,
    jobs: JobsOption = os.cpu_count() or 1,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Ally McBeal: four episodes of the first season.

    DIR contains annotations/*.csv, one table per episode with a line per shot (first frame, last
    frame, story), and videos and transcripts of the same name.

    Examples:

        storyscope reproduce ally ally-mcbeal --trained-on-bbc results
    """
    work = partial(Reproduction, "ally", folder, backbone=backbone, queries=query or (), jobs=jobs)
    _reproduce(work, "ally", output, quiet, json, trained_on_bbc)


def _reproduce(
    prepare: Callable[..., Reproduction],
    kind: str,
    output: Path | None,
    quiet: bool,
    json: bool,
    trained_on_bbc: Path | None,
) -> None:
    from dataclasses import asdict

    place = output or cache_folder() / "reproduce" / kind
    place.mkdir(parents=True, exist_ok=True)
    with live_progress(kind, quiet=quiet) as report:
        work = prepare(output=place, report=report)
        tables = work.tables(bbc_output=trained_on_bbc)
    for note in work.notes:
        say(note, quiet=quiet)
    page = f"{_as_page(tables, work.notes)}\n{conditions()}\n"
    (place / "tables.md").write_text(page, encoding="utf-8")
    say(f"kept in {place}", quiet=quiet)
    if json:
        print_json({"tables": [asdict(table) for table in tables], "notes": work.notes})
    else:
        typer.echo(_as_page(tables, []))


def _as_page(tables: list[Table], notes: list[str]) -> str:
    parts = [table.text for table in tables]
    if notes:
        parts.append("## Not done\n\n" + "".join(f"- {note}\n" for note in notes))
    return "\n".join(parts)
