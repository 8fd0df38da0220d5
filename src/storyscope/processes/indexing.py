"""Index one video in its own process, for the command line and the page."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, cast

from storyscope.config import to_toml
from storyscope.library import LocalLibrary
from storyscope.library.adding import known_video, mark_failed
from storyscope.processes.budget import Budget, Usage, usage_of
from storyscope.processes.lifeline import environment
from storyscope.progress import Step
from storyscope.reading import real_folders
from storyscope.store import in_bucket, spelled

WORKER = ("-P", "-m", "storyscope.processes.index_process")
NICE = 5
"""Default niceness of an index process."""
EXIT_SECONDS = 10.0
"""Seconds that a process may take to exit after it sent its result and closed its output."""
WATCH_SECONDS = 1.0
"""Seconds between two checks of a process's budget."""


@dataclass(frozen=True)
class IndexResult:
    """The result for one video: its id, or the error."""

    path: Path
    video: str = ""
    failure: str = ""
    disk_full: bool = False
    """Whether the reason was a full disk on this machine."""


class IndexProcess:
    """A running index process; iterating over it yields its steps, then always one result.

    It can be paused, resumed and terminated from any thread, together with its decoder. A process
    that exceeds its film's budget is killed, and its video is stored as failed.
    """

    def __init__(
        self,
        library: LocalLibrary,
        path: Path,
        *,
        transcript: Path | None = None,
        again: bool = False,
        nice: int = NICE,
        one_thread: bool = False,
        most_memory: float = math.inf,
    ) -> None:
        """`most_memory` is the machine's limit in bytes, whatever the film's budget is."""
        self.path = path if in_bucket(path) else path.absolute()
        self._library = library
        self._most_memory = most_memory
        self._lock = threading.Lock()
        self._exited = threading.Event()
        self._terminated = False
        self._stopped_because = ""
        self._last_event = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, *WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(one_thread=one_thread),
            # Its own process group, to be paused with its decoder; in our session, so that the
            # system ends it if we are killed while it is paused.
            process_group=0 if os.name == "posix" else None,
        )
        self._send(
            library=library.place,
            settings=to_toml(library.config),
            path=spelled(self.path),
            transcript=spelled(transcript) if transcript else None,
            again=again,
            nice=nice,
            real_folders=[os.fspath(folder) for folder in real_folders()],
        )
        threading.Thread(target=self._watch, daemon=True).start()

    def __iter__(self) -> Iterator[Step | IndexResult]:
        result = None
        try:
            for line in cast(IO[bytes], self._process.stdout):
                self._last_event = time.monotonic()
                facts = json.loads(line)
                if "stage" in facts:
                    yield Step(facts["stage"], facts["fraction"], 1)
                else:
                    result = IndexResult(
                        self.path,
                        facts.get("video", ""),
                        facts.get("failure", ""),
                        facts.get("disk_full", False),
                    )
        except ValueError as error:
            self._stop(f"sent nonsense: {error}")
        except GeneratorExit:
            self.terminate()
            raise
        finally:
            code = self._wait()
        yield result or self._lost(code)

    def pause(self) -> None:
        """Pause the process and its decoder, unless it has sent its result."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Resume a paused process."""
        self._signal(signal.SIGCONT)

    def terminate(self) -> None:
        """Kill the process with its decoder; finished stages are kept."""
        self._terminated = True
        self._kill()
        self._wait()

    def _send(self, **job: Any) -> None:
        # Standard input stays open: the index process ends when this process dies.
        pipe = cast(IO[bytes], self._process.stdin)
        with suppress(OSError):
            pipe.write(json.dumps(job).encode() + b"\n")
            pipe.flush()

    def _signal(self, number: int) -> None:
        with self._lock:
            if not self._exited.is_set():
                with suppress(ProcessLookupError):
                    os.killpg(self._process.pid, number)

    def _wait(self) -> int:
        """Wait for the process after its last output; it can no longer be paused."""
        with self._lock:
            if not self._exited.is_set() and os.name == "posix":
                with suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGCONT)
            self._exited.set()
        try:
            return self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
        finally:
            for pipe in (self._process.stdin, self._process.stdout):
                with suppress(OSError):
                    cast(IO[bytes], pipe).close()

    def _kill(self) -> None:
        if os.name == "posix":
            self._signal(signal.SIGKILL)
        else:
            self._process.kill()

    def _stop(self, reason: str) -> None:
        """Kill the process for exceeding a limit."""
        self._stopped_because = reason
        self._kill()

    def _watch(self) -> None:
        """Enforce the budget of the process, which grows once the length of its film is known."""
        budget, moved = self._budget(), Usage()
        while not self._exited.wait(WATCH_SECONDS):
            usage = usage_of(self._process.pid)
            if usage.cpu_seconds - moved.cpu_seconds > WATCH_SECONDS:
                moved, self._last_event = usage, time.monotonic()
            why = budget.why_exceeded(usage)
            if why and (video := known_video(self._library.store, self.path)):
                budget = self._budget(video.duration)
                why = budget.why_exceeded(usage)
            if not why and time.monotonic() - self._last_event > budget.stall_seconds:
                why = f"did nothing for {budget.stall_seconds:.0f} seconds"
            if why:
                self._stop(f"{why}; raise processes.budget if you trust the video")

    def _budget(self, film_seconds: float = 0.0) -> Budget:
        times = self._library.config.processes.budget
        budget = Budget.of(self.path, film_seconds, times=times)
        return replace(budget, memory_bytes=min(budget.memory_bytes, self._most_memory))

    def _lost(self, code: int) -> IndexResult:
        """The result of a process that sent none."""
        if self._terminated:
            return IndexResult(self.path, failure="stopped")
        how = self._stopped_because or (
            f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        )
        reason = f"the index process {how}"
        mark_failed(self._library.store, self.path, reason)
        return IndexResult(self.path, failure=reason)
