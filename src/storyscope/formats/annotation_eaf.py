"""Annotations in ELAN files: one story an annotation of a tier."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from storyscope.errors import FormatError
from storyscope.formats.annotation_text import StoryLine, from_story_lines
from storyscope.formats.annotations import WrittenAnnotation

STORY_WORDS = ("stor", "scene", "chapter")
"""A tier with one of these in its name holds stories."""


def read_eaf(path: Path, text: str, tier: str | None = None) -> list[WrittenAnnotation]:
    """The tier of that name; or every tier named for stories; or the only tier there is."""
    document = _parse(path, text)
    tiers = [each for each in document.tiers if each.annotations]
    chosen = _choose(path, tiers, tier)
    return [_read_tier(path, each, document.slots) for each in chosen]


@dataclass
class _TimedText:
    line: int
    first_slot: str
    last_slot: str
    text: str = ""


@dataclass
class _Tier:
    name: str
    annotator: str
    annotations: list[_TimedText] = field(default_factory=list)


@dataclass
class _Document:
    slots: dict[str, float | None] = field(default_factory=dict)
    """Seconds of each time slot; None where it is not aligned."""
    tiers: list[_Tier] = field(default_factory=list)
    in_value: bool = False


def _parse(path: Path, text: str) -> _Document:
    document = _Document()
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "TIME_SLOT":
            value = attributes.get("TIME_VALUE")
            document.slots[attributes["TIME_SLOT_ID"]] = (
                None if value is None else int(value) / 1000
            )
        elif tag == "TIER":
            name = attributes["TIER_ID"]
            person = attributes.get("ANNOTATOR") or attributes.get("PARTICIPANT") or ""
            document.tiers.append(_Tier(name, person))
        elif tag == "ALIGNABLE_ANNOTATION":
            slots = attributes["TIME_SLOT_REF1"], attributes["TIME_SLOT_REF2"]
            document.tiers[-1].annotations.append(_TimedText(parser.CurrentLineNumber, *slots))
        document.in_value = tag == "ANNOTATION_VALUE"

    def characters(data: str) -> None:
        if document.in_value and document.tiers and document.tiers[-1].annotations:
            document.tiers[-1].annotations[-1].text += data

    def end(tag: str) -> None:
        document.in_value = False

    def refuse(*_: object) -> None:
        raise FormatError(f"{path}:{parser.CurrentLineNumber}: an ELAN file declares no entities")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text.encode("utf-8"), True)
    except (expat.ExpatError, KeyError, ValueError, IndexError) as error:
        line = parser.CurrentLineNumber
        raise FormatError(f"{path}:{line}: not an ELAN file: {error}") from error
    return document


def _choose(path: Path, tiers: list[_Tier], wanted: str | None) -> list[_Tier]:
    names = ", ".join(tier.name for tier in tiers) or "none with times"
    if wanted is not None:
        chosen = [tier for tier in tiers if tier.name == wanted]
        if not chosen:
            raise FormatError(f"{path}: no tier is called {wanted!r}; it has {names}")
        return chosen
    named = [tier for tier in tiers if any(w in tier.name.lower() for w in STORY_WORDS)]
    if named or len(tiers) == 1:
        return named or tiers
    raise FormatError(f"{path}: which tier holds the stories? name it with --tier; it has {names}")


def _read_tier(path: Path, tier: _Tier, slots: dict[str, float | None]) -> WrittenAnnotation:
    stories = []
    for each in tier.annotations:
        start, end = slots.get(each.first_slot), slots.get(each.last_slot)
        if start is None or end is None:
            raise FormatError(
                f"{path}:{each.line}: {each.text or 'a story'} has no time; align it in ELAN"
            )
        stories.append(StoryLine(each.line, start, end, each.text.strip()))
    return from_story_lines(path, tier.annotator or tier.name, stories, "seconds")
