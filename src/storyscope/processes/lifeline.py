"""What all our child processes share: environment, standard output and termination."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def environment(*, one_thread: bool) -> dict[str, str]:
    """Our environment, with our module search path and, optionally, one thread per numeric library.

    Threads of two processes that share a core wait for each other, and cost many times more.
    """
    home = str(Path(__file__).resolve().parents[2])
    modules = [home, *(entry for entry in sys.path if entry)]
    threads = dict.fromkeys(THREADS, "1") if one_thread else {}
    return {**os.environ, **threads, "PYTHONPATH": os.pathsep.join(modules)}


def claim_standard_output() -> int:
    """Reserve standard output for messages, as a new file descriptor.

    Anything else that this process prints goes to standard error.
    """
    messages = os.dup(1)
    os.dup2(2, 1)
    return messages


def exit_after(wait: Callable[[], object]) -> None:
    """End this process as soon as `wait` returns, whatever its other threads do."""

    def run() -> None:
        wait()
        os._exit(1)

    threading.Thread(target=run, daemon=True).start()


def end_of_input() -> None:
    """Return when standard input ends, which the parent keeps open while it lives."""
    # Unbuffered: the lock of a buffer would be held when the interpreter ends.
    while os.read(0, 4096):
        pass
