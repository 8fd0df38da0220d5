"""Output of facts and progress in the terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from storyscope.core import format_time
from storyscope.progress import Report, Step
from storyscope.report import draw_timeline
from storyscope.stages.words import stage_words

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from storyscope.core import Span
SURE_AFTER_SECONDS = 2.0
"""Minimum seconds a stage must have run before its remaining time is estimated."""
LINE_SECONDS = 30.0
"""Seconds between two lines about a long stage in a log."""
MIN_REST = 12
"""Minimum width of other columns next to columns that are never cut."""


def print_json(facts: Mapping[str, Any]) -> None:
    """Print facts for scripts: one JSON object, and nothing else on standard output."""
    json.dump(facts, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")


def say(message: str, *, quiet: bool = False) -> None:
    """Print a message to standard error."""
    if not quiet:
        print(printable(message), file=sys.stderr)


def printable(text: str) -> str:
    """The text without terminal control characters, which file names and titles may contain.

    Characters that are not valid in UTF-8 are shown as question marks.
    """
    harmless = (c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
    return "".join(harmless).encode(errors="replace").decode()


def print_table(*headers: str, rows: Iterable[Sequence[str]], whole: Collection[str] = ()) -> None:
    """Print rows under bold headers; cell contents are never interpreted as markup.

    Columns that are named in `whole` are never wrapped or cut, however narrow the terminal is.
    """
    from rich.cells import cell_len
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for header in headers:
        table.add_column(header, no_wrap=header in whole, overflow="fold")
    widest = 0
    for row in rows:
        # A name with a line break must not look like another row.
        cells = [printable(cell).replace("\n", "\N{REPLACEMENT CHARACTER}") for cell in row]
        fixed = (cell_len(c) + 1 for c, head in zip(cells, headers, strict=True) if head in whole)
        widest = max(widest, sum(fixed))
        table.add_row(*map(escape, cells))
    console = Console()
    # Rich cuts a column that is wider than the terminal, but this one is needed in full.
    console.width = max(console.width, widest + MIN_REST * (len(headers) - len(whole)))
    console.print(table, soft_wrap=False, crop=False)


def print_timeline(found: Sequence[Span], duration: float, truth: Sequence[Span] = ()) -> None:
    """Draw stories as blocks across the terminal, the true ones above the detected ones."""
    from rich.console import Console

    console = Console()
    colour = console.is_terminal and not console.no_color
    width = min(console.width, 120)
    console.print()
    console.print(draw_timeline(found, duration, truth=truth, width=width, colour=colour))


@contextmanager
def resumable() -> Iterator[None]:
    """Explain how to resume when the user interrupts a long command; the exit code is 130."""
    try:
        yield
    except KeyboardInterrupt:
        say("storyscope: stopped; finished stages are kept, run the same command again to continue")
        raise


class Progresses(Protocol):
    """Progress of several videos."""

    def report(self, title: str, step: Step) -> None: ...

    def close(self, title: str) -> None: ...


@contextmanager
def live_progress(title: str, *, quiet: bool = False) -> Iterator[Report]:
    """Show stage, percentage and remaining time on standard error while the block runs."""
    with live_progresses(quiet=quiet) as progresses:
        yield lambda step: progresses.report(title, step)


@contextmanager
def live_progresses(*, quiet: bool = False) -> Iterator[Progresses]:
    """Show the progress of several videos at once, with a line for each."""
    if quiet:
        yield _Silence()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(console.print)
        return
    columns = (
        TextColumn("[bold]{task.fields[title]}"),
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=console, transient=True, expand=True) as progress:
        yield _Bars(progress)


class _Silence:
    def report(self, title: str, step: Step) -> None: ...

    def close(self, title: str) -> None: ...


class _Pace:
    """How long the current stage of each video has been running, to estimate the remaining time."""

    def __init__(self) -> None:
        self._began: dict[str, tuple[str, float, float]] = {}

    def time_left(self, title: str, step: Step) -> str:
        """The remaining time of the stage in words; empty if it cannot be estimated yet."""
        stage, since, first = self._began.get(title, ("", 0.0, 0.0))
        now = monotonic()
        if stage != step.stage:
            stage, since, first = step.stage, now, step.fraction
            self._began[title] = stage, since, first
        return time_left(now - since, step.fraction - first, 1 - step.fraction)


def time_left(elapsed: float, done: float, remaining: float) -> str:
    """The remaining time in words, from the seconds that a share of the work took; empty if it is
    too early."""
    if elapsed < SURE_AFTER_SECONDS or done <= 0 or remaining <= 0:
        return ""
    return f"about {format_time(elapsed * remaining / done)} left"


class _Lines:
    """One line per stage, and one every half minute of a long stage, for logs and pipes."""

    def __init__(self, line: Callable[[str], None]) -> None:
        self._line, self._pace = line, _Pace()
        self._shown: dict[tuple[str, str], float] = {}

    def report(self, title: str, step: Step) -> None:
        left, now, known = self._pace.time_left(title, step), monotonic(), (title, step.stage)
        if step.fraction >= 1:
            return
        if known not in self._shown:
            self._shown[known] = now
            self._line(f"{title}: {stage_words(step.stage)}")
        elif left and now - self._shown[known] >= LINE_SECONDS:
            self._shown[known] = now
            self._line(f"{title}: {stage_words(step.stage)}, {step.fraction:.0%}, {left}")

    def close(self, title: str) -> None: ...


class _Bars:
    """One progress bar per video, which restarts with each stage."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._pace = progress, _Pace()
        self._bars: dict[str, tuple[TaskID, str]] = {}

    def report(self, title: str, step: Step) -> None:
        bar, stage = self._bars.get(title, (None, ""))
        if bar is None:
            bar = self._progress.add_task(stage_words(step.stage), title=title, total=1.0, left="")
        elif step.stage != stage:
            self._progress.reset(bar, description=stage_words(step.stage), total=1.0)
        self._bars[title] = bar, step.stage
        words, left = step.note or stage_words(step.stage), self._pace.time_left(title, step)
        self._progress.update(bar, completed=step.fraction, description=words, left=left)

    def close(self, title: str) -> None:
        bar, _ = self._bars.pop(title, (None, ""))
        if bar is not None:
            self._progress.remove_task(bar)
