"""What every format is written from and read into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from storyscope.core import Keyframes, Span, Story, Video

STANDARD_RATES = tuple(
    Fraction(*rate)
    for rate in (
        (24000, 1001),
        (24, 1),
        (25, 1),
        (30000, 1001),
        (30, 1),
        (48, 1),
        (50, 1),
        (60000, 1001),
        (60, 1),
    )
)


@dataclass(frozen=True)
class Entry:
    """One story (or shot, or chapter) on a timeline."""

    span: Span
    title: str = ""
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True)
class Timeline:
    """A video and what happens in it, in order."""

    video: Video
    entries: tuple[Entry, ...]
    annotator: str = "storyscope"
    shots: tuple[Entry, ...] = ()
    """What the entries are made of, for formats that nest; empty when only entries are wanted."""
    keyframes: Keyframes | None = None
    """Pictures of the video, for formats that show some."""
    storyboard: Callable[[], str] | None = None
    """Draws the page of the video, for the format that is one."""

    @property
    def rate(self) -> Fraction:
        """Frames a second as editors count them; a variable rate counts at its average."""
        return standard_rate(self.video.fps)

    def inside(self, entry: Entry) -> tuple[Entry, ...]:
        """The shots that an entry is made of, by their middles, cut where they reach beyond it."""
        return tuple(
            replace(shot, span=_cut(shot.span, entry.span))
            for shot in self.shots
            if shot.span.middle in entry.span
        )

    def frame(self, seconds: float) -> int:
        """The frame that is shown at a time."""
        return round(Fraction(seconds) * self.rate)

    def seconds(self, frame: int) -> float:
        return float(frame / self.rate)


def standard_rate(fps: float) -> Fraction:
    """The rate that editors count in, for a rate that was measured."""
    measured = Fraction(fps).limit_denominator(100_000) or Fraction(25)
    near = min(STANDARD_RATES, key=lambda standard: abs(standard - measured))
    return near if abs(near - measured) < Fraction(1, 100) else measured


def timeline_of(
    video: Video, stories: Sequence[Story], *, annotator: str = "storyscope"
) -> Timeline:
    """Stories as a timeline."""
    entries = tuple(Entry(story.span, story.title, story.keywords) for story in stories)
    return Timeline(video, entries, annotator)


def one_line(title: str) -> str:
    """A title for formats whose lines mean something."""
    return " ".join(title.split())


def _cut(span: Span, limits: Span) -> Span:
    return Span(max(span.start, limits.start), min(span.end, limits.end))
