"""Documents of a library in PostgreSQL, as local files."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

from storyscope.store.explaining import explained
from storyscope.store.postgres_connection import Database
from storyscope.writing import write_whole


class PostgresDocuments:
    """The documents of a database, copied to a folder when they are requested and have changed."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._database, self._folder = database, folder
        self._digests: dict[str, str] = {}
        self._fetching = threading.Lock()

    def names(self) -> list[str]:
        """The names of all documents."""
        return sorted(self._kept())

    def fetched(self, name: str) -> Path:
        """The current file of a document; it does not exist if there is no such document.

        A document may refer to another, such as the settings to a model: all changed ones are
        downloaded.
        """
        with self._fetching, explained(self._folder):
            kept = self._kept()
            for other in {*self._digests, name} - kept.keys():
                (self._folder / other).unlink(missing_ok=True)
            for other, digest in kept.items():
                if self._digests.get(other) != digest or not (self._folder / other).exists():
                    self._fetch(other)
            self._digests = kept
        return self._folder / name

    def put(self, name: str, content: bytes | None) -> None:
        """Store a document for everybody; None deletes it."""
        if content is None:
            forget = "DELETE FROM document WHERE name = %s"
            self._database.write(lambda connection: connection.execute(forget, (name,)))
            return
        digest = hashlib.sha256(content).hexdigest()
        self._database.write(
            lambda connection: connection.execute(
                "INSERT INTO document VALUES (%s, %s, %s) ON CONFLICT (name) DO UPDATE"
                " SET content = excluded.content, digest = excluded.digest",
                (name, content, digest),
            )
        )

    def _kept(self) -> dict[str, str]:
        rows = self._database.known(
            "documents", lambda: self._database.ask("SELECT name, digest FROM document")
        )
        return {row["name"]: row["digest"] for row in rows}

    def _fetch(self, name: str) -> None:
        rows = self._database.ask("SELECT content FROM document WHERE name = %s", (name,))
        for row in rows:
            write_whole(self._folder / name, [bytes(row["content"])])
