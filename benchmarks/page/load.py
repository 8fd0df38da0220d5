"""Response times for fifty people who search and watch while a video is being indexed.

    storyscope demo --folder out/demo
    python -m benchmarks.page.load [--demo out/demo] [--clients 50] [--seconds 60] [--hostile 30]

A copy of the demo's library is served by a separate process. Each client sends a query, reads a
part of the film, and then pauses as a person would (`--think`), while copies of the film are
indexed one after another. Before that, one client is measured alone; afterwards the same clients
run again together with hostile ones, which send incomplete requests, endless bodies, addresses of
100 kB and cross-site requests. Writes docs/benchmarks/load.json and load.md, or the page given by
`--page`.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote

from benchmarks import common

DOCS = common.DOCS
QUERIES = (
    "a turtle under water",
    "camels in the desert",
    "lava and smoke",
    "snow on a mountain",
    "city lights at night",
    "planets and stars",
    "quarterly interest rates",
)
COPIES = 6
"""Enough copies to keep indexing busy until the end."""
ALONE = 28
"""Queries of the single client."""
PIECE = 256 << 10
"""Bytes of film that a client reads per request."""


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument(
        "--demo", type=Path, default=Path("out/demo"), help="folder with the demo library"
    )
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--think", type=float, default=5.0, help="mean seconds between requests")
    parser.add_argument("--hostile", type=int, default=30, help="number of hostile clients")
    parser.add_argument("--page", default="load", help="name of the page to write")
    parser.add_argument("--note", default="", help="a remark for the report, such as quiet machine")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        library, media = Path(scratch) / "library", Path(scratch) / "media"
        shutil.copytree(wanted.demo / "library", library)
        media.mkdir()
        for number in range(COPIES):
            shutil.copy(wanted.demo / "demo.mp4", media / f"copy-{number + 1}.mp4")
        facts = measure(library, media, wanted)
    write(facts, wanted.page)


def measure(library: Path, media: Path, wanted: argparse.Namespace) -> dict[str, object]:
    port = free_port()
    serve = ["-m", "storyscope", "serve", "--library", library, "--port", port, "--media", media]
    server = subprocess.Popen([sys.executable, *map(str, serve)], stdout=subprocess.DEVNULL)
    try:
        wait_for(port)
        ask(port, "GET", f"/search?q={quote(QUERIES[0])}")
        alone = [timed(port, QUERIES[number % len(QUERIES)]) for number in range(ALONE)]
        ask(port, "POST", "/videos", json.dumps({"path": str(media)}))
        failures: list[str] = []
        waits = crowd(port, wanted, failures, hostile=0)
        beside = crowd(port, wanted, failures, hostile=wanted.hostile)
        jobs = json.loads(ask(port, "GET", "/jobs"))["jobs"]
    finally:
        server.terminate()
        server.wait()
    return {
        "clients": wanted.clients,
        "seconds": wanted.seconds,
        "think_seconds": wanted.think,
        "cores": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 1),
        "note": wanted.note,
        "indexing": [job["state"] for job in jobs],
        "failures": len(failures),
        "first_failure": failures[0] if failures else "",
        "alone": spread(alone),
        "answers": {name: spread(values) for name, values in waits.items()},
        "hostile": wanted.hostile,
        "beside_hostile": {name: spread(values) for name, values in beside.items()},
    }


def crowd(
    port: int, wanted: argparse.Namespace, failures: list[str], *, hostile: int
) -> dict[str, list[float]]:
    """Run all clients together with some hostile ones; return the response times by kind."""
    waits: dict[str, list[float]] = {"search": [], "film": []}
    end = time.monotonic() + wanted.seconds
    people = [
        threading.Thread(target=visit, args=(port, seed, end, wanted.think, waits, failures))
        for seed in range(wanted.clients)
    ]
    people += [threading.Thread(target=harass, args=(port, seed, end)) for seed in range(hostile)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    return waits


ATTACKS = (
    b"GET /api/v1/videos HTTP/1.1\r\nHost: loc",
    b"POST /api/v1/videos HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 1000000\r\n\r\n{",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /api/v1/videos/demo/stream HTTP/1.1\r\nHost: localhost\r\n"
    b"Sec-Fetch-Site: cross-site\r\n\r\n",
    b"DELETE /api/v1/videos/demo HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil\r\n\r\n",
)
"""What hostile clients send: incomplete or forbidden requests."""


def harass(port: int, seed: int, end: float) -> None:
    """One hostile client: send an incomplete or forbidden request, wait, and repeat."""
    luck = random.Random(seed)
    while time.monotonic() < end:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
                connection.sendall(luck.choice(ATTACKS))
                connection.recv(100)
        except OSError:
            time.sleep(0.05)


def timed(port: int, text: str) -> float:
    began = time.monotonic()
    ask(port, "GET", f"/search?q={quote(text)}")
    return time.monotonic() - began


def visit(
    port: int,
    seed: int,
    end: float,
    think: float,
    waits: dict[str, list[float]],
    failures: list[str],
) -> None:
    """One client: search, read a part of the film, pause, and repeat until `end`."""
    luck = random.Random(seed)
    time.sleep(luck.uniform(0, think))
    while time.monotonic() < end:
        first = luck.randrange(0, 4) * PIECE
        steps = (
            ("search", f"/search?q={quote(luck.choice(QUERIES))}", {}),
            ("film", "/videos/demo/media", {"Range": f"bytes={first}-{first + PIECE - 1}"}),
        )
        for name, path, headers in steps:
            began = time.monotonic()
            try:
                ask(port, "GET", path, headers=headers)
                waits[name].append(time.monotonic() - began)
            except (OSError, http.client.HTTPException, ValueError) as failure:
                failures.append(f"{name}: {failure!r}")
        time.sleep(luck.expovariate(1 / think))


def ask(
    port: int, method: str, path: str, body: str = "", headers: dict[str, str] | None = None
) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        given = {"Content-Type": "application/json"} if body else {}
        connection.request(method, f"/api/v1{path}", body or None, given | (headers or {}))
        answer = connection.getresponse()
        taken = answer.read()
    finally:
        connection.close()
    if answer.status >= 400:
        raise ValueError(f"{path} returned status {answer.status}: {taken[:200]!r}")
    return taken


def spread(values: list[float]) -> dict[str, float]:
    """The number of values, and their percentiles in milliseconds."""
    rising = sorted(values) or [0.0]
    place = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    marks = {
        name: round(1000 * rising[min(len(rising) - 1, int(part * len(rising)))], 1)
        for name, part in place.items()
    }
    return {"count": len(values), **marks, "most": round(1000 * rising[-1], 1)}


def write(facts: dict, page: str) -> None:
    done = facts["indexing"]
    rows = {"search, one client": facts["alone"], **facts["answers"]}
    for name, spread_of in facts["beside_hostile"].items():
        rows[f"{name}, with {facts['hostile']} hostile clients"] = spread_of
    lines = [
        "# Response times under load",
        "",
        f"{facts['clients']} clients for {facts['seconds']:g} s, each pausing for about "
        f"{facts['think_seconds']:g} s between requests, while a video is being indexed; "
        f"{facts['cores']} cores, load average {facts['load_average']}. {facts['note']}".strip(),
        "",
        "| response | count | p50 ms | p95 ms | p99 ms | max ms |",
        "| --- | --- | --- | --- | --- | --- |",
        *(
            f"| {name} | {v['count']} | {v['p50']} | {v['p95']} | {v['p99']} | {v['most']} |"
            for name, v in rows.items()
        ),
        "",
        f"Errors: {facts['failures']}. Indexed during the run: {done.count('ready')} videos, "
        f"and one {'still' if 'indexing' in done else 'no longer'} being indexed.",
        "",
        "Made by `python -m benchmarks.page.load`.",
    ]
    common.write_page(page, facts, "\n".join(lines) + "\n")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def wait_for(port: int, *, patience: float = 60.0) -> None:
    end = time.monotonic() + patience
    while True:
        try:
            ask(port, "GET", "/videos")
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


if __name__ == "__main__":
    main()
