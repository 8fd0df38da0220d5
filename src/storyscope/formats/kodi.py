"""Sidecar files for media centres: scene markers for Kodi, and an .nfo for Kodi and Jellyfin.

Kodi takes a scene marker from the end of its line, so start and end are the same.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as xml

from storyscope.core import format_time
from storyscope.errors import FormatError
from storyscope.formats.registry import Format
from storyscope.formats.timeline import Entry, Timeline, one_line
from storyscope.formats.xml_text import Node, document, legal, parse
from storyscope.reading import read_at_most
from storyscope.writing import write_whole

SCENE_MARKER = 2
LARGEST_NFO = 4_000_000
"""Maximum size in bytes of an .nfo that is extended."""


def save(timeline: Timeline, path: Path) -> None:
    """Write scene markers to `path` with .edl, and the description with .nfo next to them.

    An existing .nfo keeps its content; only missing stories and keywords are added.
    """
    beside = path.with_suffix(".nfo")
    text = merged(beside, timeline) if beside.exists() else description(timeline)
    path.with_suffix(".edl").write_text(markers(timeline), encoding="utf-8")
    write_whole(beside, [text.encode()])


def markers(timeline: Timeline) -> str:
    """One line per story: start, end, action."""
    starts = [f"{entry.span.start:.3f}" for entry in timeline.entries]
    return "".join(f"{start}\t{start}\t{SCENE_MARKER}\n" for start in starts)


def description(timeline: Timeline) -> str:
    """The film in the format of Kodi and Jellyfin, with its stories in the plot and keywords as
    tags."""
    root = xml.Element("movie")
    xml.SubElement(root, "title").text = legal(timeline.video.id)
    lines = [_plot_line(entry) for entry in timeline.entries]
    xml.SubElement(root, "plot").text = legal("\n".join(lines))
    xml.SubElement(root, "runtime").text = str(round(timeline.video.duration / 60))
    for word in dict.fromkeys(word for entry in timeline.entries for word in entry.keywords):
        xml.SubElement(root, "tag").text = legal(word)
    return document(root)


def _plot_line(entry: Entry) -> str:
    said = f": {one_line(entry.summary)}" if entry.summary else ""
    return f"{format_time(entry.span.start)} {one_line(entry.title)}{said}"


def merged(beside: Path, timeline: Timeline) -> str:
    """The content of an existing .nfo, with the plot and the tags that it lacks."""
    kind = "an .nfo file"
    try:
        theirs = parse(beside, read_at_most(beside, LARGEST_NFO).decode("utf-8-sig"), kind=kind)
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{beside} cannot be read as {kind}; move it away first") from error
    root = _element(theirs)
    ours = xml.fromstring(description(timeline))
    for tag in ("title", "plot", "runtime"):
        if not theirs.words(tag):
            for empty in root.findall(tag):
                root.remove(empty)
            root.extend(ours.findall(tag))
    known = {node.text.strip() for node in theirs.all("tag")}
    root.extend(tag for tag in ours.findall("tag") if tag.text not in known)
    return document(root)


def _element(node: Node) -> xml.Element:
    element = xml.Element(node.tag, node.attributes)
    element.text = node.text.strip()
    element.extend(_element(child) for child in node.children)
    return element


FORMAT = Format(
    "kodi",
    ".edl",
    "scene markers and .nfo next to a video in Kodi and Jellyfin",
    "titles of markers (they are in the .nfo); times are milliseconds",
    save=save,
    adds_to=(".nfo",),
)
