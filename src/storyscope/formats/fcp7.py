"""Final Cut Pro 7 XML (xmeml): a sequence that Premiere Pro, Resolve and Avid import."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as xml

from storyscope.formats.registry import Format
from storyscope.formats.timeline import Entry, Timeline, film_address
from storyscope.formats.xml_text import document, legal

VERSION = "4"


def write(timeline: Timeline) -> str:
    """The film cut at the story boundaries, with a marker at the start of each story."""
    root = xml.Element("xmeml", version=VERSION)
    sequence = xml.SubElement(root, "sequence", id="sequence-1")
    whole = timeline.frame(timeline.video.duration)
    _add(sequence, "name", timeline.video.id)
    _add(sequence, "duration", whole)
    _add_rate(sequence, timeline)
    media = xml.SubElement(sequence, "media")
    kinds = ["video", "audio"] if timeline.video.has_sound else ["video"]
    for kind in kinds:
        track = xml.SubElement(xml.SubElement(media, kind), "track")
        for number, entry in enumerate(timeline.entries, start=1):
            _add_clip(track, timeline, entry, f"{kind}-{number}")
    for entry in timeline.entries:
        marker = xml.SubElement(sequence, "marker")
        _add(marker, "name", legal(entry.title))
        _add(marker, "comment", legal(entry.description))
        _add(marker, "in", timeline.frame(entry.span.start))
        _add(marker, "out", -1)
    return document(root, doctype="<!DOCTYPE xmeml>\n")


def _add_clip(track: xml.Element, timeline: Timeline, entry: Entry, name: str) -> None:
    start, end = timeline.frame(entry.span.start), timeline.frame(entry.span.end)
    clip = xml.SubElement(track, "clipitem", id=f"clipitem-{name}")
    _add(clip, "name", legal(entry.title))
    _add(clip, "duration", timeline.frame(timeline.video.duration))
    _add_rate(clip, timeline)
    for tag, frame in (("start", start), ("end", end), ("in", start), ("out", end)):
        _add(clip, tag, frame)
    _add_file(clip, timeline, whole=name == "video-1")


def _add_file(clip: xml.Element, timeline: Timeline, *, whole: bool) -> None:
    """The film: described at its first use, and then by its id."""
    file = xml.SubElement(clip, "file", id="file-1")
    if not whole:
        return
    video = timeline.video
    _add(file, "name", legal(Path(video.path).name))
    _add(file, "pathurl", film_address(video))
    _add_rate(file, timeline)
    _add(file, "duration", timeline.frame(video.duration))
    media = xml.SubElement(file, "media")
    picture = xml.SubElement(xml.SubElement(media, "video"), "samplecharacteristics")
    _add(picture, "width", video.width)
    _add(picture, "height", video.height)
    if video.has_sound:
        _add(xml.SubElement(media, "audio"), "channelcount", 2)


def _add_rate(parent: xml.Element, timeline: Timeline) -> None:
    rate = xml.SubElement(parent, "rate")
    _add(rate, "timebase", round(timeline.rate))
    _add(rate, "ntsc", "TRUE" if timeline.rate.denominator == 1001 else "FALSE")


def _add(parent: xml.Element, tag: str, value: object) -> None:
    xml.SubElement(parent, tag).text = str(value)


FORMAT = Format(
    "fcp7",
    ".xml",
    "Final Cut Pro 7 XML for Premiere Pro, Resolve and Avid",
    "times are whole frames",
    write,
    counts_frames=True,
)
