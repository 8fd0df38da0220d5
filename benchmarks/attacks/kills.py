"""Commands killed at a random moment: no data is lost, and the next run ends as if undisturbed.

Half of them are killed after a random time, half just before they open, rename or delete a file.
Commands and their processes are forked from one that has everything loaded
(`benchmarks.attacks.warm`), except one in twenty-five, which is started from scratch.
"""

from __future__ import annotations

import http.client
import json
import mmap
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

from benchmarks.attacks import films
from benchmarks.attacks.warm import Forked, fork_command, fork_ours
from benchmarks.attacks.worker import Lost
from storyscope import Library
from storyscope.errors import StoryscopeError
from storyscope.library import training
from storyscope.library.checking import check_library
from storyscope.stories.fine_tuning import FINE, fine_tune

Words = tuple[str, ...]
Process = Forked | subprocess.Popen[bytes]
FRESH = {
    "add": ("add", "{a}"),
    "jobs": ("add", "{a}", "{b}", "--jobs", "2"),
    "limit": ("add", "{a}", "{b}", "--jobs", "2", "--cpu-limit", "60"),
}
"""Commands that run on an empty library."""
OVER = {
    "again": ("add", "{a}", "--again"),
    "train": ("train", "--insist", "--quiet"),
    "export": ("export", "a", "--format", "mkv", "--output", "{folder}/out.mkv", "--overwrite"),
    "edit": ("edit", "a", "--title", "1=Renamed", "--annotator", "Bob"),
    "backup": ("backup",),
    "check": ("check", "--repair"),
    "remove": ("remove", "b", "--yes"),
    "server": ("serve", "--port", "{port}"),
}
"""Commands that run on a library with two films and a version that a person saved."""
NAMES = (*FRESH, *OVER)
COLD = 25
"""One command in this many is started from scratch instead of forked."""
CHANGES = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.fork")
"""Audit events that Python raises before it changes files."""


class Trap:
    """Kills a command just before its file change number `at`, in any of its processes.

    Without `at` it only counts the changes.
    """

    def __init__(self, at: int = 0) -> None:
        self.at = at
        self._count = mmap.mmap(-1, 8)

    @property
    def count(self) -> int:
        return int.from_bytes(self._count[:8], "little")

    def set(self) -> None:
        """Watch this process, which runs the command, and the processes that it forks."""
        leader = os.getpid()

        def hook(event: str, about: tuple[object, ...]) -> None:
            if event not in CHANGES or (event == "open" and about[1] in ("r", "rb")):
                return
            number = self.count + 1
            self._count[:8] = number.to_bytes(8, "little")
            if number == self.at:
                os.kill(leader, signal.SIGKILL)
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)


def attacks(seed: int, scratch: Path) -> tuple[Callable[[int], str], None]:
    """Run commands on copies of a library, and kill each of them."""
    fork_ours()
    make_training_short()
    for name, which in (("a", 0), ("b", 1)):
        (scratch / f"{name}.mp4").write_bytes(films.film(which))
    whole = scratch / "whole"
    made = films.quiet_library(whole)
    for video in ("a", "b"):
        made.add(scratch / f"{video}.mp4")
    made.store.close()
    for video in ("a", "b"):  # Training needs two videos: one to learn from and one to evaluate on.
        _run(("edit", video, "--split", "0.7", "--annotator", "Ann"), whole, scratch)
    wanted = contents(whole)
    undisturbed: dict[str, tuple[float, int]] = {}

    def attack(number: int) -> str:
        dice = Random(f"kills {seed} {number}")
        name = NAMES[number % len(NAMES)]
        words = OVER.get(name) or FRESH[name]
        if name not in undisturbed:
            undisturbed[name] = _measured(
                name, words, _library(name, number, whole, scratch), scratch
            )
        library = _library(name, number, whole, scratch)
        seconds, changes = undisturbed[name]
        trap = Trap(dice.randint(1, max(1, changes)) if dice.random() < 0.5 else 0)
        moment = dice.uniform(0.0, seconds)
        began = time.monotonic()
        kill = _kill_server if name == "server" else _kill
        cold = number % COLD == COLD - 1
        killed = kill(words, library, scratch, moment, None if cold else trap)
        try:
            check(name, words, library, scratch, wanted)
        finally:
            shutil.rmtree(library, ignore_errors=True)
        how = f"killed at {trap.count} of {changes}" if killed else "ended first"
        return f"{name} {how}, {time.monotonic() - began:.1f} s"

    return attack, None


def make_training_short() -> None:
    """Make training start at once and take few steps, so that a kill can hit any of them."""
    training.fine_tune = partial(fine_tune, recipe=replace(FINE, steps=4))
    with suppress(ImportError):
        import torch  # noqa: F401 (commands that are forked have it then)


def _library(name: str, number: int, whole: Path, scratch: Path) -> Path:
    library = scratch / f"library-{number}"
    shutil.rmtree(library, ignore_errors=True)
    if name in OVER:
        shutil.copytree(whole, library)
    else:
        films.quiet_library(library).store.close()
    return library


