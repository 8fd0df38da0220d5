"""Transcripts, word by word."""

from __future__ import annotations

from dataclasses import dataclass

from storyscope.core.span import Span


@dataclass(frozen=True)
class Word:
    """One word as written, punctuation included."""

    text: str
    span: Span
    confidence: float = 1.0


@dataclass(frozen=True)
class Transcript:
    """The words of one track in the order they are spoken."""

    words: tuple[Word, ...]
    language: str = "en"
    """ISO 639-1 code, or "und" if unknown."""
    source: str = ""
    """Where it came from: a file name, "track 2", "speech" or "screen"."""

    def within(self, span: Span) -> tuple[Word, ...]:
        """Words whose middle lies inside the span."""
        return tuple(word for word in self.words if word.span.middle in span)

    def text(self, span: Span | None = None) -> str:
        words = self.words if span is None else self.within(span)
        return " ".join(word.text for word in words)
