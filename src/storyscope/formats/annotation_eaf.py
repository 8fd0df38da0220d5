"""Annotations in ELAN files: one story per annotation of a tier."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from storyscope.core.numbers import MAX_DIGITS
from storyscope.errors import FormatError
from storyscope.formats.annotation_text import StoryLine, from_story_lines
from storyscope.formats.annotation_tiers import story_tiers
from storyscope.formats.annotations import Hints, WrittenAnnotation
from storyscope.formats.xml_text import Node, parse


def read_eaf(path: Path, text: str, hints: Hints) -> list[WrittenAnnotation]:
    """The tier with that name; or every tier named for stories; or the only tier.

    Several tiers are several annotators.
    """
    root = parse(path, text, kind="an ELAN file")
    try:
        slots = _slots(root)
        tiers = _tiers(root)
        names = story_tiers(path, [tier.name for tier in tiers], hints.tier)
        chosen = [tier for tier in tiers if tier.name in names]
        named = {each.annotator for each in chosen}
        # If several tiers have the same participant, or none, the names of the tiers are used.
        by_person = len(named) == len(chosen) and "" not in named
        return [
            _read_tier(path, each.annotator if by_person else each.name, each, slots)
            for each in chosen
        ]
    except _Misplaced as error:
        raise FormatError(f"{path}:{error}") from error


class _Misplaced(Exception):
    """The location and description of an error."""


@dataclass(frozen=True)
class _Tier:
    name: str
    annotator: str
    annotations: tuple[Node, ...]


def _tiers(root: Node) -> list[_Tier]:
    """Tiers that contain time-aligned annotations."""
    tiers = [
        _Tier(
            _wanted(tier, "TIER_ID"),
            tier.attributes.get("ANNOTATOR") or tier.attributes.get("PARTICIPANT") or "",
            tuple(node for node in tier.walk() if node.tag == "ALIGNABLE_ANNOTATION"),
        )
        for tier in root.all("TIER")
    ]
    return [tier for tier in tiers if tier.annotations]


def _slots(root: Node) -> dict[str, float]:
    """Seconds of each aligned time slot."""
    slots = (slot for order in root.all("TIME_ORDER") for slot in order.all("TIME_SLOT"))
    return {
        _wanted(slot, "TIME_SLOT_ID"): _milliseconds(slot) / 1000
        for slot in slots
        if "TIME_VALUE" in slot.attributes
    }


def _milliseconds(slot: Node) -> int:
    value = slot.attributes["TIME_VALUE"]
    if not (value.isdecimal() and len(value) <= MAX_DIGITS):
        raise _Misplaced(f"{slot.line}: a time is whole milliseconds, got {value[:40]!r}")
    return int(value)


def _wanted(node: Node, attribute: str) -> str:
    if attribute not in node.attributes:
        raise _Misplaced(f"{node.line}: {node.tag} has no {attribute}")
    return node.attributes[attribute]


def _read_tier(
    path: Path, annotator: str, tier: _Tier, slots: dict[str, float]
) -> WrittenAnnotation:
    stories = []
    for each in tier.annotations:
        title = each.words("ANNOTATION_VALUE")
        start = slots.get(_wanted(each, "TIME_SLOT_REF1"))
        end = slots.get(_wanted(each, "TIME_SLOT_REF2"))
        if start is None or end is None:
            raise _Misplaced(f"{each.line}: {title or 'a story'} has no time; align it in ELAN")
        stories.append(StoryLine(each.line, start, end, title))
    return from_story_lines(path, annotator, stories, "seconds")
