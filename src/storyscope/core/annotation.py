"""One person's version of a video's stories."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isfinite

from storyscope.core.text import encodable
from storyscope.errors import AnnotationError

END_TOLERANCE_SECONDS = 1.0
"""Tolerance in seconds: programs round the end of a film, or leave out a last black frame."""


@dataclass(frozen=True)
class Annotation:
    """Where, according to one person, the stories of a video begin, in seconds."""

    annotator: str
    starts: tuple[float, ...]
    """Start of each story in seconds, the first at 0."""
    end: float
    """End of the last story in seconds."""
    titles: tuple[str, ...] = ()
    """One title per story, "" if the person gave none; or an empty tuple."""
    thumbnails: tuple[float | None, ...] = field(default=())
    """The time in seconds of the frame that the person chose for each story, or None."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "annotator", encodable(self.annotator))
        object.__setattr__(self, "titles", tuple(map(encodable, self.titles)))
        edges = (*self.starts, self.end)
        finite = all(map(isfinite, (*edges, *(at for at in self.thumbnails if at is not None))))
        if not finite:
            raise AnnotationError(f"{self.annotator}: times are numbers of seconds, got {edges}")
        if edges[0] != 0 or any(left >= right for left, right in pairwise(edges)):
            raise AnnotationError(
                f"{self.annotator}: the starts must rise from 0 to the end at {self.end} s, "
                f"got {', '.join(f'{start:g}' for start in self.starts[:12])}"
            )
        for name in ("titles", "thumbnails"):
            given = len(getattr(self, name))
            if given not in (0, len(self.starts)):
                raise AnnotationError(
                    f"{self.annotator}: {len(self.starts)} stories but {given} {name}"
                )

    def title(self, story: int) -> str:
        return self.titles[story] if self.titles else ""

    def split(self, seconds: float) -> Annotation:
        """Begin a new story at this time; the part before it keeps the title."""
        place = self._story_at(seconds)
        if seconds == self.starts[place]:
            raise AnnotationError(f"a story begins at {seconds:g} s already")
        return self._with(place + 1, place + 1, (seconds,), ("",), (None,))

    def merge(self, story: int) -> Annotation:
        """Join a story to the one before it, whose title and picture are kept."""
        if not 0 < story < len(self.starts):
            raise AnnotationError(
                f"story {story + 1} has none before it to join; there are {len(self.starts)}"
            )
        return self._with(story, story + 1, (), (), ())

    def move(self, story: int, seconds: float) -> Annotation:
        """Move the start of a story, between its neighbours' boundaries."""
        if not 0 < story < len(self.starts):
            raise AnnotationError(f"the start of story {story + 1} cannot be moved")
        edges = (*self.starts, self.end)
        if not edges[story - 1] < seconds < edges[story + 1]:
            raise AnnotationError(
                f"story {story + 1} must begin between {edges[story - 1]:g} and "
                f"{edges[story + 1]:g} s, got {seconds:g}"
            )
        starts = (*self.starts[:story], seconds, *self.starts[story + 1 :])
        return replace(self, starts=starts)

    def retitle(self, story: int, title: str) -> Annotation:
        titles = list(self.titles or [""] * len(self.starts))
        titles[self._known(story)] = title
        return replace(self, titles=tuple(titles))

    def _story_at(self, seconds: float) -> int:
        if not 0 <= seconds < self.end:
            raise AnnotationError(
                f"{seconds:g} s lies outside the video, which ends at {self.end:g}"
            )
        return bisect_right(self.starts, seconds) - 1

    def _known(self, story: int) -> int:
        if not 0 <= story < len(self.starts):
            raise AnnotationError(f"there is no story {story + 1}; there are {len(self.starts)}")
        return story

    def _with(
        self,
        first: int,
        end: int,
        starts: tuple[float, ...],
        titles: tuple[str, ...],
        thumbnails: tuple[float | None, ...],
    ) -> Annotation:
        """Replace the stories [first, end) by others."""
        return replace(
            self,
            starts=(*self.starts[:first], *starts, *self.starts[end:]),
            titles=(*self.titles[:first], *titles, *self.titles[end:]) if self.titles else (),
            thumbnails=(*self.thumbnails[:first], *thumbnails, *self.thumbnails[end:])
            if self.thumbnails
            else (),
        )
