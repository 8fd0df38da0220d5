"""The data that every format is written from and read into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from urllib.parse import quote

from storyscope.core import Keyframes, Span, Story, Video
from storyscope.core.text import encodable
from storyscope.store import in_bucket

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
RATE_TOLERANCE = 0.01
"""Maximum difference between a measured rate and the standard one."""


@dataclass(frozen=True)
class Entry:
    """One story (or shot, or chapter) on a timeline."""

    span: Span
    title: str = ""
    keywords: tuple[str, ...] = ()
    thumbnail: float | None = None
    """The time in seconds of its thumbnail, if one was chosen."""
    summary: str = ""

    @property
    def description(self) -> str:
        """The summary and the keywords, for formats with one field for both."""
        return " ".join(filter(None, [self.summary, ", ".join(self.keywords)]))

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", encodable(self.title))
        object.__setattr__(self, "keywords", tuple(map(encodable, self.keywords)))


@dataclass(frozen=True)
class Timeline:
    """A video and what happens in it, in order."""

    video: Video
    entries: tuple[Entry, ...]
    annotator: str = "storyscope"
    shots: tuple[Entry, ...] = ()
    """Shots inside the entries, for formats with nesting; empty if only entries are exported."""
    keyframes: Keyframes | None = None
    """Pictures of the video, for formats that show some."""
    storyboard: Callable[[], str] | None = None
    """Draws the HTML page of the video, for that format."""
    contact_sheet: Callable[[Path], None] | None = None
    """Draws the contact sheet, for that format."""
    counted_rate: Fraction | None = None
    """A rate other than the film's, for formats that do not support it."""

    @property
    def rate(self) -> Fraction:
        """Frames a second as editors count them: the standard rate nearest to the film's."""
        return self.counted_rate or standard_rate(self.video.fps)

    @property
    def rate_note(self) -> str:
        """A notice if frames are not counted at the film's own rate."""
        if abs(float(self.rate) - self.video.fps) < RATE_TOLERANCE:
            return ""
        return (
            f"times count {_rate_words(self.rate)} frames per second; the video has "
            f"{self.video.fps:.3f} on average, which is not a standard rate"
        )

    def inside(self, entry: Entry) -> tuple[Entry, ...]:
        """The shots of an entry, assigned by their middles, cut where they reach beyond it."""
        return tuple(
            replace(shot, span=_cut(shot.span, entry.span))
            for shot in self.shots
            if shot.span.middle in entry.span
        )

    def frame(self, seconds: float) -> int:
        """The frame shown at a time."""
        return round(Fraction(seconds) * self.rate)

    def seconds(self, frame: int) -> float:
        return float(frame / self.rate)


def standard_rate(fps: float) -> Fraction:
    """The standard rate that counts every frame of a measured one, or the nearest to it.

    A film of 12.5 frames per second counts at 25; one of 23.3 at 23.976; an unknown rate at 25.
    """
    if not fps > 0:
        return Fraction(25)
    for multiple in (1, 2, 4):
        near = _nearest_rate(multiple * fps)
        if abs(float(near) - multiple * fps) < RATE_TOLERANCE:
            return near
    return _nearest_rate(fps)


def _nearest_rate(fps: float) -> Fraction:
    return min(STANDARD_RATES, key=lambda rate: abs(float(rate) - fps))


def timeline_of(
    video: Video, stories: Sequence[Story], *, annotator: str = "storyscope"
) -> Timeline:
    """Stories as a timeline."""
    entries = tuple(
        Entry(story.span, story.title, story.keywords, summary=story.summary) for story in stories
    )
    return Timeline(video, entries, annotator)


def film_address(video: Video) -> str:
    """The address of the film; on a server it does not contain folders."""
    if in_bucket(video.path):
        return video.path
    path = Path(video.path)
    return path.as_uri() if path.is_absolute() else f"./{quote(path.as_posix())}"


def one_line(title: str) -> str:
    """A title for line-based formats."""
    return " ".join(title.split())


def _rate_words(rate: Fraction) -> str:
    return str(rate) if rate.denominator == 1 else f"{float(rate):.3f}"


def _cut(span: Span, limits: Span) -> Span:
    return Span(max(span.start, limits.start), min(span.end, limits.end))
