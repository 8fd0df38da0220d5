"""Every format by name; its library loads when it is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from storyscope.errors import UnknownName
from storyscope.formats.timeline import Timeline


@dataclass(frozen=True)
class Format:
    """How stories are written for one kind of program."""

    name: str
    suffix: str
    summary: str
    """What it is for, in a line."""
    loses: str
    """What of the stories it cannot hold."""
    write: Callable[[Timeline], str] | None = None
    """The whole file as text, for formats that are text."""
    save: Callable[[Timeline, Path], None] | None = None
    """Write files to a path, for formats that are not."""
    nests: bool = False
    """Whether it can hold the shots inside the stories."""


FORMATS = {
    "youtube": "storyscope.formats.youtube",
    "webvtt": "storyscope.formats.webvtt",
    "ffmetadata": "storyscope.formats.ffmetadata",
    "matroska": "storyscope.formats.matroska",
    "mp4": "storyscope.formats.mp4",
    "mkv": "storyscope.formats.mkv",
    "clips": "storyscope.formats.clips",
    "clips-exact": "storyscope.formats.clips_exact",
    "edl": "storyscope.formats.edl",
    "otio": "storyscope.formats.otio",
    "fcpxml": "storyscope.formats.fcpxml",
    "resolve": "storyscope.formats.resolve",
    "premiere": "storyscope.formats.premiere",
    "csv": "storyscope.formats.csv_table",
    "json": "storyscope.formats.json_facts",
    "eaf": "storyscope.formats.eaf",
    "iiif": "storyscope.formats.iiif",
    "podcast": "storyscope.formats.podcast",
    "html": "storyscope.formats.html",
    "thumbnails": "storyscope.formats.thumbnails",
    "kodi": "storyscope.formats.kodi",
}


def find_format(name: str) -> Format:
    """The format called `name`."""
    if name not in FORMATS:
        raise UnknownName(f"no format called {name!r}; choose from {', '.join(FORMATS)}")
    found: Format = import_module(FORMATS[name]).FORMAT
    return found
