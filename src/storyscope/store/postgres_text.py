"""Full-text search in PostgreSQL with the same words as in a folder.

PostgreSQL's own parser and stemmer split some words differently from SQLite's, so a query would
find different passages. Therefore SQLite's tokenizer, which every Python has, produces the words
with their positions, and PostgreSQL indexes them as a `tsvector`.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from storyscope.core import Passages
from storyscope.store.indexes import MAX_MATCHES, TextQuery
from storyscope.store.postgres_connection import Database

if TYPE_CHECKING:
    from psycopg import Connection

MAX_POSITION = 16_383
"""Maximum position of a word in PostgreSQL: all later words get this one."""

_local = threading.local()


class PostgresText:
    """Full text of the passages in the database of a library."""

    def __init__(self, database: Database) -> None:
        self._ask = database.ask

    def find(self, query: TextQuery, *, limit: int = MAX_MATCHES) -> np.ndarray:
        wanted = text_query(query)
        if not wanted:
            return np.zeros(0, np.int64)
        rows = self._ask(
            "SELECT address FROM said WHERE words @@ %s::tsquery ORDER BY address LIMIT %s",
            (wanted, limit),
        )
        return np.array([row["address"] for row in rows], np.int64)

    def addresses(self) -> dict[str, range]:
        rows = self._ask("SELECT video, first, first + count AS stop FROM said_of")
        return {row["video"]: range(row["first"], row["stop"]) for row in rows}

    def at(self, address: int) -> str:
        (row,) = self._ask("SELECT text FROM said WHERE address = %s", (int(address),))
        return str(row["text"])

    def vocabulary(self, prefix: str) -> list[str]:
        rows = self._ask(
            "SELECT DISTINCT term FROM said_term WHERE term >= %s AND term < %s ORDER BY term",
            (prefix, prefix + chr(0x10FFFF)),
        )
        return [row["term"] for row in rows]


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
    """A text query as the literal of a `tsquery`; empty if no term has any word."""
    phrases: list[list[str]] = [[] for _ in query.terms]
    for term, number, _ in sorted(_instances(query.terms), key=lambda found: found[1:]):
        phrases[number].append(_quoted(term))
    if query.prefix and phrases and phrases[-1]:
        phrases[-1][-1] += ":*"
    return " | ".join(f"({' <-> '.join(phrase)})" for phrase in phrases if phrase)


def texts_of(value: Any) -> list[str]:
    """Spoken and on-screen text in a form that PostgreSQL can store; only passages have any."""
    if not isinstance(value, Passages):
        return []
    return [text.replace("\0", " ") for text in (*value.texts, *value.screen_texts)]


def file_words(
    connection: Connection[Any],
    video: str,
    first: int,
    texts: Sequence[str],
    vectors: Sequence[str],
    terms: Sequence[str],
) -> None:
    """Add spoken and on-screen text to the full-text index."""
    for table in ("said", "said_of", "said_term"):
        connection.execute(f"DELETE FROM {table} WHERE video = %s", (video,))
    cursor = connection.cursor()
    with cursor.copy("COPY said (address, video, text, words) FROM STDIN") as copy:
        for address, (text, words) in enumerate(zip(texts, vectors, strict=True), start=first):
            copy.write_row((address, video, text, words))
    with cursor.copy("COPY said_term (term, video) FROM STDIN") as copy:
        for term in terms:
            copy.write_row((term, video))
    connection.execute("INSERT INTO said_of VALUES (%s, %s, %s)", (video, first, len(texts)))


def _instances(texts: Sequence[str]) -> list[tuple[str, int, int]]:
    """Every word stem with the number of its text and its position there."""
    connection = _tokenizer()
    try:
        numbered = enumerate(texts)
        connection.executemany("INSERT INTO said (rowid, text) VALUES (?, ?)", numbered)
        return connection.execute('SELECT term, doc, "offset" FROM instance').fetchall()
    finally:
        connection.rollback()


def _tokenizer() -> sqlite3.Connection:
    """This thread's empty full-text index in memory."""
    if not hasattr(_local, "tokenizer"):
        connection = sqlite3.connect(":memory:")
        connection.executescript(
            """
            CREATE VIRTUAL TABLE said USING fts5
                (text, tokenize = 'porter unicode61 remove_diacritics 2');
            CREATE VIRTUAL TABLE instance USING fts5vocab (said, instance);
            """
        )
        _local.tokenizer = connection
    tokenizer: sqlite3.Connection = _local.tokenizer
    return tokenizer


def _quoted(term: str) -> str:
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"
