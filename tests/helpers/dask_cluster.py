"""A real Dask scheduler and workers as processes, none of which outlives the tests."""

import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

HERE = Path(__file__).parent


@contextmanager
def running_cluster(folder, *, workers=2, preload=None):
    """The address of a scheduler with that many workers, and the processes of the workers."""
    with ExitStack() as stack:
        address = stack.enter_context(_scheduler(folder))
        started = [
            stack.enter_context(_process(*_worker(address, folder, preload)))
            for _ in range(workers)
        ]
        yield address, started


def start_worker(stack, address, folder, preload=None):
    """One more worker, which ends with the stack."""
    return stack.enter_context(_process(*_worker(address, folder, preload)))


@contextmanager
def _scheduler(folder):
    file = folder / "scheduler.json"
    arguments = ["--port", "0", "--host", "127.0.0.1", "--no-dashboard", "--idle-timeout", "90s"]
    module = "distributed.cli.dask_scheduler"
    with _process(module, *arguments, "--scheduler-file", str(file)):
        end = time.monotonic() + 60
        while not file.exists() and time.monotonic() < end:
            time.sleep(0.05)
        import json

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
