"""Index videos for the page, one after another, with progress for all clients.

Each is indexed in its own process: the page stays responsive, and jobs can be stopped immediately.
Jobs are stored: a server that replaces a killed one continues them.
"""

from __future__ import annotations

import asyncio
import json
import queue
import threading
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from storyscope.errors import LibraryError, StoryscopeError
from storyscope.library import LocalLibrary
from storyscope.processes.indexing import IndexProcess
from storyscope.progress import Step
from storyscope.store import address_of
from storyscope.web.films import refuse_link
from storyscope.web.other_servers import OtherServers

Jobs = list[dict[str, Any]]
HIDDEN = ("transcript", "owner", "attempts")
"""Fields of a job that are not sent to the page."""
KEEP_SECONDS = 1.0
"""Seconds between two progress updates for other servers."""
WORKING = ("waiting", "indexing")
ENDED = ("cancelled", "failed")
SERVER_LOCK = "_server"
"""Lock of the server that continues the jobs of earlier ones: two would do them twice."""


MOST_WATCHERS = 128
"""Maximum number of pages that receive progress at once; each holds one of the server's
connections."""


class TooManyWatchers(StoryscopeError):
    """Too many pages receive progress, so that others could not connect."""


class Cancelled(StoryscopeError):
    """A user stopped the work; what was finished is kept."""


@dataclass
class Job:
    """One video that is being added to the library."""

    id: int
    name: str
    path: str
    transcript: str | None = None
    state: str = "waiting"
    stage: str = ""
    fraction: float = 0.0
    failure: str = ""
    video: str = ""
    owner: str = ""
    """The server or cluster that works on it, if several share a library."""
    attempts: int = 0
    """How many times a worker of a cluster started it."""


