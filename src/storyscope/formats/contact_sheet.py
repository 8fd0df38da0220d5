"""A contact sheet: every story of a film in one picture."""

from __future__ import annotations

from pathlib import Path

from storyscope.errors import FormatError
from storyscope.formats.registry import Format
from storyscope.formats.timeline import Timeline


def save(timeline: Timeline, path: Path) -> None:
    """Draw the timeline and a row of shots per story, as a PNG."""
    if timeline.contact_sheet is None:
        raise FormatError(
            "a contact sheet needs stories and pictures of a local library; "
            "run it where the library is, with --level stories"
        )
    timeline.contact_sheet(path)


FORMAT = Format(
    "sheet",
    ".png",
    "a contact sheet: every story with its shots",
    "everything: a picture cannot be imported",
    save=save,
)
