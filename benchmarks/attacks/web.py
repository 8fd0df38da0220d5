"""Malicious requests, sent to a real server.

The server serves a library and a media folder, next to which there is a secret file. After every
exploit the server must still respond, list the same videos, and not have leaked the secret or
a path.
"""

from __future__ import annotations

import http.client
import shutil
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import uvicorn

from benchmarks.attacks import films
from benchmarks.attacks.exploits import EXPLOITS, LOCAL, Exploit
from benchmarks.attacks.worker import Leaked, Lost
from storyscope import Library
from storyscope.web import connections, create_app, guard

SECRET = "the-secret-beside-the-library"
TOKEN = "correct-horse-battery"
LARGEST_UPLOAD = 2 << 20


@dataclass
class Target:
    """A library, the two servers that serve it, and the secrets that they must not reveal."""

    scratch: Path
    library: Library
    open_port: int = 0
    closed_port: int = 0
    """The port of the server that requires a token."""
    servers: list[uvicorn.Server] = field(default_factory=list)

    @property
    def media(self) -> Path:
        return self.scratch / "media"


def attacks(seed: int, scratch: Path) -> tuple[Callable[[int], str], int]:
    """Send every exploit once, with shorter timeouts than in production."""
    guard.GUESS_SECONDS, connections.HEADER_SECONDS = 0.1, 0.5
    target = make_target(scratch)
    before = films.facts_of(target.library)

    def attack(number: int) -> str:
        exploit = EXPLOITS[number]
        carry_out(exploit, target)
        if films.facts_of(target.library) != before:
            raise Lost(f"{exploit.name}: the library holds other stories")
        return exploit.name

    return attack, len(EXPLOITS)


def make_target(scratch: Path, indexed: Path | None = None, film: Path | None = None) -> Target:
    """Serve a library of one film with and without a token; copies `indexed` if it is given."""
    mine = scratch / "media" / "film.mp4"
    mine.parent.mkdir()
    if indexed is None or film is None:
        mine.write_bytes(films.film(0))
        library = films.quiet_library(scratch / "library")
        library.add(mine)
    else:
        shutil.copy2(film, mine)
        library = Library(shutil.copytree(indexed, scratch / "library"))
        record = library.store.record("film")
        library.store.put_record(replace(record, video=replace(record.video, path=str(mine))))
    (scratch / "secret.txt").write_text(SECRET)
    (scratch / "secret.srt").write_text(f"1\n00:00:00,000 --> 00:00:01,000\n{SECRET}\n")
    (scratch / "media" / "link").symlink_to(scratch)
    target = Target(scratch, library)
    target.open_port = _serve(target, None)
    target.closed_port = _serve(target, TOKEN)
    return target


def carry_out(exploit: Exploit, target: Target) -> None:
    """Send one exploit, and check that it did no harm."""
    port = target.closed_port if exploit.token else target.open_port
    if exploit.script is not None:
        status, body = exploit.script(port, target)
    else:
        status, body = send(port, exploit)
    if status >= 500 and status not in exploit.allowed:
        raise RuntimeError(f"{exploit.name}: answered {status}: {body[:300]!r}")
    if status not in exploit.allowed:
        raise Leaked(f"{exploit.name}: answered {status}, wanted {exploit.allowed}: {body[:200]!r}")
    text = body.decode("utf-8", "replace")
    for secret in (SECRET, str(target.scratch), "Traceback (most", "root:x:0"):
        if secret in text:
            raise Leaked(f"{exploit.name}: the answer holds {secret!r}")
    if not alive(target):
        raise Lost(f"{exploit.name}: the server answers nobody any more")


def send(port: int, exploit: Exploit) -> tuple[int, bytes]:
    """Send a request unchanged, even if malformed; status 0 if the server closes the connection."""
    headers = {"Host": f"localhost:{port}", **exploit.headers}
    if exploit.body and "Content-Length" not in headers and "Transfer-Encoding" not in headers:
        headers["Content-Length"] = str(len(exploit.body))
    lines = [f"{exploit.method} {exploit.path} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in headers.items() if value is not None]
    head = "\r\n".join([*lines, "Connection: close", "", ""])
    return send_raw(port, head.encode("utf-8", "surrogateescape") + exploit.body)


def send_raw(port: int, request: bytes) -> tuple[int, bytes]:
    """Send bytes, and read the whole response."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as door:
        with suppress(OSError):
            door.sendall(request)
        answer = http.client.HTTPResponse(door)
        try:
            answer.begin()
            return answer.status, answer.read(4 << 20)
        except (http.client.HTTPException, OSError):
            return 0, b""


def alive(target: Target) -> bool:
    """Whether the server without a token still lists its videos within a few seconds."""
    question = Exploit("alive", "GET", "/api/v1/videos", LOCAL, allowed=(200,))
    for _ in range(20):
        if send(target.open_port, question)[0] == 200:
            return True
        time.sleep(0.2)
    return False


def _serve(target: Target, token: str | None) -> int:
    options: dict[str, Any] = {"token": token, "largest_upload": LARGEST_UPLOAD}
    app = create_app(target.library, media_folders=(target.media,), **options)
    config = uvicorn.Config(
        app,
        http=connections.PunctualProtocol,
        log_level="critical",
        limit_concurrency=64,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    door = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=server.run, args=([door],), daemon=True).start()
    target.servers.append(server)
    port: int = door.getsockname()[1]
    return port


def close(target: Target) -> None:
    """Stop both servers."""
    for server in target.servers:
        server.should_exit = True
