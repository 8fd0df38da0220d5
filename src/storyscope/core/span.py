"""An interval of time."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from storyscope.errors import InvalidSpan


@dataclass(frozen=True, order=True)
class Span:
    """The half-open interval [start, end) in seconds from the start of the video."""

    start: float
    end: float

    def __post_init__(self) -> None:
        if not (isfinite(self.start) and isfinite(self.end) and self.start <= self.end):
            raise InvalidSpan(f"a span runs forward in time, got {self.start} to {self.end}")

    @property
    def length(self) -> float:
        return self.end - self.start

    @property
    def middle(self) -> float:
        return (self.start + self.end) / 2

    def __contains__(self, seconds: float) -> bool:
        return self.start <= seconds < self.end

    def overlap(self, other: Span) -> float:
        """Seconds that both spans share."""
        return max(0.0, min(self.end, other.end) - max(self.start, other.start))
