"""The data of a report, and the choices that all kinds of report share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from storyscope.core import Keyframes, Shot, Span, Story, Video
from storyscope.report.palette import story_colour


@dataclass(frozen=True)
class Truth:
    """The true stories, to be shown next to the detected ones."""

    spans: tuple[Span, ...]
    titles: tuple[str, ...] = ()
    mean_iou: float | None = None
    """Agreement of the detected stories with these, 0 to 1."""

    def title(self, number: int) -> str:
        return self.titles[number] if self.titles else ""


@dataclass(frozen=True, eq=False)
class Findings:
    """A film, its shots and stories, and pictures of them."""

    video: Video
    stories: Sequence[Story]
    shots: Sequence[Shot]
    keyframes: Keyframes
    truth: Truth | None = None
    cues: Sequence[str] = ()
    """Names of the cues that the stories were detected by."""
    thumbnails: Mapping[str, float] = field(default_factory=dict)
    """The time in seconds of each story's thumbnail, by its id, if one was chosen."""

    def picture_of_shot(self, shot: int) -> bytes | None:
        """The keyframe nearest the middle of a shot, as JPEG; None if it has none."""
        own = np.flatnonzero(self.keyframes.shots == shot)
        return self._nearest(own, self.shots[shot].span.middle)

    def picture_of_story(self, story: Story) -> bytes | None:
        """The thumbnail of a story; if none was chosen, a frame of its longest shot."""
        shots = self.keyframes.shots
        own = np.flatnonzero((shots >= story.shots.start) & (shots < story.shots.stop))
        if story.id in self.thumbnails:
            return self._nearest(own, self.thumbnails[story.id])
        longest = max(story.shots, key=lambda shot: self.shots[shot].span.length)
        return self.picture_of_shot(longest)

    def true_story_of(self, story: Story) -> int | None:
        """The true story that overlaps most with a detected one."""
        if self.truth is None:
            return None
        return most_shared(story.span, self.truth.spans)

    def found_stories(self) -> list[int]:
        """For each true story, the number of the detected story that overlaps most with it."""
        spans = [story.span for story in self.stories]
        return [most_shared(true, spans) for true in self.truth.spans] if self.truth else []

    def true_colours(self) -> list[str]:
        """Colours of the true stories: those of the detected stories that overlap most.

        Equal colours above each other mean agreement; a colour that continues while the true story
        changes means that two stories were merged.
        """
        return [story_colour(number) for number in self.found_stories()]

    def _nearest(self, own: np.ndarray, seconds: float) -> bytes | None:
        if not len(own):
            return None
        nearest = own[np.abs(self.keyframes.seconds[own] - seconds).argmin()]
        return self.keyframes.pictures[int(nearest)]


def overlap_ratio(a: Span, b: Span) -> float:
    """Intersection over union of two spans."""
    shared = a.overlap(b)
    together = a.length + b.length - shared
    return shared / together if together > 0 else 0.0


def most_shared(span: Span, others: Sequence[Span]) -> int:
    """The number of the other span that overlaps most with this one."""
    return max(range(len(others)), key=lambda number: span.overlap(others[number]))
