"""One person's version of a video's stories."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from storyscope.errors import AnnotationError


@dataclass(frozen=True)
class Annotation:
    """Where a person says the stories of a video begin, in seconds."""

    annotator: str
    starts: tuple[float, ...]
    """First second of each story, the first at 0."""
    end: float
    """Where the last story ends."""
    titles: tuple[str, ...] = ()
    """One title a story, "" where the person gave none; or none at all."""
    thumbnails: tuple[float | None, ...] = field(default=())
    """The second of the frame that the person chose for each story, None where they did not."""

    def __post_init__(self) -> None:
        edges = (*self.starts, self.end)
        if edges[0] != 0 or any(left >= right for left, right in pairwise(edges)):
            raise AnnotationError(
                f"{self.annotator}: stories must rise from 0 to the end at {self.end} s, "
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
