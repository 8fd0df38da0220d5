"""Runs a Dask scheduler and workers as processes that end with the process that started them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

TWO_ALIKE: tuple[Mapping[str, str], ...] = ({}, {})
Process = subprocess.Popen[bytes]


@contextmanager
def running_cluster(
    folder: Path,
    *,
    environments: Sequence[Mapping[str, str]] = TWO_ALIKE,
    preload: str | None = None,
    port: int = 0,
) -> Iterator[tuple[str, list[Process]]]:
    """Run a scheduler, and a worker for each set of additional environment variables."""
    with ExitStack() as stack:
        address = stack.enter_context(_scheduler(folder, port))
        started = [
            stack.enter_context(running_worker(address, folder, environment=more, preload=preload))
            for more in environments
        ]
        yield address, started


def running_worker(
    address: str,
    folder: Path,
    *,
    environment: Mapping[str, str] = TWO_ALIKE[0],
    preload: str | None = None,
) -> AbstractContextManager[Process]:
    """Add a worker process with additional environment variables to a scheduler."""
    arguments = [address, "--nworkers", "1", "--nthreads", "1", "--memory-limit", "0"]
    arguments += ["--no-dashboard", "--death-timeout", "20", "--local-directory", str(folder)]
    arguments += ["--preload", preload] if preload else []
    return _process("distributed.cli.dask_worker", *arguments, environment=environment)


@contextmanager
def _scheduler(folder: Path, port: int) -> Iterator[str]:
    file = folder / "scheduler.json"
    arguments = ["--port", str(port), "--host", "127.0.0.1", "--no-dashboard"]
    arguments += ["--idle-timeout", "90s", "--scheduler-file", str(file)]
    with _process("distributed.cli.dask_scheduler", *arguments):
        yield _address_in(file)


def _address_in(file: Path, *, patience: float = 60) -> str:
    """The address in a scheduler's file, which may exist before it is complete."""
    end = time.monotonic() + patience
    while True:
        try:
            return str(json.loads(file.read_text())["address"])
        except (FileNotFoundError, ValueError):
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


@contextmanager
def _process(
    module: str, *arguments: str, environment: Mapping[str, str] = TWO_ALIKE[0]
) -> Iterator[Process]:
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
