"""Select the settings that a stage reads: others must not make it run again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

Record = TypeVar("Record")


def only(record: Record, *names: str) -> Record:
    """The record with every other setting at its default."""
    fresh: Any = type(record)()
    chosen: Record = replace(fresh, **{name: getattr(record, name) for name in names})
    return chosen
