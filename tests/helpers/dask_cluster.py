"""A real Dask scheduler and workers as processes, none of which outlives the tests."""

import json
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager


@contextmanager
def running_cluster(folder, *, workers=2, preload=None, port=0):
    """The address of a scheduler with that many workers, and the processes of the workers."""
    with ExitStack() as stack:
        address = stack.enter_context(_scheduler(folder, port))
        started = [
            stack.enter_context(_process(*_worker(address, folder, preload)))
            for _ in range(workers)
        ]
        yield address, started


@contextmanager
def _scheduler(folder, port):
    file = folder / "scheduler.json"
    arguments = [
        "--port",
        str(port),
        "--host",
        "127.0.0.1",
        "--no-dashboard",
        "--idle-timeout",
        "90s",
    ]
    module = "distributed.cli.dask_scheduler"
    with _process(module, *arguments, "--scheduler-file", str(file)):
        end = time.monotonic() + 60
        while not file.exists() and time.monotonic() < end:
            time.sleep(0.05)
        yield json.loads(file.read_text())["address"]


def _worker(address, folder, preload):
    arguments = [address, "--nworkers", "1", "--nthreads", "1", "--memory-limit", "0"]
    arguments += ["--no-dashboard", "--death-timeout", "20", "--local-directory", str(folder)]
    arguments += ["--preload", str(preload)] if preload else []
    return "distributed.cli.dask_worker", *arguments


@contextmanager
def _process(module, *arguments):
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
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
