from __future__ import annotations

import json as json_files
import sys
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Annotated, Any

import typer

from storyscope.cli.options import JsonOption, QuietOption
from storyscope.cli.show import live_progress, print_json, print_timeline, resumable, say
from storyscope.core import Segmentation, Span, format_time, shot_edges
from storyscope.evaluate import mean_iou
from storyscope.library import LocalLibrary
from storyscope.report import Truth, contact_sheet, html_report, overlap_ratio, story_colour

if TYPE_CHECKING:
    from storyscope.core import Hit, Span
    from storyscope.library import LocalLibrary
    from storyscope.report import Findings
    from storyscope_demo import DemoFilm


def demo(
    folder: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder to write everything to.")
    ] = Path("out/demo"),
    film_only: Annotated[
        bool, typer.Option("--film-only", help="Make only the film and its true stories.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Render and index the film again.")
    ] = False,
    search: Annotated[
        str, typer.Option(metavar="TEXT", help="Text to search for in the film.")
    ] = "a turtle swimming under water",
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Generate a two-minute documentary, find its stories, and compare them with the truth.

    The film is generated, with sound and narration: eight stories whose boundaries are known. A
    contact sheet and an HTML report are written next to it.

    Examples:

        storyscope demo

        storyscope demo --search "fire and ash"

        storyscope demo --folder here --film-only
    """
    from storyscope_demo import find_demo, make_demo

    quiet = quiet or json
    film = None if again else find_demo(folder)
    if film is None:
        with live_progress("demo.mp4", quiet=quiet) as report:
            film = make_demo(folder, report=report)
    if film_only:
        say(f"{film.video}\n{film.transcript}\n{film.truth}\n{film.stories}", quiet=quiet)
        if json:
            print_json(_files(film))
        return
    library = _index(folder / "library", film, again=again, quiet=quiet)
    findings = _judge(library, film)
    hits = library.search(search, limit=3)
    sheet, page = _write(findings, folder)
    if json:
        print_json(_facts(library, film, findings, search, hits, sheet, page))
        return
    if not quiet:
        _show(findings, search, hits)
    say(f"\nContact sheet: {sheet}\nReport:        {page}", quiet=quiet)
    command = "storyscope" if which("storyscope") else Path(sys.executable).parent / "storyscope"
    say(f"Open the page: {command} serve --library {library.folder}", quiet=quiet)


def _index(folder: Path, film: DemoFilm, *, again: bool, quiet: bool) -> LocalLibrary:
    library = LocalLibrary(folder)
    with resumable(), live_progress(film.video.name, quiet=quiet) as report:
        library.add(film.video, transcript=film.transcript, again=again, report=report)
    return library


def _judge(library: LocalLibrary, film: DemoFilm) -> Findings:
    """Print the stories found, with the truth next to them."""
    facts = json_files.loads(film.truth.read_text(encoding="utf-8"))
    video = next(
        r.video.id for r in library.videos() if Path(r.video.path) == film.video.absolute()
    )
    true = Segmentation(tuple(facts["segmentation"]["starts"]), facts["segmentation"]["end"])
    found = library.segmentation(video).on(shot_edges(library.shots(video)))
    truth = Truth(
        tuple(Span(story["start"], story["end"]) for story in facts["stories"]),
        tuple(story["title"] for story in facts["stories"]),
        mean_iou(found, true),
    )
    return library.findings(video, truth=truth)


def _write(findings: Findings, folder: Path) -> tuple[Path, Path]:
    sheet, page = folder / "contact-sheet.png", folder / "report.html"
    contact_sheet(findings, sheet)
    html_report(findings, page, film=Path(findings.video.path).name)
    return sheet, page


def _show(findings: Findings, query: str, hits: list[Hit]) -> None:
    from rich.console import Console
    from rich.markup import escape

    assert findings.truth is not None
    console = Console()
    console.print()
    console.print(_table(findings))
    print_timeline(
        [story.span for story in findings.stories], findings.video.duration, findings.truth.spans
    )
    console.print(f"\nmean IoU with the truth: [bold]{findings.truth.mean_iou:.3f}[/]")
    console.print(f"cues used: {', '.join(findings.cues)}")
    console.print(f"\n[bold]storyscope search[/] “{query}”")
    for hit in hits:
        because = f"[dim]{escape(hit.evidence)}"
        console.print(
            f"  {hit.score:.2f}  {_written(hit.story.span)}  {escape(hit.story.title)}  {because}"
        )
    if not hits:
        console.print("  no results")


def _table(findings: Findings) -> Any:
    """Each story found, with the true story that it overlaps most; missed ones at the end."""
    from rich.markup import escape
    from rich.table import Table

    assert findings.truth is not None
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("")
    table.add_column("found", no_wrap=True)
    table.add_column("")
    table.add_column("truth", no_wrap=True)
    table.add_column("")
    table.add_column("IoU", justify="right", no_wrap=True)
    met = set()
    for number, story in enumerate(findings.stories):
        true = findings.true_story_of(story)
        assert true is not None
        met.add(true)
        span = findings.truth.spans[true]
        table.add_row(
            f"[{story_colour(number)}]■[/] {number + 1}",
            _written(story.span),
            f"{escape(story.title)}\n[dim]{escape(', '.join(story.keywords[:5]))}",
            _written(span),
            findings.truth.title(true),
            f"{overlap_ratio(story.span, span):.2f}",
        )
    for true, span in enumerate(findings.truth.spans):
        if true not in met:
            table.add_row("", "", "", _written(span), findings.truth.title(true), "missed")
    return table


def _facts(
    library: LocalLibrary,
    film: DemoFilm,
    findings: Findings,
    query: str,
    hits: list[Hit],
    sheet: Path,
    page: Path,
) -> dict[str, Any]:
    assert findings.truth is not None
    spans = [
        {"start": span.start, "end": span.end, "title": findings.truth.title(number)}
        for number, span in enumerate(findings.truth.spans)
    ]
    return {
        **_files(film),
        "contact_sheet": str(sheet),
        "report": str(page),
        "library": str(library.folder),
        "mean_iou": findings.truth.mean_iou,
        **library.story_facts(findings.video.id, findings.stories),
        "true_stories": spans,
        "search": {
            "query": query,
            "hits": [
                {"start": hit.story.span.start, "end": hit.story.span.end, "title": hit.story.title}
                for hit in hits
            ],
        },
    }


def _files(film: DemoFilm) -> dict[str, str]:
    return {
        "film": str(film.video),
        "transcript": str(film.transcript),
        "truth": str(film.truth),
        "segmentation": str(film.stories),
    }


def _written(span: Span) -> str:
    return f"{format_time(span.start)}–{format_time(span.end)}"
