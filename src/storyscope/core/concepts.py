"""Terms and phrases of a transcript."""

from __future__ import annotations

from dataclasses import dataclass

from storyscope.core.span import Span
from storyscope.core.transcript import Word


@dataclass(frozen=True)
class Phrase:
    """One mention of something: "polar bears" spoken at some time."""

    text: str
    """The text as in a title: names keep their capitals, other words are lower-cased."""
    key: tuple[str, ...]
    """Normalised words, equal for "bears" and "Bear"; they are compared, never shown."""
    span: Span
    is_name: bool = False


@dataclass(frozen=True)
class Mined:
    """What a tagger finds in a transcript."""

    terms: tuple[Word, ...]
    """Every mention of a noun, proper noun or foreign word, as its lower-case lemma."""
    phrases: tuple[Phrase, ...]
    """Every noun phrase, without its article: the source of titles."""
