"""Progress reports as a callable: packages report, and their caller decides what to show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """How far a stage has come: `done` of `total`, in any unit."""

    stage: str
    done: float
    total: float
    note: str = ""

    @property
    def fraction(self) -> float:
        return min(1.0, self.done / self.total) if self.total > 0 else 0.0


Report = Callable[[Step], None]


def silent(step: Step) -> None:
    """Ignore all reports."""
