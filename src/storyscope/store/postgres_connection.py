"""Connections to PostgreSQL: a pool, migrations, and retries when a connection is lost."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from storyscope.errors import LibraryError, MissingDependency
from storyscope.store.postgres_address import PostgresAddress
from storyscope.store.postgres_migrations import MIGRATIONS

if TYPE_CHECKING:
    from psycopg import Connection

T = TypeVar("T")
MAX_CONNECTIONS = 8
"""Maximum number of connections of one process, besides the one that holds its locks."""
IDLE_SECONDS = 60.0
"""Seconds after which an unused connection is closed: many machines share the server's
connections."""
CONNECT_SECONDS = 10
OUTAGE_SECONDS = 60.0
"""Seconds that a read or a write waits for a server that is being restarted."""
TRY_SECONDS = 2.0
"""Seconds that the pool tries to connect before it is asked again."""
RETRY_SECONDS = 0.2
SETTINGS = (
    "-cstatement_timeout=600000 -crandom_page_cost=1.1 -cjit=off"
    " -cplan_cache_mode=force_custom_plan -cmax_parallel_workers_per_gather=0"
)
"""Settings of every connection: how many rows match depends on the words of a query, few rows of
large tables are read from solid-state disks, and starting a worker takes longer than a query."""


def require_cluster_extra() -> None:
    """Raise an error if the PostgreSQL client is not installed."""
    try:
        import psycopg
        import psycopg_pool  # noqa: F401
    except ImportError as error:
        raise MissingDependency(
            "a library in PostgreSQL needs parts that are not installed; "
            "run `pip install 'storyscope[cluster]'`"
        ) from error
    assert psycopg


class Database:
    """The database of one library, for all threads of this process."""

    def __init__(self, address: PostgresAddress) -> None:
        require_cluster_extra()
        self.address = address
        if address.password:
            # Child processes get addresses without passwords.
            os.environ["PGPASSWORD"] = address.password
        self._local = threading.local()
        self._opened: Any = None
        self._opening = threading.Lock()
        with self.explained(), self.connect() as connection:
            migrate(connection, address)

    def connect(self) -> Connection[Any]:
        """A connection outside the pool, with dictionaries as rows."""
        import psycopg
        from psycopg.rows import dict_row

        return psycopg.connect(
            self.address.server, autocommit=True, row_factory=dict_row, **self._options()
        )

    def ask(
        self,
        question: str,
        values: Any = (),
        *,
        binary: bool = False,
        settings: Mapping[str, str] = MappingProxyType({}),
    ) -> list[dict[str, Any]]:
        """The rows of a query; it is repeated if the connection is lost.

        `settings` are server settings for this query.
        """

        def fetch(connection: Connection[Any]) -> list[dict[str, Any]]:
            if not settings:
                return connection.execute(question, values, binary=binary).fetchall()
            with connection.pipeline():
                for name, value in settings.items():
                    connection.execute("SELECT set_config(%s, %s, false)", (name, value))
                found = connection.execute(question, values, binary=binary)
            return found.fetchall()

        return self._again(fetch)

    def write(self, change: Callable[[Connection[Any]], T], *, counted: bool = True) -> T:
        """Run a change in one transaction.

        It runs again if the connection is lost, so it must be idempotent. If it is `counted`, the
        version of the library changes.
        """

        def transact(connection: Connection[Any]) -> T:
            with connection.transaction():
                result = change(connection)
                if counted:
                    connection.execute(
                        "UPDATE change SET count = count + 1 WHERE shard = pg_backend_pid() % 16"
                    )
                return result

        return self._again(transact)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let this thread read one state of the database until the end of the block."""
        # Unlike other queries, those in a snapshot cannot be repeated on another connection.
        with self.explained(), self._lent(checked=True) as connection, connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            self._local.connection, self._local.known = connection, {}
            try:
                yield
            finally:
                del self._local.connection, self._local.known

    def known(self, name: str, find: Callable[[], T]) -> T:
        """The result of a query, which runs once per snapshot."""
        known: dict[str, T] = getattr(self._local, "known", {})
        if name not in known:
            known[name] = find()
        return known[name]

    def recall(self, name: str) -> Any:
        """What is already `known` under a name in this snapshot, or None."""
        return getattr(self._local, "known", {}).get(name)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn errors of the server into messages for the user, never with the password."""
        import psycopg
        from psycopg_pool import PoolTimeout

        try:
            yield
        except (psycopg.Error, PoolTimeout) as error:
            raise LibraryError(reason_of(error, self.address)) from None

    def close(self) -> None:
        """Close every connection; the next query opens them again."""
        with self._opening:
            if self._opened is not None:
                self._opened.close()
            self._opened = None

    def _again(self, act: Callable[[Connection[Any]], T]) -> T:
        """Run an action on a connection, and retry on another while connections are lost."""
        import psycopg

        held = getattr(self._local, "connection", None)
        if held is not None:
            with self.explained():
                return act(held)
        end = time.monotonic() + OUTAGE_SECONDS
        with self.explained():
            while True:
                try:
                    with self._lent() as connection:
                        return act(connection)
                except psycopg.OperationalError as error:
                    if not is_lost(error) or time.monotonic() > end:
                        raise
                    time.sleep(RETRY_SECONDS)

    @contextmanager
    def _lent(self, *, checked: bool = False) -> Iterator[Connection[Any]]:
        """A connection of the pool; wait for it while the server is being restarted.

        A `checked` connection works; any other may be lost.
        """
        import psycopg
        from psycopg_pool import PoolTimeout

        pool, end = self._pool, time.monotonic() + OUTAGE_SECONDS
        while True:
            try:
                # Each request makes the pool try immediately; otherwise it waits longer and longer.
                connection = pool.getconn(TRY_SECONDS)
            except PoolTimeout:
                if time.monotonic() > end:
                    raise
                continue
            try:
                if checked:
                    pool.check_connection(connection)
                break
            except psycopg.OperationalError:
                pool.putconn(connection)
                if time.monotonic() > end:
                    raise
        try:
            yield connection
        finally:
            pool.putconn(connection)

    @property
    def _pool(self) -> Any:
        with self._opening:
            if self._opened is None:
                self._opened = self._open_pool()
            return self._opened

    def _open_pool(self) -> Any:
        from psycopg.rows import dict_row
        from psycopg_pool import ConnectionPool

        # Wait for a server that is being restarted, and report the reason if that fails.
        logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
        pool = ConnectionPool(
            self.address.server,
            kwargs={"autocommit": True, "row_factory": dict_row, **self._options()},
            min_size=0,
            max_size=MAX_CONNECTIONS,
            max_idle=IDLE_SECONDS,
            reconnect_timeout=TRY_SECONDS / 2,
            open=True,
        )
        weakref.finalize(self, pool.close)
        return pool

    def _options(self) -> dict[str, Any]:
        options: dict[str, Any] = {
            "connect_timeout": CONNECT_SECONDS,
            "options": f"-csearch_path={self.address.schema},public {SETTINGS}",
            "application_name": "storyscope",
        }
        return options | ({"password": self.address.password} if self.address.password else {})


def is_lost(error: Exception) -> bool:
    """Whether an error means that the connection is lost, rather than that the query is wrong."""
    state = getattr(error, "sqlstate", None)
    return state is None or state[:2] in ("08", "57")


def lock_number(*names: str) -> int:
    """A number for an advisory lock with these names."""
    digest = hashlib.sha256("\0".join(names).encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def migrate(connection: Connection[Any], address: PostgresAddress) -> None:
    """Migrate the library; if several processes start at once, one of them does it."""
    schema = address.schema
    version = _version(connection, schema)
    if version < len(MIGRATIONS):
        with connection.transaction():
            number = lock_number(schema, "migrations")
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (number,))
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
            connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
            connection.execute("CREATE TABLE IF NOT EXISTS migration (version integer PRIMARY KEY)")
            version = _version(connection, schema)
            for step, script in enumerate(MIGRATIONS[version:], start=version + 1):
                connection.execute(script)
                connection.execute("INSERT INTO migration VALUES (%s)", (step,))
                version = step
    if version > len(MIGRATIONS):
        raise LibraryError(
            f"the library {address.shown} was written by a newer Storyscope (version {version} of "
            f"its shape, this one knows {len(MIGRATIONS)}); "
            "upgrade with `pip install -U 'storyscope[cluster]'`"
        )


def _version(connection: Connection[Any], schema: str) -> int:
    found = connection.execute(
        "SELECT to_regclass(%s) IS NOT NULL AS there", (f"{schema}.migration",)
    ).fetchone()
    if not found or not found["there"]:
        return 0
    row = connection.execute("SELECT coalesce(max(version), 0) AS last FROM migration").fetchone()
    return int(row["last"]) if row else 0


def reason_of(error: Exception, address: PostgresAddress) -> str:
    """One line for the user: what happened, and what to do."""
    state = getattr(error, "sqlstate", None) or ""
    said = " ".join(str(error).split()) or type(error).__name__
    if address.password:
        said = said.replace(address.password, "***")
    where = address.shown
    if "vector" in said and state in ("0A000", "58P01"):
        return (
            f"the server of {where} lacks the extension pgvector; install it there, such as by "
            "`apt install postgresql-17-pgvector`, and run the same command again"
        )
    if state == "42501":
        return (
            f"{where} cannot be used: {said}; ask its owner to run `CREATE EXTENSION vector` and "
            "`GRANT CREATE ON DATABASE` to this user"
        )
    if state == "53100":
        return f"the disk of the server of {where} is full; free some space and run it again"
    if state == "53300":
        return f"the server of {where} has no connection left; raise its max_connections"
    if missing := re.search(r'database "(.+?)" does not exist', said):
        return (
            f"the server of {where} has no such database; check its name, or create it with "
            f"`createdb {missing[1]}`"
        )
    if not state or state[:2] in ("08", "28", "57"):
        return f"{where} cannot be reached: {said}; check the address, and that the server runs"
    return f"{where} cannot be used: {said}"
