"""ELAN annotation documents: a tier of stories and, nested in it, one of shots."""

from __future__ import annotations

from collections.abc import Sequence
from mimetypes import guess_type
from pathlib import Path
from xml.etree import ElementTree as xml

from storyscope.formats.registry import Format
from storyscope.formats.timeline import Entry, Timeline, film_address
from storyscope.formats.xml_text import document, legal

SCHEMA = "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"
DATE = "1970-01-01T00:00:00+00:00"
"""A fixed date, which the schema requires: the same stories always give the same bytes."""
INCLUDED_IN = (
    "Time alignable annotations within the parent annotation's time interval, gaps are allowed"
)


def write(timeline: Timeline) -> str:
    """Stories as annotations with times in milliseconds."""
    root = xml.Element(
        "ANNOTATION_DOCUMENT",
        {
            "AUTHOR": legal(timeline.annotator),
            "DATE": DATE,
            "FORMAT": "3.0",
            "VERSION": "3.0",
            "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
            "xsi:noNamespaceSchemaLocation": SCHEMA,
        },
    )
    _add_header(root, timeline)
    tiers = {"stories": timeline.entries}
    if timeline.shots:
        tiers["shots"] = tuple(
            shot for entry in timeline.entries for shot in timeline.inside(entry)
        )
    slots = _add_time_order(root, [entry for tier in tiers.values() for entry in tier])
    for name, entries in tiers.items():
        _add_tier(root, name, timeline.annotator, entries, slots)
    _add_types(root, nested=bool(timeline.shots))
    return document(root)


def _add_header(root: xml.Element, timeline: Timeline) -> None:
    path = Path(timeline.video.path)
    header = xml.SubElement(root, "HEADER", MEDIA_FILE="", TIME_UNITS="milliseconds")
    xml.SubElement(
        header,
        "MEDIA_DESCRIPTOR",
        MEDIA_URL=film_address(timeline.video),
        MIME_TYPE=guess_type(path.name)[0] or "video/mp4",
    )


def _add_time_order(root: xml.Element, entries: Sequence[Entry]) -> dict[tuple[int, int], str]:
    """A separate time slot for every edge of every entry: ELAN would move both entries of a shared
    one."""
    edges = [
        (round(seconds * 1000), number, edge)
        for number, entry in enumerate(entries)
        for edge, seconds in enumerate((entry.span.start, entry.span.end))
    ]
    order = xml.SubElement(root, "TIME_ORDER")
    slots = {}
    for place, (milliseconds, number, edge) in enumerate(sorted(edges), start=1):
        name = f"ts{place}"
        xml.SubElement(order, "TIME_SLOT", TIME_SLOT_ID=name, TIME_VALUE=str(milliseconds))
        slots[id(entries[number]), edge] = name
    return slots


def _add_tier(
    root: xml.Element,
    name: str,
    annotator: str,
    entries: Sequence[Entry],
    slots: dict[tuple[int, int], str],
) -> None:
    facts = {"TIER_ID": name, "ANNOTATOR": legal(annotator), "LINGUISTIC_TYPE_REF": name}
    if name != "stories":
        facts["PARENT_REF"] = "stories"
    tier = xml.SubElement(root, "TIER", facts)
    for number, entry in enumerate(entries, start=1):
        annotation = xml.SubElement(
            xml.SubElement(tier, "ANNOTATION"),
            "ALIGNABLE_ANNOTATION",
            ANNOTATION_ID=f"{name}{number}",
            TIME_SLOT_REF1=slots[id(entry), 0],
            TIME_SLOT_REF2=slots[id(entry), 1],
        )
        xml.SubElement(annotation, "ANNOTATION_VALUE").text = legal(entry.title)


def _add_types(root: xml.Element, *, nested: bool) -> None:
    kinds = {"stories": {}, "shots": {"CONSTRAINTS": "Included_In"}} if nested else {"stories": {}}
    for name, constraint in kinds.items():
        facts = {"LINGUISTIC_TYPE_ID": name, "TIME_ALIGNABLE": "true", **constraint}
        xml.SubElement(root, "LINGUISTIC_TYPE", facts | {"GRAPHIC_REFERENCES": "false"})
    if nested:
        xml.SubElement(root, "CONSTRAINT", STEREOTYPE="Included_In", DESCRIPTION=INCLUDED_IN)


FORMAT = Format(
    "eaf",
    ".eaf",
    "ELAN, for scholars who annotate",
    "keywords; times are milliseconds",
    write,
    nests=True,
)
