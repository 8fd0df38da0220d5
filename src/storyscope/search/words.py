"""A person's query as full-text expressions, and what they may have meant to type."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from storyscope.core.language import stop_words

_PARTS = re.compile(r'"([^"]+)"|(\w[\w\'’-]*)')
SHORTEST_MISTAKE = 5
"""Letters of the shortest word that is taken for a mistake: shorter ones are near too many."""
TWO_MISTAKES = 8
"""Letters from which on two slips are forgiven."""


def query_terms(text: str, *, language: str = "en") -> list[str]:
    """The words and "quoted phrases" of a query that carry meaning, in their order."""
    small = stop_words(language)
    found = []
    for phrase, word in _PARTS.findall(text):
        term = (phrase or word).lower()
        if phrase or term not in small:
            found.append(term)
    return found


def quoted_phrases(text: str) -> list[str]:
    """What must be there word by word."""
    return [phrase.lower() for phrase, _ in _PARTS.findall(text) if phrase]


def expression(terms: Sequence[str], *, unfinished: bool = False) -> str:
    """Match any of the terms; the last may be `unfinished`, as in a box typed into."""
    quoted = [f'"{term.replace(chr(34), "")}"' for term in terms]
    if unfinished and " " not in terms[-1] and len(terms[-1]) > 2:
        quoted[-1] += "*"
    return " OR ".join(quoted)


def singular(word: str) -> str:
    """An English noun as a concept's name has it."""
    if len(word) < 4 or word.endswith(("ss", "us", "is")):
        return word
    for plural, ending in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("s", "")):
        if word.endswith(plural):
            return word[: -len(plural)] + ending
    return word


def nearest_word(word: str, known: Iterable[str]) -> str | None:
    """The known word that a slip or two of the keyboard turn into `word`, or None.

    The first letter is taken for right; of equally near words the first in the alphabet wins.
    """
    if len(word) < SHORTEST_MISTAKE:
        return None
    forgiven = 2 if len(word) >= TWO_MISTAKES else 1
    near = [
        (slips, other)
        for other in known
        if other[:1] == word[:1] and abs(len(other) - len(word)) <= forgiven + 1
        if (slips := min(edit_distance(word, other), edit_distance(singular(word), other)))
        <= forgiven
    ]
    return min(near)[1] if near else None


def edit_distance(left: str, right: str) -> int:
    """Letters to add, drop, change, or swap with their neighbour, to turn one into the other."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, letter in enumerate(left, start=1):
        earlier, before, row = before, row, [i]
        for j, other in enumerate(right, start=1):
            cost = min(row[j - 1] + 1, before[j] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == right[j - 2] and left[i - 2] == other:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]
