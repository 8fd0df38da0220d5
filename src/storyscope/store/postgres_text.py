"""Full-text search in PostgreSQL, by the same words as in a folder.

PostgreSQL's own parser and stemmer part some words otherwise than SQLite's, and then a query would
find other passages. So SQLite's tokenizer, which every Python has, makes the words with their
positions, and PostgreSQL indexes them as a `tsvector`.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from storyscope.store.protocol import TextQuery

MAX_POSITION = 16_383
"""Words further into a passage all stand at this position: PostgreSQL counts no further."""


class TokenizedTexts(NamedTuple):
    """Texts as PostgreSQL indexes them."""

    vectors: list[str]
    """Each text as the literal of a `tsvector`."""
    terms: list[str]
    """Every word stem of them, once."""


def tokenize(texts: Sequence[str]) -> TokenizedTexts:
    """The word stems of some texts with their positions."""
    positions: list[dict[str, list[int]]] = [defaultdict(list) for _ in texts]
    for term, number, position in _instances(texts):
        positions[number][term].append(min(position + 1, MAX_POSITION))
    vectors = [
        " ".join(f"{_quoted(term)}:{','.join(map(str, at))}" for term, at in found.items())
        for found in positions
    ]
    return TokenizedTexts(vectors, sorted({term for found in positions for term in found}))


def text_query(query: TextQuery) -> str:
    """A text query as the literal of a `tsquery`; empty where no term has any word."""
    phrases: list[list[str]] = [[] for _ in query.terms]
    for term, number, _ in sorted(_instances(query.terms), key=lambda found: found[1:]):
        phrases[number].append(_quoted(term))
    if query.prefix and phrases and phrases[-1]:
        phrases[-1][-1] += ":*"
    return " | ".join(f"({' <-> '.join(phrase)})" for phrase in phrases if phrase)


def _instances(texts: Sequence[str]) -> list[tuple[str, int, int]]:
    """Every word stem with the number of its text and its position there."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        """
        CREATE VIRTUAL TABLE said USING fts5
            (text, tokenize = 'porter unicode61 remove_diacritics 2');
        CREATE VIRTUAL TABLE instance USING fts5vocab (said, instance);
        """
    )
    numbered = enumerate(texts)
    connection.executemany("INSERT INTO said (rowid, text) VALUES (?, ?)", numbered)
    return connection.execute('SELECT term, doc, "offset" FROM instance').fetchall()


def _quoted(term: str) -> str:
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"
