"""FCPXML: a project for Final Cut Pro, one clip and one chapter marker per story."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree as xml

from storyscope.formats.registry import Format
from storyscope.formats.timecode import is_drop
from storyscope.formats.timeline import STANDARD_RATES, Entry, Timeline, film_address
from storyscope.formats.xml_text import document, legal

VERSION = "1.9"
RATES = tuple(rate for rate in STANDARD_RATES if rate != 48)
"""Frame rates of the formats that Final Cut Pro defines."""


def write(timeline: Timeline) -> str:
    """The film cut at the boundaries of stories; shots become markers inside them."""
    timeline = _at_a_rate_of_apples(timeline)
    root = xml.Element("fcpxml", version=VERSION)
    if timeline.rate_note:
        root.append(xml.Comment(f" {timeline.rate_note} "))
    whole = _time(timeline, timeline.frame(timeline.video.duration))
    _add_resources(xml.SubElement(root, "resources"), timeline, whole)
    event = xml.SubElement(xml.SubElement(root, "library"), "event", name="Storyscope")
    project = xml.SubElement(event, "project", name=timeline.video.id)
    sequence = xml.SubElement(
        project,
        "sequence",
        format="r1",
        duration=whole,
        tcStart="0s",
        tcFormat="DF" if is_drop(timeline.rate) else "NDF",
    )
    spine = xml.SubElement(sequence, "spine")
    for entry in timeline.entries:
        _add_clip(spine, timeline, entry)
    return document(root, doctype="<!DOCTYPE fcpxml>\n")


def _at_a_rate_of_apples(timeline: Timeline) -> Timeline:
    """Final Cut Pro knows no 48 frames per second: such a film counts every second frame."""
    rate = timeline.rate if timeline.rate in RATES else timeline.rate / 2
    return replace(timeline, counted_rate=rate)


def _add_resources(resources: xml.Element, timeline: Timeline, whole: str) -> None:
    video = timeline.video
    xml.SubElement(
        resources,
        "format",
        id="r1",
        frameDuration=_time(timeline, 1),
        width=str(video.width),
        height=str(video.height),
    )
    facts = {
        "id": "r2",
        "name": Path(video.path).name,
        "start": "0s",
        "duration": whole,
        "hasVideo": "1",
        "format": "r1",
    }
    if video.has_sound:
        facts |= {"hasAudio": "1", "audioSources": "1"}
    asset = xml.SubElement(resources, "asset", facts)
    address = film_address(video)
    xml.SubElement(asset, "media-rep", kind="original-media", src=address)


def _add_clip(spine: xml.Element, timeline: Timeline, entry: Entry) -> None:
    first, end = timeline.frame(entry.span.start), timeline.frame(entry.span.end)
    start = _time(timeline, first)
    title = legal(entry.title)
    clip = xml.SubElement(
        spine,
        "asset-clip",
        ref="r2",
        name=title,
        offset=start,
        start=start,
        duration=_time(timeline, end - first),
    )
    one = _time(timeline, 1)
    xml.SubElement(clip, "chapter-marker", start=start, duration=one, value=title or "–")
    for shot in timeline.inside(entry)[1:]:
        at = _time(timeline, timeline.frame(shot.span.start))
        xml.SubElement(clip, "marker", start=at, duration=one, value=legal(shot.title))
    if entry.keywords:
        words = legal(", ".join(entry.keywords))
        length = _time(timeline, end - first)
        xml.SubElement(clip, "keyword", start=start, duration=length, value=words)


def _time(timeline: Timeline, frames: int) -> str:
    """Rational seconds, a whole number of frames, as Final Cut Pro insists."""
    seconds = Fraction(frames) / timeline.rate
    if seconds.denominator == 1:
        return f"{seconds.numerator}s"
    return f"{seconds.numerator}/{seconds.denominator}s"


FORMAT = Format(
    "fcpxml",
    ".fcpxml",
    "a project for Final Cut Pro and what imports its XML",
    "times are whole frames",
    write,
    nests=True,
    counts_frames=True,
)
