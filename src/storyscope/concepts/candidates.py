"""Possible names of a story, and how well each fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WEAK = 0.1


@dataclass(frozen=True)
class Candidate:
    """A phrase or a recognised class that could be in a story's title."""

    text: str
    key: tuple[str, ...]
    score: float
    mentions: int
    seen: bool = False
    probability: float = 1.0
    """Probability that it is right: one for spoken phrases."""

    @property
    def is_weak(self) -> bool:
        """Whether it may distinguish two titles, but is not good enough to be a keyword."""
        return self.probability < WEAK


def without_nested(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Keep the first of the phrases that share a word, in the longest form that half of its
    mentions have."""
    kept: list[Candidate] = []
    used: set[str] = set()
    for candidate in candidates:
        if used.intersection(candidate.key):
            continue
        fuller = [
            other
            for other in candidates
            if len(other.key) > len(candidate.key)
            and set(candidate.key) <= set(other.key)
            and 2 * other.mentions >= candidate.mentions
            and not used.intersection(other.key)
        ]
        chosen = max(fuller, key=lambda other: other.mentions, default=candidate)
        kept.append(chosen)
        used.update(chosen.key)
    return kept
