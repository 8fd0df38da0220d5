"""Matroska chapter XML: `mkvmerge -o out.mkv --chapters chapters.xml film.mp4`."""

from __future__ import annotations

from hashlib import sha256
from xml.etree import ElementTree as xml

from storyscope.formats.registry import Format
from storyscope.formats.timeline import Entry, Timeline
from storyscope.formats.xml_text import document, legal


def write(timeline: Timeline) -> str:
    """One edition, one atom per story with its shots inside, times to the nanosecond."""
    root = xml.Element("Chapters")
    edition = xml.SubElement(root, "EditionEntry")
    xml.SubElement(edition, "EditionFlagDefault").text = "1"
    for number, entry in enumerate(timeline.entries, start=1):
        atom = _add(edition, f"{timeline.video.id} {number}", entry)
        for part, shot in enumerate(timeline.inside(entry), start=1):
            _add(atom, f"{timeline.video.id} {number} {part}", shot)
    return document(root)


def _add(parent: xml.Element, name: str, entry: Entry) -> xml.Element:
    atom = xml.SubElement(parent, "ChapterAtom")
    identity = int(sha256(name.encode()).hexdigest()[:12], 16) + 1
    xml.SubElement(atom, "ChapterUID").text = str(identity)
    xml.SubElement(atom, "ChapterTimeStart").text = _stamp(entry.span.start)
    xml.SubElement(atom, "ChapterTimeEnd").text = _stamp(entry.span.end)
    display = xml.SubElement(atom, "ChapterDisplay")
    xml.SubElement(display, "ChapterString").text = legal(entry.title)
    xml.SubElement(display, "ChapterLanguage").text = "und"
    return atom


def _stamp(seconds: float) -> str:
    nanoseconds = round(seconds * 1e9)
    whole, rest = divmod(nanoseconds, 1_000_000_000)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}.{rest:09d}"


FORMAT = Format(
    "matroska",
    ".xml",
    "chapter XML for mkvmerge and mkvpropedit",
    "keywords",
    write,
    nests=True,
)
