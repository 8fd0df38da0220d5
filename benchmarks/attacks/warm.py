"""Processes of ours that are forked from one which has its libraries loaded, for attacks by the
thousand.

The new process runs the very program that production starts, under the same limits and in the same
sandbox; only Python, FFmpeg and the networks need not be loaded again, which takes most of its time
otherwise.
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
"""Our ends of the pipes to processes; one that held another's would keep it alive after us."""


THREADED = {"--jobs", "serve"}
"""Words of commands that start processes from several threads: a fork there could inherit a lock
that is held for ever, so theirs are started as in production."""


class Forked:
    """One process, as `subprocess.Popen` would present it."""

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
    """Stands in for `subprocess` where our own processes are started."""

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
    """Let every decoder and index process of this one be forked from now on."""
    process.subprocess = indexing.subprocess = Forks()  # type: ignore[assignment]
    # The shipped image network is compared with its digest and opened for every film otherwise.
    scan.load_backbone = cache(scan.load_backbone)


def fork_command(words: list[str], log: Path, first: Callable[[], None]) -> Forked:
    """Run a command of ours in a session of its own, after calling `first` there."""

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
    """Give this process its standard files. All else stays open under its number: objects that it
    inherits may close theirs at any time, and must not close those of others."""
    for pipe in list(_held):
        # Not by the object itself: a thread that is not here may have locked it for reading.
        with suppress(OSError, ValueError):
            os.close(pipe.fileno())
            _never_deleted.append(pipe)
    _held.clear()
    for place, end in places.items():
        os.dup2(end, place)


_never_deleted: list[IO[bytes]] = []
"""Objects whose descriptor is closed already."""