def _measured(name: str, words: Words, library: Path, scratch: Path) -> tuple[float, int]:
    """The seconds that a command takes, and the number of file changes it makes."""
    if name == "server":
        return SERVER_SECONDS, 0
    began, trap = time.monotonic(), Trap()
    code = _start(words, library, scratch, trap).wait()
    if code != 0:
        raise Lost(f"{name} ended with {code}: {(scratch / 'log').read_text()[-250:]}")
    return time.monotonic() - began, trap.count


SERVER_SECONDS = 3.0
"""Seconds after an upload within which the server is killed."""


def check(name: str, words: Words, library: Path, scratch: Path, wanted: dict[str, str]) -> None:
    """Run the killed command again, and compare the library with the expected content."""
    if name == "server":
        _serve_until_done(words, library, scratch)
    elif name != "remove" or "stories b" in contents(library):
        _run(words, library, scratch)
    if name in FRESH:
        _run(("add", "{a}", "{b}"), library, scratch)
    found = contents(library)
    for key, value in wanted.items():
        gone = name == "remove" and key.endswith(" b")
        if not gone and not (name in FRESH and key == "Ann a") and found.get(key) != value:
            raise Lost(f"{name}: {key} was {value[:200]}, is {str(found.get(key))[:200]}")
    opened = Library(library)
    check_library(opened, repair=True)
    left = check_library(opened)
    opened.store.close()
    if left:
        raise Lost(f"{name}: {left[:3]}")


def contents(library: Path) -> dict[str, str]:
    """The library's facts about both films, and about the version that a person saved."""
    opened, found = Library(library), {}
    versions = {"stories a": ("a", None), "stories b": ("b", None), "Ann a": ("a", "Ann")}
    for name, (video, annotator) in versions.items():
        with suppress(StoryscopeError):
            stories = opened.stories(video, annotator=annotator)
            found[name] = str(
                [(story.span.start, story.span.end, story.title) for story in stories]
            )
    opened.store.close()
    return found


def _filled(words: Words, library: Path, scratch: Path) -> list[str]:
    folder = scratch / "work"
    folder.mkdir(exist_ok=True)
    places = {"a": scratch / "a.mp4", "b": scratch / "b.mp4", "folder": folder, "port": "{port}"}
    return [*(word.format(**places) for word in words), "--library", str(library)]


def _start(words: Words, library: Path, scratch: Path, trap: Trap | None) -> Process:
    """Start a command: forked if there is a trap, otherwise from scratch."""
    filled = _filled(words, library, scratch)
    if trap is not None:
        return fork_command(filled, scratch / "log", trap.set)
    with (scratch / "log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "storyscope", *filled],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def _kill(words: Words, library: Path, scratch: Path, moment: float, trap: Trap | None) -> bool:
    """Start a command and kill it with all its children; False if it had already ended."""
    process = _start(words, library, scratch, trap)
    try:
        return process.wait(None if trap is not None and trap.at else moment) == -signal.SIGKILL
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True


def _kill_server(
    words: Words, library: Path, scratch: Path, moment: float, trap: Trap | None
) -> bool:
    """Upload a film to a server, and kill the server shortly after it acknowledged the upload."""
    with _served(words, library, scratch, trap) as (server, port):
        boundary = "film-follows"
        body = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="c.mp4"\r\n'
            f"\r\n".encode()
            + films.film(7)
            + f"\r\n--{boundary}--\r\n".encode()
        )
        headers = {
            "Content-Type": f"multipart/form-data; boundary={boundary}",
            "X-Storyscope": "1",
        }
        status, text = _ask(port, "POST", "/uploads", body, headers)
        if status != 202:
            raise Lost(f"the upload was answered {status}: {text[:200]!r}")
        time.sleep(moment)
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
    return True


def _serve_until_done(words: Words, library: Path, scratch: Path) -> None:
    """Start another server, which must index what was uploaded to the killed one."""
    with _served(words, library, scratch, Trap()) as (_, port):
        deadline = time.monotonic() + 200
        while time.monotonic() < deadline:
            _, text = _ask(port, "GET", "/videos")
            states = {each["id"]: each["state"] for each in json.loads(text)["videos"]}
            if states.get("c") == "ready":
                return
            time.sleep(0.5)
    raise Lost(f"an upload that was acknowledged is not there: {states}")


@contextmanager
def _served(
    words: Words, library: Path, scratch: Path, trap: Trap | None
) -> Iterator[tuple[Process, int]]:
    with socket.create_server(("127.0.0.1", 0)) as door:
        port: int = door.getsockname()[1]
    filled = tuple(word.format(port=port) for word in words)
    server = _start(filled, library, scratch, Trap() if trap else None)
    try:
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            with suppress(OSError, http.client.HTTPException):
                _ask(port, "GET", "/videos")
                break
            time.sleep(0.2)
        yield server, port
    finally:
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _ask(
    port: int, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, f"/api/v1{path}", body or None, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def _run(words: Words, library: Path, scratch: Path) -> None:
    code = _start(words, library, scratch, Trap()).wait()
    log = (scratch / "log").read_text(errors="replace")
    if "Traceback" in log:
        raise RuntimeError(log[-900:])
    if code != 0:
        raise Lost(f"{' '.join(words)} ended with {code}: {log[-250:]}")
