"""Several videos at once, each indexed in a process of its own, within a share of the machine."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from storyscope.config import to_toml
from storyscope.errors import StoryscopeError
from storyscope.library import LocalLibrary
from storyscope.media import environment
from storyscope.progress import Step

WORKER = ("-P", "-m", "storyscope.processes.index_process")
CORES_PER_VIDEO = 2
"""One decodes, one looks and listens; neither uses more threads than one."""
LIMITED_GENTLER = 10
BRAKE_SECONDS = 0.2
"""Length of one round of work and rest under a limit."""

Follow = Callable[[Path, Step], None]


@dataclass(frozen=True)
class Ended:
    """How it went with one video: the id it has, or why it has none."""

    path: Path
    video: str = ""
    failure: str = ""


def add_all(
    library: LocalLibrary,
    paths: Sequence[Path],
    *,
    transcript: Path | None = None,
    again: bool = False,
    jobs: int = 1,
    cpu_limit: float | None = None,
    follow: Follow = lambda path, step: None,
) -> Iterator[Ended]:
    """Index `paths`, `jobs` at a time, and yield each as it ends, well or badly.

    `cpu_limit` is the percentage of all cores' time that they may take together; they also give
    way to every other program. Leaving the loop early ends them all; finished stages are kept.
    """
    crew = _Crew(library, transcript, again, gentler=LIMITED_GENTLER if cpu_limit else 0)
    with _braked(crew, duty(jobs, cpu_limit, cores=os.cpu_count() or 1)):
        pool = ThreadPoolExecutor(jobs)
        try:
            for path in paths:
                pool.submit(crew.index, path)
            left = len(paths)
            while left:
                path, news = crew.news.get()
                if isinstance(news, Step):
                    follow(path, news)
                else:
                    left -= 1
                    yield news
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            crew.dismiss()


def duty(jobs: int, cpu_limit: float | None, *, cores: int) -> float:
    """Share of the time that the processes run, so that all cores together stay below a limit."""
    if cpu_limit is None:
        return 1.0
    busy = min(cores, CORES_PER_VIDEO * jobs)
    return min(1.0, cpu_limit / 100 * cores / busy)


class _Crew:
    """The processes at work, and what they have to tell."""

    def __init__(
        self, library: LocalLibrary, transcript: Path | None, again: bool, *, gentler: int
    ) -> None:
        self.news: queue.Queue[tuple[Path, Step | Ended]] = queue.Queue()
        self._common = {
            "library": library.place,
            "settings": to_toml(library.config),
            "transcript": os.fspath(transcript.absolute()) if transcript else None,
            "again": again,
            "gentler": gentler,
        }
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._dismissed = False

    def index(self, path: Path) -> None:
        """Have one video indexed, telling the news of it as it comes."""
        ended = Ended(path, failure="the indexing process could not be started")
        try:
            ended = self._watch(path)
        except OSError as error:
            ended = Ended(path, failure=f"no process can be started: {error.strerror}")
        finally:
            self.news.put((path, ended))

    def signal(self, number: int) -> None:
        """Send a signal to every process at work, and to those they have started."""
        with self._lock:
            for process in self._processes:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, number)

    def dismiss(self) -> None:
        """End what is still at work."""
        with self._lock:
            self._dismissed = True
            for process in self._processes:
                _kill(process)
                process.wait()

    def _watch(self, path: Path) -> Ended:
        process = self._start(path)
        if process is None:
            return Ended(path, failure="stopped")
        ended = None
        for line in cast(IO[bytes], process.stdout):
            facts = json.loads(line)
            if "stage" in facts:
                self.news.put((path, Step(facts["stage"], facts["fraction"], 1)))
            else:
                ended = Ended(path, facts.get("video", ""), facts.get("failure", ""))
        with self._lock:
            self._processes.discard(process)
        code = process.wait()
        how = (
            f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        )
        return ended or Ended(path, failure=f"the indexing process {how}; run it again to go on")

    def _start(self, path: Path) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._dismissed:
                return None
            process = subprocess.Popen(
                [sys.executable, *WORKER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment(one_thread=True),
                # A group of its own, to be halted with its decoder; in our session, so that the
                # system ends it if we are killed while it is halted.
                process_group=0 if os.name == "posix" else None,
            )
            self._processes.add(process)
        job = {**self._common, "path": os.fspath(path.absolute())}
        pipe = cast(IO[bytes], process.stdin)
        with suppress(OSError):
            pipe.write(json.dumps(job).encode() + b"\n")
            pipe.flush()
        return process


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and those it has started, halted or not."""
    if os.name != "posix":
        process.kill()
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def _braked(crew: _Crew, share: float) -> Iterator[None]:
    """Let the crew run for that share of the time only while the block runs."""
    if share >= 1:
        yield
        return
    if not hasattr(signal, "SIGSTOP"):
        raise StoryscopeError("--cpu-limit needs Linux or macOS; use --jobs 1 instead")
    over = threading.Event()

    def brake() -> None:
        while not over.wait(share * BRAKE_SECONDS):
            crew.signal(signal.SIGSTOP)
            over.wait((1 - share) * BRAKE_SECONDS)
            crew.signal(signal.SIGCONT)

    thread = threading.Thread(target=brake, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
