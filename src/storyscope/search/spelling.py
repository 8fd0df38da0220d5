"""Typing errors: the known word that was most likely meant."""

from __future__ import annotations

from collections.abc import Iterable

from storyscope.core.plurals import singular

MIN_LETTERS = 5
"""Number of letters of the shortest word that is corrected: shorter ones are close to too many
others."""
TWO_TYPOS_LETTERS = 8
"""Number of letters of the shortest word in which two typing errors are corrected instead of
one."""


def nearest_word(word: str, known: Iterable[str]) -> str | None:
    """The known word within one or two typing errors of `word`, or None.

    The first letter is assumed to be right; ties are broken alphabetically.
    """
    if len(word) < MIN_LETTERS:
        return None
    allowed = 2 if len(word) >= TWO_TYPOS_LETTERS else 1
    near = [
        (typos, other)
        for other in known
        if other[:1] == word[:1] and abs(len(other) - len(word)) <= allowed + 1
        if (typos := min(edit_distance(word, other), edit_distance(singular(word), other)))
        <= allowed
    ]
    return min(near)[1] if near else None


def edit_distance(left: str, right: str) -> int:
    """Damerau-Levenshtein distance: letters to insert, delete, replace or swap with the next."""
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
