"""Loaded by Dask workers: a worker kills itself when a stage begins, once for each stage."""

import os
import signal
from pathlib import Path

from storyscope.cluster import task

TELL = task._tell


def tell_and_die(library, job, step):
    going = TELL(library, job, step)
    mark = Path(job.path).with_suffix(f".{step.stage}")
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return going


def dask_setup(worker):
    task._tell = tell_and_die
