from __future__ import annotations

import os
import re
import sys
from typing import Annotated

import typer

from storyscope.cli.show import say
from storyscope.errors import InvalidSetting, MissingDependency
from storyscope.processes.lifeline import environment

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def worker(
    cluster: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The Dask scheduler, such as tcp://host:8786.")
    ],
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs", "-j", min=1, metavar="N", help="Number of videos to index at the same time."
        ),
    ] = 1,
    memory_limit: Annotated[
        str, typer.Option(metavar="SIZE", help="Maximum memory for indexing one video.")
    ] = "4GB",
) -> None:
    """Index videos for a cluster on this machine.

    Each video is indexed in its own process, with one decoder; a process that exceeds the memory
    limit is stopped. Ctrl-C ends the worker, and others continue with its videos.

    Examples:

        storyscope worker --cluster tcp://host:8786

        storyscope worker --cluster tcp://host:8786 --jobs 4 --memory-limit 3GB
    """
    from importlib.util import find_spec

    from storyscope.cluster.task import MEMORY_VARIABLE

    if find_spec("distributed") is None:
        raise MissingDependency(
            "a worker needs Dask, which is not installed; run `pip install 'storyscope[cluster]'`"
        )
    settings = environment(one_thread=True) | {MEMORY_VARIABLE: str(_bytes(memory_limit))}
    say(f"working for {cluster}; stop with Ctrl-C")
    command = ["-m", "distributed.cli.dask_worker", cluster, "--nworkers", str(jobs)]
    command += ["--nthreads", "1", "--memory-limit", "0", "--no-dashboard"]
    os.execve(sys.executable, [sys.executable, *command], settings)


def _bytes(written: str) -> int:
    found = re.fullmatch(r"([\d.]+)\s*([kmgt]?)i?b?", written.strip().lower())
    if not found:
        raise InvalidSetting(f"a memory limit is written as 4GB or 800MB, got {written!r}")
    return int(float(found[1]) * UNITS[found[2]])
