"""Full-text search in SQLite: passages into FTS5, and text queries in its syntax."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

import numpy as np

from storyscope.core import Passages
from storyscope.store.indexes import MAX_MATCHES, TextQuery


class SqliteText:
    """Full text of the passages in the database of a library."""

    def __init__(self, ask: Callable[..., list[sqlite3.Row]]) -> None:
        self._ask = ask

    def find(self, query: TextQuery, *, limit: int = MAX_MATCHES) -> np.ndarray:
        # Ranking would look up every match, which takes a second for a common word; one text of all
        # numbers is read faster than as many rows.
        ((numbers,),) = self._ask(
            "SELECT group_concat(rowid) FROM (SELECT rowid FROM said WHERE said MATCH ? LIMIT ?)",
            (match_expression(query), limit),
        )
        return np.fromstring(numbers or "", np.int64, sep=",")

    def addresses(self) -> dict[str, range]:
        rows = self._ask("SELECT video, first, first + count FROM said_of")
        return {video: range(first, end) for video, first, end in rows}

    def at(self, address: int) -> str:
        (row,) = self._ask("SELECT text FROM said WHERE rowid = ?", (int(address),))
        return str(row["text"])

    def vocabulary(self, prefix: str) -> list[str]:
        rows = self._ask(
            "SELECT term FROM said_terms WHERE term >= ? AND term < ?",
            (prefix, prefix + chr(0x10FFFF)),
        )
        return [row["term"] for row in rows]


def match_expression(query: TextQuery) -> str:
    """A text query in the syntax of FTS5, where nothing inside quotes is an operator."""
    quoted = [f'"{term.translate(_NOT_IN_QUOTES)}"' for term in query.terms] or ['""']
    return " OR ".join(quoted) + "*" * query.prefix


_NOT_IN_QUOTES = str.maketrans({'"': " ", "\0": " "})


def file_words(connection: sqlite3.Connection, video: str, passages: Passages) -> None:
    """Add spoken and on-screen text to the full-text index."""
    connection.execute(
        "DELETE FROM said WHERE rowid >= (SELECT first FROM said_of WHERE video = ?1)"
        " AND rowid < (SELECT first + count FROM said_of WHERE video = ?1)",
        (video,),
    )
    said = zip(passages.texts, passages.spans.tolist(), strict=True)
    read = zip(passages.screen_texts, passages.screen_seconds, strict=True)
    rows = [(text, video, start, end, "said") for text, (start, end) in said]
    rows += [(text, video, second, second, "read") for text, second in read]
    last = connection.execute("SELECT rowid FROM said ORDER BY rowid DESC LIMIT 1").fetchone()
    first = last["rowid"] + 1 if last else 1
    connection.executemany(
        "INSERT INTO said (rowid, text, video, start, end, kind) VALUES (?, ?, ?, ?, ?, ?)",
        [(address, *row) for address, row in enumerate(rows, start=first)],
    )
    connection.execute("INSERT OR REPLACE INTO said_of VALUES (?, ?, ?)", (video, first, len(rows)))
