"""How facts and progress look in the terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from storyscope.progress import Report, Step
from storyscope.stages.words import stage_words

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from storyscope.core import Span


def print_json(facts: Mapping[str, Any]) -> None:
    """Print facts for scripts: one JSON object, alone on standard output."""
    json.dump(facts, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")


def say(message: str, *, quiet: bool = False) -> None:
    """Tell the person something that is not a fact they asked for."""
    if not quiet:
        print(printable(message), file=sys.stderr)


def printable(text: str) -> str:
    """The text without characters that a terminal would obey: file names and titles may hold any.

    Characters that have no place in UTF-8 are shown as question marks.
    """
    harmless = (c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
    return "".join(harmless).encode(errors="replace").decode()


def print_table(*headers: str, rows: Iterable[Sequence[str]]) -> None:
    """Print rows under bold headers; what videos and people say is never taken for markup."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(*headers, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(*(escape(printable(cell)) for cell in row))
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
def resumable() -> Iterator[None]:
    """Say how to go on when a person stops a long command; its exit code is 130."""
    try:
        yield
    except KeyboardInterrupt:
        say("storyscope: stopped; finished stages are kept, run the same command again to go on")
        raise


class Progresses(Protocol):
    """What is shown of several videos on their way."""

    def report(self, title: str, step: Step) -> None: ...

    def close(self, title: str) -> None: ...


@contextmanager
def live_progress(title: str, *, quiet: bool = False) -> Iterator[Report]:
    """Show stage, percent and time left on standard error while the block runs."""
    with live_progresses(quiet=quiet) as progresses:
        yield lambda step: progresses.report(title, step)


@contextmanager
def live_progresses(*, quiet: bool = False) -> Iterator[Progresses]:
    """The same for several videos at once, a line each."""
    if quiet:
        yield _Silence()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(console.print)
        return
    columns = (
        TextColumn("[bold]{task.fields[title]}"),
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=console, transient=True, expand=True) as progress:
        yield _Bars(progress)


class _Silence:
    def report(self, title: str, step: Step) -> None: ...

    def close(self, title: str) -> None: ...


class _Lines:
    """One line a stage, for logs and pipes."""

    def __init__(self, line: Callable[[str], None]) -> None:
        self._line = line
        self._shown: set[tuple[str, str]] = set()

    def report(self, title: str, step: Step) -> None:
        if (title, step.stage) not in self._shown and step.fraction < 1:
            self._shown.add((title, step.stage))
            self._line(f"{title}: {stage_words(step.stage)}")

    def close(self, title: str) -> None: ...


class _Bars:
    """A bar a video; each stage fills it anew."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._bars: dict[str, tuple[TaskID, str]] = {}

    def report(self, title: str, step: Step) -> None:
        bar, stage = self._bars.get(title, (None, ""))
        if bar is None:
            bar = self._progress.add_task(stage_words(step.stage), title=title, total=1.0)
        elif step.stage != stage:
            self._progress.reset(bar, description=stage_words(step.stage), total=1.0)
        self._bars[title] = bar, step.stage
        words = step.note or stage_words(step.stage)
        self._progress.update(bar, completed=step.fraction, description=words)

    def close(self, title: str) -> None:
        bar, _ = self._bars.pop(title, (None, ""))
        if bar is not None:
            self._progress.remove_task(bar)
