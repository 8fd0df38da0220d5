"""Videos being indexed behind the page, one after another, with progress for whoever listens.

Each is indexed in a process of its own: the page stays quick, and stopping one is immediate.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from glob import escape
from pathlib import Path
from typing import IO, Any, cast

from storyscope.config import to_toml
from storyscope.errors import MediaError, StoryscopeError
from storyscope.library import LocalLibrary
from storyscope.media import environment, find_videos

Jobs = list[dict[str, Any]]
WORKER = ("-P", "-m", "storyscope.processes.index_process")


class Cancelled(StoryscopeError):
    """A person stopped the work; what was finished is kept."""


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

    def __init__(self, library: LocalLibrary) -> None:
        self._library = library
        self._jobs: list[Job] = []
        self._lock = threading.Lock()
        self._transcripts: dict[int, Path | None] = {}
        self._work: queue.Queue[Job] = queue.Queue()
        self._version = 0
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def add(self, path: Path, transcript: Path | None = None) -> Job:
        """Queue a video."""
        with self._lock:
            job = Job(len(self._jobs) + 1, path.name, str(path))
            self._jobs.append(job)
            self._transcripts[job.id] = transcript
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
        self._work.put(job)
        self.tell()
        return job

    def take_up(self) -> None:
        """Queue the uploads that an earlier server took and did not come to."""
        with suppress(MediaError):  # Nothing was ever uploaded.
            uploads = find_videos([self._library.uploads])
            known = {Path(record.video.path).resolve() for record in self._library.store.records()}
            for path in uploads:
                if path.resolve() not in known:
                    beside = path.parent.glob(f"{escape(path.stem)}.*")
                    self.add(path, next((file for file in beside if file not in uploads), None))

    def cancel(self, number: int) -> Job | None:
        """Stop a job at once; finished stages are kept."""
        with self._lock:
            job = next((job for job in self._jobs if job.id == number), None)
            if job is not None and job.state in ("waiting", "indexing"):
                if job.state == "indexing" and self._process is not None:
                    self._process.kill()
                    self._process.wait()
                job.state = "cancelled"
        self.tell()
        return job

    def resume(self, number: int) -> Job | None:
        """Queue a stopped or failed job again under a new number; the old one is forgotten."""
        with self._lock:
            ended = ("cancelled", "failed")
            job = next((j for j in self._jobs if j.id == number and j.state in ended), None)
            if job is not None:
                job.state = "resumed"
        return None if job is None else self.add(Path(job.path), self._transcripts.get(number))

    def jobs(self) -> Jobs:
        return [asdict(job) for job in self._jobs if job.state != "resumed"]

    async def watch(self, *, glance: float = 0.2, heartbeat: float = 15.0) -> AsyncIterator[Jobs]:
        """Yield all jobs now, whenever something changes, and at every heartbeat.

        A glance at a number costs nothing; a thread for every open page would cost the server.
        """
        seen, quiet = -1, 0.0
        while True:
            if self._version != seen or quiet >= heartbeat:
                seen, quiet = self._version, 0.0
                yield self.jobs()
            await asyncio.sleep(glance)
            quiet += glance

    def tell(self) -> None:
        """Let those who watch look again."""
        with self._lock:
            self._version += 1

    def _run(self) -> None:
        while True:
            job = self._work.get()
            try:
                self._index(job)
            # Whatever befalls one video is told of it, and the next has its turn.
            except Exception as error:
                with self._lock:
                    if job.state == "indexing":
                        job.state, job.failure = "failed", f"{type(error).__name__}: {error}"
            finally:
                self._end_process()
                self.tell()

    def _index(self, job: Job) -> None:
        with self._lock:
            if job.state == "cancelled":
                return
            job.state = "indexing"
            process = self._process = self._start(job)
        self.tell()
        for line in cast(IO[bytes], process.stdout):
            self._hear(job, json.loads(line))
            self.tell()
        process.wait()
        with self._lock:
            if job.state == "indexing":
                how = f"code {process.returncode}"
                job.state, job.failure = "failed", f"the indexing process ended with {how}"

    def _end_process(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()

    def _start(self, job: Job) -> subprocess.Popen[bytes]:
        transcript = self._transcripts[job.id]
        wanted = {
            "library": self._library.place,
            "settings": to_toml(self._library.config),
            "path": job.path,
            "transcript": os.fspath(transcript) if transcript else None,
        }
        process = subprocess.Popen(
            [sys.executable, *WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(one_thread=False),
        )
        # Its standard input stays open: when this server is gone, so is the worker.
        pipe = cast(IO[bytes], process.stdin)
        pipe.write(json.dumps(wanted).encode() + b"\n")
        pipe.flush()
        return process

    def _hear(self, job: Job, told: dict[str, Any]) -> None:
        with self._lock:
            if job.state != "indexing":
                return
            if "video" in told:
                job.state, job.video, job.fraction = "ready", told["video"], 1.0
            elif "failure" in told:
                job.state, job.failure = "failed", told["failure"]
            else:
                job.stage, job.fraction = told["stage"], told["fraction"]
