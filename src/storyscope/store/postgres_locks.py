"""Locks that last as long as the connection of their process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from storyscope.errors import LibraryError
from storyscope.store.postgres_connection import Database, lock_number

if TYPE_CHECKING:
    from psycopg import Connection

POLL_SECONDS = 0.05
FOREVER = float("inf")


class SessionLocks:
    """Advisory locks of one connection: the server releases them when this process ends."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Connection[Any] | None = None
        self._held: set[int] = set()
        self._using = threading.Lock()

    @contextmanager
    def holding(self, *names: str, patience: float = FOREVER) -> Iterator[None]:
        """Hold the lock with these names; TimeoutError if another process has it for too long."""
        number = lock_number(self._database.address.schema, *names)
        end = time.monotonic() + patience
        while not self._take(number):
            if time.monotonic() >= end:
                raise TimeoutError
            time.sleep(POLL_SECONDS)
        try:
            yield
        finally:
            self._give_back(number)

    def close(self) -> None:
        """Release every lock."""
        with self._using:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def _take(self, number: int) -> bool:
        import psycopg

        with self._using, self._database.explained():
            # For the server, all threads of this process are the same.
            if number in self._held:
                return False
            for last in (False, True):
                try:
                    return self._try(number)
                except psycopg.OperationalError:
                    # The connection was lost with its locks; a new one takes the same locks.
                    self._connection = None
                    if last:
                        raise
        raise LibraryError("the lock of the library could not be requested from the database")

    def _try(self, number: int) -> bool:
        if self._connection is None:
            self._connection = self._database.connect()
            for held in self._held:
                self._connection.execute("SELECT pg_try_advisory_lock(%s)", (held,))
        row = self._connection.execute(
            "SELECT pg_try_advisory_lock(%s) AS taken", (number,)
        ).fetchone()
        taken = bool(row and row["taken"])
        if taken:
            self._held.add(number)
        return taken

    def _give_back(self, number: int) -> None:
        import psycopg

        with self._using:
            self._held.discard(number)
            # A lost connection has released its locks already.
            with suppress(psycopg.Error):
                if self._connection is not None:
                    self._connection.execute("SELECT pg_advisory_unlock(%s)", (number,))
