"""What a transcript speaks of."""

from __future__ import annotations

from dataclasses import dataclass

from storyscope.core.span import Span
from storyscope.core.transcript import Word


@dataclass(frozen=True)
class Phrase:
    """One mention of something: "polar bears" said at some time."""

    text: str
    """As a title would write it: names keep their capitals, other words lose them."""
    key: tuple[str, ...]
    """Its words in the form that makes "bears" and "Bear" one: compared, never shown."""
    span: Span
    is_name: bool = False


@dataclass(frozen=True)
class Mined:
    """What a grammar finds in a transcript."""

    terms: tuple[Word, ...]
    """Every mention of a noun, proper noun or foreign word, as its lower-case lemma."""
    phrases: tuple[Phrase, ...]
    """Every noun phrase, without its article: what titles are made of."""
