"""What a story could be called, and how well each name fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WEAK = 0.1


@dataclass(frozen=True)
class Candidate:
    """A phrase or a sight that could stand in a story's title."""

    text: str
    key: tuple[str, ...]
    score: float
    mentions: int
    seen: bool = False
    probability: float = 1.0
    """How surely it is there: one for what is said."""

    @property
    def is_weak(self) -> bool:
        """Good enough to tell two titles apart, not to be a keyword."""
        return self.probability < WEAK


def without_nested(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Of phrases that share a word keep the first, told as fully as half its mentions tell it."""
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
