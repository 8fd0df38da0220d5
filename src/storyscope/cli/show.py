"""How facts and progress look in the terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from storyscope.progress import Report, Step, silent

if TYPE_CHECKING:
    from storyscope.core import Span

STAGE_WORDS = {
    "scan": "watching the film",
    "transcript": "reading the words",
    "screen": "reading the screen",
    "vision": "looking at keyframes",
    "mined": "finding what is spoken of",
    "concepts": "grouping concepts",
    "stories": "finding the stories",
    "titles": "naming the stories",
    "passages": "filing for search",
    "ratings": "rating the pictures",
}


def print_json(facts: Mapping[str, Any]) -> None:
    """Print facts for scripts: one JSON object, alone on standard output."""
    json.dump(facts, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")


def say(message: str, *, quiet: bool = False) -> None:
    """Tell the person something that is not a fact they asked for."""
    if not quiet:
        print(message, file=sys.stderr)


def print_table(*headers: str, rows: Iterable[Sequence[str]]) -> None:
    """Print rows under bold headers; what videos and people say is never taken for markup."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(*headers, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    Console().print(table)


def print_timeline(found: Sequence[Span], duration: float, truth: Sequence[Span] = ()) -> None:
    """Draw stories as blocks across the terminal, the true ones above those found."""
    from rich.console import Console

    from storyscope.report import draw_timeline

    console = Console()
    colour = console.is_terminal and not console.no_color
    width = min(console.width, 120)
    console.print()
    console.print(draw_timeline(found, duration, truth=truth, width=width, colour=colour))


@contextmanager
def live_progress(title: str, *, quiet: bool = False) -> Iterator[Report]:
    """Show stage, percent and time left on standard error while the block runs."""
    if quiet:
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _plain_progress(title, console.print)
        return
    columns = (
        TextColumn("[bold]{task.fields[title]}"),
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=console, transient=True, expand=True) as progress:
        task = progress.add_task("starting", title=title, total=1.0)
        shown = ""

        def report(step: Step) -> None:
            nonlocal shown
            words = STAGE_WORDS.get(step.stage, step.stage.replace("_", " "))
            if step.stage != shown:
                progress.reset(task, description=words, total=1.0)
                shown = step.stage
            progress.update(task, completed=step.fraction, description=step.note or words)

        yield report


def _plain_progress(title: str, line: Callable[[str], None]) -> Report:
    """One line a stage, for logs and pipes."""
    shown: set[str] = set()

    def report(step: Step) -> None:
        if step.stage not in shown and step.fraction < 1:
            shown.add(step.stage)
            words = STAGE_WORDS.get(step.stage, step.stage.replace("_", " "))
            line(f"{title}: {words}")

    return report
