"""Processes of our own: what they see of the world."""

from __future__ import annotations

import os
import sys
from pathlib import Path

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def environment(*, one_thread: bool) -> dict[str, str]:
    """Ours, with the modules we see ourselves and, if wanted, one thread a numeric library.

    Threads of two processes that share a core wait for each other, and cost many times more.
    """
    home = str(Path(__file__).resolve().parents[2])
    modules = [home, *(entry for entry in sys.path if entry)]
    threads = dict.fromkeys(THREADS, "1") if one_thread else {}
    return {**os.environ, **threads, "PYTHONPATH": os.pathsep.join(modules)}
