"""XML subtitle formats: TTML (also called DFXP) and YouTube's three."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from storyscope.core.language import UNKNOWN, language_code
from storyscope.errors import TranscriptError
from storyscope.transcripts.cues import Cue
from storyscope.transcripts.text_formats import seconds_of


def xml_cues(text: str, name: str = "") -> tuple[list[Cue], str]:
    """Cues of a TTML, DFXP, srv1, srv2 or srv3 file."""
    if "<!ENTITY" in text:
        raise TranscriptError(f"{name} defines XML entities, which no subtitle file needs")
    try:
        # The text is decoded already; its declared encoding no longer applies.
        root = ElementTree.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text))
    except ElementTree.ParseError as error:
        raise TranscriptError(f"{name} is not valid XML: {error}") from error
    kind = _local(root.tag)
    if kind == "tt":
        return list(_ttml_cues(root)), _declared_language(root)
    if kind in ("timedtext", "transcript"):
        return list(_youtube_cues(root)), UNKNOWN
    raise TranscriptError(
        f"{name} contains <{kind}>; TTML's <tt> or YouTube's <timedtext> are read"
    )


@dataclass(frozen=True)
class _Rates:
    frames: float
    ticks: float


def _ttml_cues(root: ElementTree.Element) -> Iterator[Cue]:
    rates = _rates(root)
    body = next((child for child in root if _local(child.tag) == "body"), root)
    yield from _paragraphs(body, 0.0, rates)


def _paragraphs(element: ElementTree.Element, parent: float, rates: _Rates) -> Iterator[Cue]:
    """Times of a TTML element are relative to the start of its parent."""
    begin = parent + (_ttml_seconds(element.get("begin"), rates) or 0.0)
    if _local(element.tag) != "p":
        for child in element:
            yield from _paragraphs(child, begin, rates)
        return
    text, anchors = _ttml_text(element, begin, rates)
    end = _end(element, parent, begin, rates)
    starts = [seconds for _, seconds in anchors]
    if element.get("begin") is None and starts:
        begin = min(starts)
    if end is None:
        end = max((_last_end(element, begin, rates), begin))
    if element.get("begin") is not None or starts:
        yield Cue(begin, end, text, anchors=tuple(anchors))


def _end(element: ElementTree.Element, parent: float, begin: float, rates: _Rates) -> float | None:
    end = _ttml_seconds(element.get("end"), rates)
    if end is not None:
        return parent + end
    length = _ttml_seconds(element.get("dur"), rates)
    return None if length is None else begin + length


def _last_end(element: ElementTree.Element, begin: float, rates: _Rates) -> float:
    ends = [_ttml_seconds(child.get("end"), rates) for child in element.iter()]
    return begin + max((end for end in ends if end is not None), default=0.0)


def _ttml_text(
    element: ElementTree.Element, begin: float, rates: _Rates
) -> tuple[str, list[tuple[int, float]]]:
    """Text of a paragraph; timed spans inside it become anchors."""
    text = re.sub(r"\s+", " ", element.text or "")
    anchors: list[tuple[int, float]] = []
    for child in element:
        tag = _local(child.tag)
        if tag == "br":
            text += "\n"
        elif tag == "span" and "textContainer" not in (_ruby(child) or ""):
            start = _ttml_seconds(child.get("begin"), rates)
            inner, inside = _ttml_text(child, begin + (start or 0.0), rates)
            if start is not None:
                anchors.append((len(text), begin + start))
            anchors += [(len(text) + place, seconds) for place, seconds in inside]
            text += inner
            end = _ttml_seconds(child.get("end"), rates)
            if end is not None:
                anchors.append((len(text), begin + end))
        text += re.sub(r"\s+", " ", child.tail or "")
    return text, anchors


def _ruby(element: ElementTree.Element) -> str | None:
    """Ruby is the pronunciation of a word written above it: the same word twice."""
    return next((value for key, value in element.attrib.items() if _local(key) == "ruby"), None)


def _rates(root: ElementTree.Element) -> _Rates:
    values = {_local(key): value for key, value in root.attrib.items()}
    try:
        frames = float(values.get("frameRate", 30))
        above, below = (values.get("frameRateMultiplier") or "1 1").replace(":", " ").split()
        frames *= float(above) / float(below)
        ticks = float(values.get("tickRate", frames if "frameRate" in values else 1))
    except (ValueError, ZeroDivisionError):
        frames, ticks = 30.0, 1.0
    return _Rates(frames=frames or 30.0, ticks=ticks or 1.0)


OFFSET = re.compile(r"(\d+(?:\.\d+)?)\s*(h|ms|m|s|f|t)")
FRAMED = re.compile(r"(\d+):(\d+):(\d+):(\d+(?:\.\d+)?)")


def _ttml_seconds(value: str | None, rates: _Rates) -> float | None:
    value = (value or "").strip()
    if match := OFFSET.fullmatch(value):
        units = {"h": 3600, "m": 60, "s": 1, "ms": 0.001, "f": 1 / rates.frames}
        return float(match[1]) * units.get(match[2], 1 / rates.ticks)
    if match := FRAMED.fullmatch(value):
        hours, minutes, seconds, frames = map(float, match.groups())
        return 3600 * hours + 60 * minutes + seconds + frames / rates.frames
    return seconds_of(value) if value else None


def _declared_language(root: ElementTree.Element) -> str:
    tag = next((value for key, value in root.attrib.items() if _local(key) == "lang"), "")
    return language_code(tag) or UNKNOWN


def _youtube_cues(root: ElementTree.Element) -> Iterator[Cue]:
    for element in root.iter():
        tag = _local(element.tag)
        if tag not in ("p", "text"):
            continue
        # srv1 has seconds in `start` and `dur`, srv2 and srv3 milliseconds in `t` and `d`.
        scale = 1.0 if element.get("start") is not None else 0.001
        start = _number(element.get("start") or element.get("t"))
        length = _number(element.get("dur") or element.get("d"))
        if start is None:
            continue
        text = element.text or ""
        anchors: list[tuple[int, float]] = []
        confidences: list[tuple[int, float]] = []
        for child in element:
            if _local(child.tag) == "br":
                text += "\n"
            anchors.append((len(text), scale * (start + (_number(child.get("t")) or 0.0))))
            sure = _number(child.get("ac"))
            if sure:
                confidences.append((len(text), min(1.0, sure / 255)))
            text += (child.text or "") + (child.tail or "")
        end = start + (length or 0.0)
        yield Cue(scale * start, scale * end, text, tuple(anchors), tuple(confidences))


def _number(value: str | None) -> float | None:
    try:
        return float(value) if value is not None else None
    except ValueError:
        return None


def _local(tag: str) -> str:
    """A name without its namespace."""
    return tag.rpartition("}")[2]
