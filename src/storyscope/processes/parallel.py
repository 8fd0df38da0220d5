"""Index several videos at once, each in its own process, within a share of the machine."""

from __future__ import annotations

import os
import queue
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from storyscope.errors import StoryscopeError
from storyscope.library import LocalLibrary
from storyscope.processes.indexing import IndexProcess, IndexResult
from storyscope.progress import Step

CORES_PER_VIDEO = 2
"""Threads per video: one decodes, one runs the networks."""
LIMITED_NICE = 10
THROTTLE_SECONDS = 0.2
"""Seconds of one cycle of running and pausing under a limit."""

Follow = Callable[[Path, Step], None]


def index_videos(
    library: LocalLibrary,
    paths: Sequence[Path],
    *,
    transcript: Path | None = None,
    again: bool = False,
    jobs: int = 1,
    cpu_limit: float | None = None,
    follow: Follow = lambda path, step: None,
) -> Iterator[IndexResult]:
    """Index `paths`, `jobs` at a time, and yield the result of each as it ends.

    `cpu_limit` is the percentage of all cores' time that they may use together; they also run at
    low priority. Leaving the loop early ends them all; finished stages are kept.
    """
    pool = _IndexPool(
        lambda path: IndexProcess(
            library,
            path,
            transcript=transcript,
            again=again,
            nice=LIMITED_NICE if cpu_limit else 0,
            one_thread=jobs > 1 or cpu_limit is not None,
        )
    )
    with _throttled(pool, duty(jobs, cpu_limit, cores=os.cpu_count() or 1)):
        threads = ThreadPoolExecutor(jobs)
        try:
            for path in paths:
                threads.submit(pool.index, path)
            left = len(paths)
            while left:
                path, event = pool.events.get()
                if isinstance(event, Step):
                    follow(path, event)
                else:
                    left -= 1
                    yield event
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            pool.terminate()


def duty(jobs: int, cpu_limit: float | None, *, cores: int) -> float:
    """Share of the time in which the processes run, so that all cores together stay below a
    limit."""
    if cpu_limit is None:
        return 1.0
    busy = min(cores, CORES_PER_VIDEO * jobs)
    return min(1.0, cpu_limit / 100 * cores / busy)


class _IndexPool:
    """The running index processes, and their events."""

    def __init__(self, start: Callable[[Path], IndexProcess]) -> None:
        self.events: queue.Queue[tuple[Path, Step | IndexResult]] = queue.Queue()
        self._start = start
        self._running: set[IndexProcess] = set()
        self._lock = threading.Lock()
        self._terminated = False

    def index(self, path: Path) -> None:
        """Index one video, and pass its events on; the last is always its result."""
        result = IndexResult(path, failure="stopped")
        try:
            if process := self._started(path):
                for event in process:
                    if isinstance(event, Step):
                        self.events.put((path, event))
                    else:
                        result = IndexResult(path, event.video, event.failure)
                with self._lock:
                    self._running.discard(process)
        except OSError as error:
            result = IndexResult(path, failure=f"no process can be started: {error.strerror}")
        finally:
            self.events.put((path, result))

    def pause(self) -> None:
        with self._lock:
            for process in self._running:
                process.pause()

    def resume(self) -> None:
        with self._lock:
            for process in self._running:
                process.resume()

    def terminate(self) -> None:
        """End all running processes, and start no more."""
        with self._lock:
            self._terminated = True
            for process in self._running:
                process.terminate()

    def _started(self, path: Path) -> IndexProcess | None:
        with self._lock:
            if self._terminated:
                return None
            process = self._start(path)
            self._running.add(process)
            return process


@contextmanager
def _throttled(pool: _IndexPool, share: float) -> Iterator[None]:
    """Let the processes run only for that share of the time while the block runs."""
    if share >= 1:
        yield
        return
    if not hasattr(signal, "SIGSTOP"):
        raise StoryscopeError("--cpu-limit needs Linux or macOS; use --jobs 1 instead")
    over = threading.Event()

    def throttle() -> None:
        try:
            while not over.wait(share * THROTTLE_SECONDS):
                pool.pause()
                over.wait((1 - share) * THROTTLE_SECONDS)
                pool.resume()
        finally:
            pool.resume()

    thread = threading.Thread(target=throttle, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
