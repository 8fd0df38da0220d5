"""The timeline in a terminal: stories as blocks across its width."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from storyscope.core import Span, format_time
from storyscope.report.findings import most_shared
from storyscope.report.palette import story_colour, text_colour

if TYPE_CHECKING:
    from rich.text import Text


def draw_timeline(
    found: Sequence[Span],
    duration: float,
    *,
    truth: Sequence[Span] = (),
    width: int,
    colour: bool,
) -> Text:
    """One line for the detected stories, one above it for the true ones if known, and a time axis.

    With `colour` each story is a coloured block with its number; without, the blocks are drawn in
    plain characters, for pipes, logs and NO_COLOR.
    """
    from rich.text import Text

    tints = [story_colour(number) for number in range(len(found))]
    rows = [("found", found, tints)]
    if truth:
        rows.insert(0, ("truth", truth, [tints[most_shared(true, found)] for true in truth]))
    margin = 7 if truth else 0
    room = max(10, width - margin)
    drawn = Text()
    for name, spans, colours in rows:
        drawn.append(f"{name:<{margin}}" if margin else "", style="dim" if colour else "")
        for label, size, tint in zip(*_blocks(spans, duration, room), colours, strict=True):
            style = f"bold {text_colour(tint)} on {tint}" if colour else ""
            drawn.append(label.center(size) if colour else _plain(label, size), style=style)
        drawn.append("\n")
    drawn.append(" " * margin + _clock(duration, room), style="dim" if colour else "")
    return drawn


def block_widths(spans: Sequence[Span], duration: float, width: int) -> list[int]:
    """Columns of each span in `width`: they add up to it, and each gets at least one if all fit."""
    edges = [round(span.start / duration * width) for span in spans] + [width]
    if len(spans) <= width:
        for number in range(1, len(spans)):
            edges[number] = max(edges[number], edges[number - 1] + 1)
        for number in range(len(spans) - 1, 0, -1):
            edges[number] = min(edges[number], edges[number + 1] - 1)
    edges[0] = 0
    return [max(0, right - left) for left, right in pairwise(edges)]


def _blocks(spans: Sequence[Span], duration: float, width: int) -> tuple[list[str], list[int]]:
    sizes = block_widths(spans, duration, width)
    labels = [str(number) for number in range(1, len(spans) + 1)]
    return [
        label if len(label) <= size else "" for label, size in zip(labels, sizes, strict=True)
    ], sizes


def _plain(label: str, size: int) -> str:
    """A block as |--3---: its left edge, and its number if it fits."""
    return "|" + label.center(size - 1, "-") if len(label) < size else "|" * size


def _clock(duration: float, width: int) -> str:
    """Times along the line, as many as fit."""
    end = format_time(duration)
    gap = len(end) + 6
    ticks = max(1, width // gap)
    line = [" "] * width
    for tick in range(ticks + 1):
        text = format_time(duration * tick / ticks)
        at = min(round(width * tick / ticks), width - len(text))
        line[at : at + len(text)] = text
    return "".join(line[:width])
