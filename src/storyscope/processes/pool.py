"""Run many independent tasks on a few processes, which end with their parent."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from typing import TypeVar

from storyscope.processes.lifeline import THREADS, exit_after

T = TypeVar("T")
R = TypeVar("R")


def run_tasks(
    function: Callable[[T], R], tasks: Sequence[T], *, workers: int
) -> Iterator[tuple[T, R]]:
    """Yield each task with its result as it is finished; with one worker, in this process.

    The first task that fails cancels those not started, and its error is raised here.
    """
    workers = min(workers, len(tasks))
    if workers <= 1:
        for task in tasks:
            yield task, function(task)
        return
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_end_with_parent
    )
    with _one_thread_each(), pool:
        futures: dict[Future[R], T] = {pool.submit(function, task): task for task in tasks}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """End this process when its parent dies: a killed parent cannot tell it to stop."""
    if (parent := parent_process()) is not None:
        exit_after(parent.join)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Start processes with one thread: two on a busy machine cost more than one."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
