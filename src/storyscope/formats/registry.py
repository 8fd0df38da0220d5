"""Every format by name; its library is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from storyscope.errors import FormatError, UnknownName
from storyscope.formats.timeline import Timeline
from storyscope.plugins import load_plugin, plugin_names


@dataclass(frozen=True)
class Format:
    """How stories are written for one program."""

    name: str
    suffix: str
    summary: str
    """What it is for, in one line."""
    loses: str
    """What it loses of the stories."""
    write: Callable[[Timeline], str] | None = None
    """The whole file as text, for text formats."""
    save: Callable[[Timeline, Path], None] | None = None
    """Write files to a path, for other formats."""
    nests: bool = False
    """Whether it supports shots inside stories."""
    counts_frames: bool = False
    """Whether its times are whole frames of a standard rate."""
    adds_to: tuple[str, ...] = ()
    """Extensions of existing files that it extends and never replaces."""


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
    "avid": "storyscope.formats.avid",
    "fcp7": "storyscope.formats.fcp7",
    "csv": "storyscope.formats.csv_table",
    "json": "storyscope.formats.json_facts",
    "eaf": "storyscope.formats.eaf",
    "textgrid": "storyscope.formats.textgrid",
    "audacity": "storyscope.formats.audacity",
    "web-annotation": "storyscope.formats.web_annotation",
    "iiif": "storyscope.formats.iiif",
    "podcast": "storyscope.formats.podcast",
    "html": "storyscope.formats.html",
    "thumbnails": "storyscope.formats.thumbnails",
    "kodi": "storyscope.formats.kodi",
    "jellyfin": "storyscope.formats.jellyfin",
    "sheet": "storyscope.formats.contact_sheet",
}


PLUGINS = "storyscope.formats"
"""The group of entry points of formats in other packages."""


def find_format(name: str) -> Format:
    """The format called `name`, ours or an installed package's."""
    if name in FORMATS:
        ours: Format = import_module(FORMATS[name]).FORMAT
        return ours
    if name not in plugin_names(PLUGINS):
        raise UnknownName(f"no format called {name!r}; choose from {', '.join(format_names())}")
    theirs = load_plugin(PLUGINS, name)
    if not isinstance(theirs, Format):
        raise FormatError(f"the plugin {name!r} offers {theirs!r}, not a storyscope.formats.Format")
    return theirs


def format_names() -> list[str]:
    """Names of all formats, those of installed packages last."""
    return [*FORMATS, *(name for name in plugin_names(PLUGINS) if name not in FORMATS)]