class Indexer:
    """A queue of videos and the thread that works on it."""

    def __init__(self, library: LocalLibrary, media_folders: Sequence[Path] = ()) -> None:
        self._library, self._media = library, media_folders
        self._jobs: dict[int, Job] = {}
        self._lock = threading.Lock()
        self._work: queue.Queue[Job] = queue.Queue()
        self._version = 0
        self._watchers = 0
        self._thread: threading.Thread | None = None
        self._process: IndexProcess | None = None
        self._held = ExitStack()
        self._others: OtherServers | None = None
        self._kept_at = 0.0

    def add(self, path: Path, transcript: Path | None = None) -> Job:
        """Queue a video; after this returns, the job survives the server."""
        words = address_of(transcript)[1] if transcript else None
        job = Job(0, path.name, address_of(path)[1], words)
        job.owner = self._others.name if self._others else ""
        job.id = self._library.store.jobs.add(json.dumps(asdict(job)))
        self._queue(job)
        return job

    def take_up(self) -> None:
        """Continue the jobs that an earlier server left, unless it still runs."""
        store = self._library.store
        if listener := store.jobs.listener():
            self._others = OtherServers(
                store, listener, on_change=self._look, take_over=self._take_over
            )
            return
        try:
            self._held.enter_context(store.busy(SERVER_LOCK, patience=0))
        except LibraryError:
            return
        for number, facts in store.jobs.all().items():
            job = Job(**{**json.loads(facts), "id": number})
            if job.owner:  # A job of a cluster on this machine.
                self._jobs[number] = job
            elif job.state in WORKING:
                job.state = "waiting"
                self._queue(job)
            elif job.state in ENDED:
                self._jobs[number] = job
            else:
                store.jobs.put(number, None)

    def cancel(self, number: int) -> Job | None:
        """Stop a job immediately, keeping its finished stages; a job that has ended is
        dismissed."""
        with self._lock:
            job = self._jobs.get(number) or self._of_others(number)
            if job is not None and job.state in WORKING:
                if number in self._jobs and job.state == "indexing" and self._process is not None:
                    self._process.terminate()
                job.state = "cancelled"
                self._keep(job)
            elif job is not None:
                self._forget(job)
        self.tell()
        return job

    def resume(self, number: int) -> Job | None:
        """Queue a stopped or failed job again under a new number, and delete the old one."""
        with self._lock:
            job = self._jobs.get(number) or self._of_others(number)
            if job is None or job.state not in ENDED:
                return None
            self._forget(job)
        return self.add(Path(job.path), Path(job.transcript) if job.transcript else None)

    def close(self) -> None:
        """Leave the jobs to another server."""
        self._held.close()
        if self._others:
            self._others.close()

    def jobs(self) -> Jobs:
        """All jobs that nobody has dismissed, as the page shows them."""
        others = self._others.jobs if self._others else {}
        known = [Job(**facts) for number, facts in others.items() if number not in self._jobs]
        shown = sorted([*self._jobs.values(), *known], key=lambda job: job.id)
        return [
            {name: value for name, value in asdict(job).items() if name not in HIDDEN}
            for job in shown
        ]

    async def watch(self, *, glance: float = 0.2, heartbeat: float = 15.0) -> AsyncIterator[Jobs]:
        """Yield all jobs now, whenever something changes, and at every heartbeat.

        Polling a number is cheap; a thread for every open page would not be.
        """
        seen, quiet = -1, 0.0
        self._watchers += 1
        try:
            while True:
                if self._version != seen or quiet >= heartbeat:
                    seen, quiet = self._version, 0.0
                    yield self.jobs()
                await asyncio.sleep(glance)
                quiet += glance
        finally:
            self._watchers -= 1

    def refuse_watchers_beyond(self, most: int = MOST_WATCHERS) -> None:
        """Raise an error if no more pages can receive progress."""
        if self._watchers >= most:
            raise TooManyWatchers(f"{most} pages are open already; close some and reload this one")

    def tell(self) -> None:
        """Notify the watching pages."""
        with self._lock:
            self._version += 1

    def _queue(self, job: Job) -> None:
        with self._lock:
            self._jobs[job.id] = job
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
        self._work.put(job)
        self.tell()

    def _run(self) -> None:
        while True:
            job = self._work.get()
            try:
                self._index(job)
            except StoryscopeError as error:
                self._end(job, failure=str(error))
            # An error of one video is reported with it, and the next one is indexed.
            except Exception as error:
                self._end(job, failure=f"{type(error).__name__}: {error}")
            finally:
                self._process = None
                self.tell()

    def _index(self, job: Job) -> None:
        with self._lock:
            if job.state == "cancelled":
                return
            job.state = "indexing"
            process = self._process = self._start(job)
        self._tell_others(job, at_once=True)
        self.tell()
        for event in process:
            if isinstance(event, Step):
                changed = job.stage != event.stage
                job.stage, job.fraction = event.stage, event.fraction
                self._tell_others(job, at_once=changed)
            else:
                self._end(job, video=event.video, failure=event.failure)
            self.tell()

    def _start(self, job: Job) -> IndexProcess:
        transcript = Path(job.transcript) if job.transcript else None
        # A job may have waited for hours.
        refuse_link(Path(job.path), self._media)
        return IndexProcess(self._library, Path(job.path), transcript=transcript)

    def _end(self, job: Job, *, video: str = "", failure: str = "") -> None:
        """Store the result of a job, unless a user stopped it meanwhile."""
        with self._lock:
            if job.state == "indexing":
                job.state, job.video, job.failure = "ready" if video else "failed", video, failure
                job.fraction = 1.0 if video else job.fraction
                self._keep(job)

    def _of_others(self, number: int) -> Job | None:
        facts = self._others.jobs.get(number) if self._others else None
        return Job(**facts) if facts else None

    def _take_over(self, facts: dict[str, Any]) -> None:
        """Continue a job whose server has died."""
        job = Job(
            **facts | {"state": "waiting", "owner": self._others.name if self._others else ""}
        )
        self._keep(job)
        self._queue(job)

    def _look(self) -> None:
        """Stop jobs that were stopped on another server, and delete those that were dismissed
        there."""
        kept = self._others.jobs if self._others else {}
        for number, job in list(self._jobs.items()):
            if number not in kept and job.state not in WORKING:
                self._jobs.pop(number, None)
            elif job.state in WORKING and kept.get(number, {}).get("state") == "cancelled":
                self.cancel(number)
        self.tell()

    def _tell_others(self, job: Job, *, at_once: bool) -> None:
        if self._others and (at_once or time.monotonic() - self._kept_at > KEEP_SECONDS):
            self._kept_at = time.monotonic()
            with self._lock:
                if job.state == "indexing":
                    self._keep(job)

    def _keep(self, job: Job) -> None:
        self._library.store.jobs.put(job.id, json.dumps(asdict(job)))

    def _forget(self, job: Job) -> None:
        self._jobs.pop(job.id, None)
        self._library.store.jobs.put(job.id, None)
