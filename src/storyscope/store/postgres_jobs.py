"""The jobs of a library in PostgreSQL; servers are notified of changes by LISTEN and NOTIFY."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from storyscope.store.postgres_connection import RETRY_SECONDS, Database

if TYPE_CHECKING:
    from psycopg import Connection

POLL_SECONDS = 1.0
"""Seconds until a closed listener stops waiting."""


def channel_of(schema: str) -> str:
    """The channel for changes of a library's jobs."""
    return f"{schema}_jobs"


class PostgresJobs:
    """Jobs in the database of a library."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, facts: str) -> int:
        (row,) = self._database.ask("SELECT nextval('job_number') AS number")
        self._change(
            "INSERT INTO job VALUES (%s, %s) ON CONFLICT (id) DO NOTHING", (row["number"], facts)
        )
        return int(row["number"])

    def put(self, number: int, facts: str | None) -> None:
        if facts is None:
            self._change("DELETE FROM job WHERE id = %s", (number,))
        else:
            self._change("UPDATE job SET facts = %s WHERE id = %s", (facts, number))

    def get(self, number: int) -> str | None:
        rows = self._database.ask("SELECT facts FROM job WHERE id = %s", (number,))
        return rows[0]["facts"] if rows else None

    def all(self) -> dict[int, str]:
        rows = self._database.ask("SELECT * FROM job ORDER BY id")
        return {row["id"]: row["facts"] for row in rows}

    def listener(self) -> PostgresListener:
        return PostgresListener(self._database)

    def _change(self, statement: str, values: Any) -> None:
        """Change a job and notify every server; the version of the library does not change."""

        def change(connection: Connection[Any]) -> None:
            connection.execute(statement, values)
            channel = channel_of(self._database.address.schema)
            connection.execute("SELECT pg_notify(%s, '')", (channel,))

        self._database.write(change, counted=False)


class PostgresListener:
    """A separate connection that waits for notifications, and is renewed when it is lost."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Connection[Any] | None = None
        self._closed = threading.Event()

    def wait(self, seconds: float) -> None:
        """Return when a job has changed, or after some seconds at most."""
        import psycopg

        end = time.monotonic() + seconds
        while not self._closed.is_set() and (left := end - time.monotonic()) > 0:
            try:
                connection = self._listening()
                if [*connection.notifies(timeout=min(left, POLL_SECONDS), stop_after=1)]:
                    # One update answers all notifications so far.
                    list(connection.notifies(timeout=0))
                    return
            except psycopg.OperationalError:
                self._connection = None
                self._closed.wait(RETRY_SECONDS)

    def close(self) -> None:
        """Stop waiting."""
        self._closed.set()

    def _listening(self) -> Connection[Any]:
        if self._connection is None:
            self._connection = self._database.connect()
            channel = channel_of(self._database.address.schema)
            self._connection.execute(f'LISTEN "{channel}"')
        return self._connection

    def __del__(self) -> None:
        if self._connection is not None:
            self._connection.close()
