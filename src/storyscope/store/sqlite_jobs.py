"""The jobs of a library in a folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any


class SqliteJobs:
    """Jobs in the database of a library."""

    def __init__(
        self,
        ask: Callable[..., list[sqlite3.Row]],
        transaction: Callable[[], AbstractContextManager[Any]],
    ) -> None:
        self._ask, self._transaction = ask, transaction

    def add(self, facts: str) -> int:
        with self._transaction() as connection:
            added = connection.execute("INSERT INTO job (facts) VALUES (?)", (facts,))
        return int(added.lastrowid or 0)

    def put(self, number: int, facts: str | None) -> None:
        with self._transaction() as connection:
            if facts is None:
                connection.execute("DELETE FROM job WHERE id = ?", (number,))
            else:
                connection.execute("UPDATE job SET facts = ? WHERE id = ?", (facts, number))

    def get(self, number: int) -> str | None:
        rows = self._ask("SELECT facts FROM job WHERE id = ?", (number,))
        return rows[0]["facts"] if rows else None

    def all(self) -> dict[int, str]:
        return {row["id"]: row["facts"] for row in self._ask("SELECT * FROM job ORDER BY id")}

    def listener(self) -> None:
        return None
