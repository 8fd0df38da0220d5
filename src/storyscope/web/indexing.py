"""Videos being indexed behind the page, one after another, with progress for whoever listens."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from storyscope.errors import StoryscopeError
from storyscope.library import Library
from storyscope.progress import Step

Jobs = list[dict[str, Any]]


class Cancelled(StoryscopeError):
    """A person stopped the indexing; what was finished is kept."""


@dataclass
class Job:
    """One video on its way into the library."""

    id: int
    name: str
    path: str
    state: str = "waiting"
    stage: str = ""
    fraction: float = 0.0
    failure: str = ""
    video: str = ""


class Indexer:
    """A queue of videos and the one thread that works on it."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._jobs: list[Job] = []
        self._cancelled: set[int] = set()
        self._lock = threading.Lock()
        self._work: queue.Queue[tuple[Job, Path | None]] = queue.Queue()
        self._version = 0
        self._thread: threading.Thread | None = None

    def add(self, path: Path, transcript: Path | None = None) -> Job:
        """Queue a video."""
        with self._lock:
            job = Job(len(self._jobs) + 1, path.name, str(path))
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
        self._work.put((job, transcript))
        self._tell()
        return job

    def cancel(self, number: int) -> Job | None:
        """Stop a job at its next step; finished stages are kept."""
        job = next((job for job in self._jobs if job.id == number), None)
        if job is not None and job.state in ("waiting", "indexing"):
            self._cancelled.add(number)
            if job.state == "waiting":
                job.state = "cancelled"
            self._tell()
        return job

    def jobs(self) -> Jobs:
        return [asdict(job) for job in self._jobs]

    async def watch(self, *, glance: float = 0.2, heartbeat: float = 15.0) -> AsyncIterator[Jobs]:
        """Yield all jobs now, whenever one of them changes, and at every heartbeat.

        A glance at a number costs nothing; a thread for every open page would cost the server.
        """
        seen, quiet = -1, 0.0
        while True:
            if self._version != seen or quiet >= heartbeat:
                seen, quiet = self._version, 0.0
                yield self.jobs()
            await asyncio.sleep(glance)
            quiet += glance

    def _run(self) -> None:
        while True:
            job, transcript = self._work.get()
            if job.state == "cancelled":
                continue
            job.state = "indexing"
            self._tell()
            try:
                video = self._library.add(
                    job.path, transcript=transcript, report=partial(self._follow, job)
                )
                job.video, job.state, job.fraction = video.id, "ready", 1.0
            except Cancelled:
                job.state = "cancelled"
            except StoryscopeError as error:
                job.state, job.failure = "failed", str(error)
            self._tell()

    def _follow(self, job: Job, step: Step) -> None:
        if job.id in self._cancelled:
            raise Cancelled("stopped by a person; finished stages are kept")
        job.stage, job.fraction = step.stage, step.fraction
        self._tell()

    def _tell(self) -> None:
        with self._lock:
            self._version += 1
