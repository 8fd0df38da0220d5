"""Commands killed at a random moment: what people had is still there, and the next run ends as an
undisturbed one would."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

from benchmarks.attacks import films
from benchmarks.attacks.worker import Lost
from storyscope import Library
from storyscope.errors import StoryscopeError
from storyscope.library.checking import check_library

Words = tuple[str, ...]
FRESH = {
    "add": ("add", "{a}"),
    "jobs": ("add", "{a}", "{b}", "--jobs", "2"),
    "limit": ("add", "{a}", "{b}", "--jobs", "2", "--cpu-limit", "60"),
}
"""Commands that fill an empty library."""
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
"""Commands on a library that holds two films and a person's version."""
NAMES = (*FRESH, *OVER)
LONGEST = 8.0
"""No command is killed later than that many seconds after it began."""


def attacks(seed: int, scratch: Path) -> tuple[Callable[[int], str], None]:
    """Kill one command after another, each on a copy of a library."""
    for name, which in (("a", 0), ("b", 1)):
        (scratch / f"{name}.mp4").write_bytes(films.film(which))
    whole = scratch / "whole"
    films.quiet_library(whole)
    _run(("add", "{a}", "{b}"), whole, scratch)
    for video in ("a", "b"):  # Training wants two videos to learn from one and judge by the other.
        _run(("edit", video, "--split", "0.7", "--annotator", "Ann"), whole, scratch)
    wanted = said(whole)
    lasted: dict[str, float] = {}

    def attack(number: int) -> str:
        dice = Random(f"kills {seed} {number}")
        name = NAMES[number % len(NAMES)]
        library = scratch / f"library-{number}"
        if name in OVER:
            shutil.copytree(whole, library)
        else:
            films.quiet_library(library)
        words = OVER.get(name) or FRESH[name]
        moment = dice.uniform(0.05, lasted.get(name, LONGEST))
        began = time.monotonic()
        kill = _kill_server if name == "server" else _kill
        killed = kill(words, library, scratch, moment)
        if not killed:
            lasted[name] = time.monotonic() - began
        try:
            check(name, words, library, scratch, wanted)
        finally:
            shutil.rmtree(library, ignore_errors=True)
        return f"{name} {'killed after' if killed else 'ended in'} {time.monotonic() - began:.1f} s"

    return attack, None


def check(name: str, words: Words, library: Path, scratch: Path, wanted: dict[str, str]) -> None:
    """Run the killed command again, and compare what the library then says with what it should."""
    if name == "server":
        _serve_until_done(words, library, scratch)
    elif name != "remove" or "stories b" in said(library):
        _run(words, library, scratch)
    if name in FRESH:
        _run(("add", "{a}", "{b}"), library, scratch)
    found = said(library)
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


def said(library: Path) -> dict[str, str]:
    """What a library says of both films, and of the person's version of one."""
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
    filled = [word.format(**places) for word in words]
    return [sys.executable, "-m", "storyscope", *filled, "--library", str(library)]


def _kill(words: Words, library: Path, scratch: Path, moment: float) -> bool:
    """Start a command and kill it with all its children; False where it had ended before."""
    process = subprocess.Popen(
        _filled(words, library, scratch),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(moment)
        return False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True


def _kill_server(words: Words, library: Path, scratch: Path, moment: float) -> bool:
    """Upload a film to a server, and kill it some moments after it said that it has it."""
    with _served(words, library, scratch) as (server, port):
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
    """Another server goes on with what was uploaded to the killed one."""
    with _served(words, library, scratch) as (_, port):
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
    words: Words, library: Path, scratch: Path
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    with socket.create_server(("127.0.0.1", 0)) as door:
        port: int = door.getsockname()[1]
    command = [word.format(port=port) for word in _filled(words, library, scratch)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen(command, start_new_session=True, **quiet)  # type: ignore[call-overload]
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


def _run(words: Words, library: Path, scratch: Path) -> str:
    code, text = _outcome(words, library, scratch)
    if code != 0:
        raise Lost(f"{' '.join(words)} ended with {code}: {text[-500:]}")
    return text


def _outcome(words: Words, library: Path, scratch: Path) -> tuple[int, str]:
    done = subprocess.run(_filled(words, library, scratch), capture_output=True, text=True)
    if "Traceback" in done.stderr:
        raise RuntimeError(done.stderr[-900:])
    return done.returncode, done.stdout if done.returncode == 0 else done.stderr
