"""Forks our processes from one that has already loaded its libraries, for thousands of attacks.

The new process runs the same program as in production, with the same limits and in the same
sandbox. Only Python, FFmpeg and the networks are not loaded again, which would take most of the
time.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any
from weakref import WeakSet

from storyscope.cli.main import main as command_line
from storyscope.media import process
from storyscope.processes import indexing
from storyscope.stages import scan

_held: WeakSet[IO[bytes]] = WeakSet()
"""Our ends of the pipes. A child closes them, or else it would keep other children alive."""


THREADED = {"--jobs", "serve"}
"""Commands that start processes from several threads. A fork could inherit a lock that is never
released, so their processes are started as in production."""


class Forked:
    """A forked process with the interface of `subprocess.Popen`."""

    def __init__(
        self,
        run: Callable[[], None],
        places: dict[int, int],
        *,
        pipes: tuple[IO[bytes] | None, IO[bytes] | None] = (None, None),
        group: int | None = None,
    ) -> None:
        self.stdin, self.stdout = pipes
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            try:
                if group is not None:
                    os.setpgid(0, group)
                _put(places)
                run()
            except SystemExit as ending:
                sys.stderr.flush()
                os._exit(ending.code if isinstance(ending.code, int) else 1)
            except BaseException:
                sys.excepthook(*sys.exc_info())
                os._exit(1)
            os._exit(0)

    def kill(self) -> None:
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        end = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            pid, status = os.waitpid(self.pid, 0 if end is None else os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
            elif end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired("forked", timeout or 0.0)
            else:
                time.sleep(0.005)
        return self.returncode


class Forks:
    """Replaces the `subprocess` module in the code that starts our own processes."""

    PIPE, TimeoutExpired = subprocess.PIPE, subprocess.TimeoutExpired

    def Popen(
        self,
        command: list[str],
        *,
        stderr: IO[bytes] | None = None,
        bufsize: int = -1,
        process_group: int | None = None,
        **_: Any,
    ) -> Forked:
        stdin, write_end = os.pipe2(os.O_CLOEXEC)
        read_end, stdout = os.pipe2(os.O_CLOEXEC)
        pipes = open(write_end, "wb", bufsize), open(read_end, "rb", bufsize)  # noqa: SIM115
        _held.update(pipes)
        places = {0: stdin, 1: stdout, 2: 2 if stderr is None else stderr.fileno()}
        run = import_module(command[-1]).main
        try:
            return Forked(run, places, pipes=pipes, group=process_group)
        finally:
            os.close(stdin)
            os.close(stdout)


def fork_ours() -> None:
    """From now on, fork every decoder and index process that this process starts."""
    process.subprocess = indexing.subprocess = Forks()  # type: ignore[assignment]
    # Otherwise the shipped image network would be verified and opened for every film.
    scan.load_backbone = cache(scan.load_backbone)


def fork_command(words: list[str], log: Path, first: Callable[[], None]) -> Forked:
    """Run a storyscope command in a forked process with its own session, after calling `first`."""

    def run() -> None:
        os.setsid()
        sys.argv = ["storyscope", *words]
        sys.stdout, sys.stderr = (io.open(end, "w", closefd=False) for end in (1, 2))  # noqa: UP020, SIM115
        if THREADED & {*words}:
            process.subprocess = indexing.subprocess = subprocess
        first()
        command_line()
        sys.stdout.flush()

    with log.open("wb") as out, open(os.devnull, "rb") as nothing:
        return Forked(run, {0: nothing.fileno(), 1: out.fileno(), 2: out.fileno()})


def _put(places: dict[int, int]) -> None:
    """Set the standard streams of this process.

    Other descriptors stay open under their numbers: inherited objects may close theirs at any
    time, and must not close a descriptor that was reused.
    """
    for pipe in list(_held):
        # Close the descriptor, not the object: a thread that was not forked may hold its lock.
        with suppress(OSError, ValueError):
            os.close(pipe.fileno())
            _never_deleted.append(pipe)
    _held.clear()
    for place, end in places.items():
        os.dup2(end, place)


_never_deleted: list[IO[bytes]] = []
"""Objects whose descriptors are already closed."""
