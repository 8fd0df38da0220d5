"""One table of the paper, with our results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from storyscope.experiments.report import markdown


@dataclass(frozen=True)
class Table:
    """A title, a header, rows of text, and notes."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    remark: str = ""

    @property
    def text(self) -> str:
        """In Markdown."""
        remark = f"\n{self.remark}\n" if self.remark else ""
        return f"## {self.title}\n\n{markdown(self.header, self.rows)}{remark}"
