"""Runs attacks in a worker process, counts the outcomes and saves the results.

The worker writes one line of JSON per attack. If it crashes, or takes longer than a minute, that
attack has failed, and a new worker continues with the next one.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks import common

KINDS = {
    "films": "mutated films, added to a library",
    "texts": "mutated subtitles, annotations, settings and pictures, read",
    "exports": "stories with hostile titles, and of mutated films, exported",
    "kills": "commands killed at a random moment and run again",
    "web": "requests to a server that holds a secret",
}
"""Every kind of attack, with its description."""
GOOD = ("fine", "refused")
BAD = ("traceback", "hang", "crash", "lost", "out")
HANG_SECONDS = {"kills": 400.0}
"""Seconds that one attack may take, by kind; a minute by default."""
LONGEST = 15
"""The most by which the time limit is stretched on a busy machine."""
SAVE_EVERY = 20


def run(kind: str, seed: int, count: int, out: Path, *, resume: bool) -> dict[str, Any]:
    """Run attacks up to number `count`; return the counts."""
    path = out / f"{kind}-{seed}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = json.loads(path.read_text()) if resume and path.exists() else _fresh(kind, seed)
    worker: Worker | None = None
    try:
        while facts["next"] < count:
            worker = worker or Worker(kind, seed, facts["next"])
            verdict = worker.next(HANG_SECONDS.get(kind, 60.0))
            if verdict is None:
                break
            _count(facts, verdict)
            worker = None if verdict["verdict"] in ("hang", "crash") else worker
            if facts["next"] % SAVE_EVERY == 0:
                _save(path, facts)
    finally:
        if worker is not None:
            worker.end()
        _save(path, facts)
    return facts


def try_again(kind: str, seed: int, out: Path) -> dict[str, Any]:
    """Run the failed attacks again, after a fix, and update the counts."""
    path = out / f"{kind}-{seed}.json"
    facts: dict[str, Any] = json.loads(path.read_text())
    failed, facts["failures"], reached = facts["failures"], [], facts["next"]
    for failure in failed:
        worker = Worker(kind, seed, failure["number"])
        try:
            verdict = worker.next(HANG_SECONDS.get(kind, 60.0))
        finally:
            worker.end()
        facts["verdicts"][failure["verdict"]] -= 1
        _count(facts, verdict or failure)
    facts["next"] = reached
    _save(path, facts)
    return facts


def keep(kind: str, seed: int, number: int, out: Path) -> Path:
    """Write the file of one attack for inspection."""
    from benchmarks.attacks import films, texts

    module = {"films": films, "texts": texts}[kind]
    folder = out / "files"
    folder.mkdir(parents=True, exist_ok=True)
    return module.make(seed, number, folder)


def report(out: Path) -> int:
    """Write the table of all runs to docs/reliability.md; return the number of failures."""
    results = [json.loads(path.read_text()) for path in sorted(out.glob("*-*.json"))]
    rows, failed = [], 0
    for kind, words in KINDS.items():
        those = [facts for facts in results if facts["kind"] == kind]
        if not those:
            rows.append(f"| {words} | 0 |{' |' * (len(GOOD) + len(BAD) + 1)}")
            continue
        total: Counter[str] = Counter()
        for facts in those:
            total.update(facts["verdicts"])
        failed += sum(total[name] for name in BAD)
        slowest = max(facts["slowest"] for facts in those)
        cells = [sum(total.values()), *(total[name] for name in (*GOOD, *BAD)), f"{slowest:.0f} s"]
        rows.append(f"| {words} | {' | '.join(f'{cell}' for cell in cells)} |")
    head = ["attacks", "run", *GOOD, *BAD, "slowest"]
    lines = [
        f"| {' | '.join(head)} |",
        f"| --- |{' ---: |' * (len(head) - 1)}",
        *rows,
        "",
        f"By `python benchmarks/hostile.py`, {date.today().isoformat()}.",
    ]
    common.write_table(common.ROOT / "docs" / "reliability.md", "hostile", "\n".join(lines))
    for facts in results:
        for failure in facts["failures"]:
            print(f"{facts['kind']} {failure['number']} (seed {facts['seed']}): {failure}")
    return failed


class Worker:
    """A process that runs attacks, starting at a given number."""

    def __init__(self, kind: str, seed: int, first: int) -> None:
        words = [sys.executable, "-m", "benchmarks.attacks.worker", kind, str(seed), str(first)]
        paths = [str(common.ROOT), str(common.ROOT / "src")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        self._process = subprocess.Popen(
            words, stdout=subprocess.PIPE, env=environment, start_new_session=True, text=True
        )
        self._number = first
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._ready = False
        threading.Thread(target=self._read, daemon=True).start()

    def next(self, patience: float) -> dict[str, Any] | None:
        """The outcome of the next attack; None if there are no more."""
        # The first attack also sets up the library or server, which takes a while.
        line = self._line(patience if self._ready else patience + 240)
        if line == "":
            self.end()
            return {"number": self._number, "verdict": "hang", "seconds": patience}
        if line is None:
            code = self._process.wait()
            if code == 0:
                return None
            self.end()
            return {"number": self._number, "verdict": "crash", "detail": f"code {code}"}
        self._ready = True
        verdict: dict[str, Any] = json.loads(line)
        self._number = verdict["number"] + 1
        return verdict

    def _line(self, patience: float) -> str | None:
        """The next line; None at the end, and empty after `patience` seconds.

        On a busy machine a second counts as less, by the share of CPU time that is available.
        """
        latest = time.monotonic() + LONGEST * patience
        while patience > 0 and time.monotonic() < latest:
            began = time.monotonic()
            with suppress(queue.Empty):
                return self._lines.get(timeout=1.0)
            patience -= (time.monotonic() - began) * share_of_processor()
        return ""

    def end(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)


def share_of_processor(work: float = 0.005) -> float:
    """The share of a CPU core that this process currently gets, from 0 to 1."""
    began, used = time.monotonic(), time.thread_time()
    while time.thread_time() - used < work:
        pass
    return min(1.0, work / (time.monotonic() - began))


def _fresh(kind: str, seed: int) -> dict[str, Any]:
    return {
        "kind": kind,
        "seed": seed,
        "next": 0,
        "verdicts": {},
        "slowest": 0.0,
        "seconds": 0.0,
        "failures": [],
    }


def _count(facts: dict[str, Any], verdict: dict[str, Any]) -> None:
    name, seconds = verdict["verdict"], verdict.get("seconds", 0.0)
    facts["verdicts"][name] = facts["verdicts"].get(name, 0) + 1
    facts["slowest"] = max(facts["slowest"], seconds)
    facts["seconds"] = round(facts["seconds"] + seconds, 1)
    facts["next"] = verdict["number"] + 1
    if name in BAD:
        facts["failures"].append(verdict)
        print(f"{facts['kind']} {verdict}", file=sys.stderr, flush=True)


def _save(path: Path, facts: dict[str, Any]) -> None:
    part = path.with_suffix(f".{os.getpid()}-{time.monotonic_ns()}")
    part.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    part.replace(path)
