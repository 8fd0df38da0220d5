"""A person's query as full-text expressions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from storyscope.core.language import stop_words

_PARTS = re.compile(r'"([^"]+)"|(\w[\w\'’-]*)')


def query_terms(text: str, *, language: str = "en") -> list[str]:
    """The words and "quoted phrases" of a query that carry meaning, in their order."""
    small = stop_words(language)
    found = []
    for phrase, word in _PARTS.findall(text):
        term = (phrase or word).lower()
        if phrase or term not in small:
            found.append(term)
    return found


def expression(terms: Sequence[str]) -> str:
    """Match any of the terms; the last may be unfinished, as in a box typed into."""
    quoted = [f'"{term.replace(chr(34), "")}"' for term in terms]
    if terms and " " not in terms[-1] and len(terms[-1]) > 2:
        quoted[-1] = f"({quoted[-1]} OR {quoted[-1]}*)"
    return " OR ".join(quoted)
