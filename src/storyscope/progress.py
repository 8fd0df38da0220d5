"""Progress as a passed callable: rooms report, whoever called them decides what to show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """How far one stage has come: `done` of `total`, in whatever unit it counts."""

    stage: str
    done: float
    total: float
    note: str = ""

    @property
    def fraction(self) -> float:
        return min(1.0, self.done / self.total) if self.total > 0 else 0.0


Report = Callable[[Step], None]


def silent(step: Step) -> None:
    """Report to nobody."""
