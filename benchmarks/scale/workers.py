"""Sixty-four workers with a real scheduler and a real database, and stages that only wait.

    python -m benchmarks.scale.workers --workers 64 --videos 256

Each task is one video: its lock, a record, and twelve stages that wait for a fraction of their
usual time and then save an artefact of a few kilobytes. Every worker has its own store, as a
separate process would. Waiting replaces decoding and inference, so the results show the limits of
the scheduler and the database.
"""

from __future__ import annotations

import tempfile
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import common
from benchmarks.scale.server import Server, running_server
from storyscope.cluster import opened_cluster
from storyscope.core import Video
from storyscope.store import Artefact, PostgresStore, VideoRecord

STAGES = {
    "scan": 0.55,
    "transcript": 0.08,
    "screen": 0.04,
    "vision": 0.2,
    "looks": 0.05,
    "appearance": 0.01,
    "audio": 0.01,
    "stories": 0.01,
    "passages": 0.02,
    "ratings": 0.01,
    "concepts": 0.01,
    "titles": 0.01,
}
"""Approximate share of the time that each stage takes."""
THREADS = 16
"""Number of workers per process, because they only wait."""
_stores = threading.local()


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--videos", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=4.0, help="that a whole video waits")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scale-workers-") as name:
        folder = Path(name)
        with running_server(folder) as server:
            server.execute(f"ALTER SYSTEM SET max_connections = {4 * options.workers + 50}")
            server.kill()
            server.start_again()
            facts = simulate(server, folder, options.workers, options.videos, options.seconds)
    table = "\n".join(["| | |", "| --- | ---: |", *(f"| {k} | {v} |" for k, v in facts.items())])
    print(table)
    if options.write:
        common.write_page(
            "scale_workers",
            facts,
            f"# Many workers on one scheduler and one database\n\n{table}\n\n"
            "Made by `python -m benchmarks.scale.workers`.\n",
        )


def simulate(
    server: Server, folder: Path, workers: int, videos: int, seconds: float
) -> dict[str, Any]:
    address = server.address(folder, schema="workers")
    PostgresStore(address).close()
    watched, over = [], threading.Event()
    watch = threading.Thread(target=lambda: watched.extend(_watch(server, over)))
    watch.start()
    with opened_cluster("local", workers=max(1, workers // THREADS), threads=THREADS) as client:
        began = time.perf_counter()
        # Workers import this module by name, which is not the module that runs as `__main__`.
        work = import_module("benchmarks.scale.workers").index_one
        futures = client.map(work, range(videos), address=address, seconds=seconds, pure=False)
        results = client.gather(futures)
        wall = time.perf_counter() - began
    over.set()
    watch.join()
    saves = [each for result in results for each in result]
    least = seconds * videos / workers
    return {
        "workers": workers,
        "videos": videos,
        "seconds that all stages wait, shared by the workers": round(least, 1),
        "seconds it took": round(wall, 1),
        "tasks a second": round(videos / wall, 1),
        "artefacts saved a second": round(len(saves) / wall, 1),
        "ms a save, median": round(1000 * float(np.median(saves)), 1),
        "ms a save, p95": round(1000 * float(np.percentile(saves, 95)), 1),
        "connections at most": max(count for count, _ in watched),
        "longest transaction seen, ms": round(1000 * max(age for _, age in watched)),
    }


def index_one(number: int, *, address: str, seconds: float) -> list[float]:
    """Process one video on a worker; return the duration of each save in seconds."""
    if not hasattr(_stores, "store"):
        _stores.store = PostgresStore(address)
    store, name = _stores.store, f"video{number:05}"
    video = Video(name, f"/{name}.mp4", name, 3600.0, 90_000, 25.0, 1280, 720, True)
    chance, saves = np.random.default_rng(number), []
    with store.busy(name):
        store.put_record(VideoRecord(video, "indexing", 0, 0))
        for stage, share in STAGES.items():
            time.sleep(share * seconds)
            began = time.perf_counter()
            store.save(name, Artefact(stage), "key", chance.normal(size=1000))
            saves.append(time.perf_counter() - began)
        store.put_record(VideoRecord(video, "ready", 0, 0))
    return saves


def _watch(server: Server, over: threading.Event) -> list[tuple[int, float]]:
    """Sample the number of connections and the age of the oldest transaction continuously."""
    found = []
    while not over.wait(0.05):
        ((count, age),) = server.execute(
            "SELECT count(*), coalesce(extract(epoch FROM max(clock_timestamp() - xact_start)"
            " FILTER (WHERE pid <> pg_backend_pid())), 0) FROM pg_stat_activity"
            " WHERE backend_type = 'client backend'"
        )
        found.append((int(count), float(age)))
    return found


if __name__ == "__main__":
    main()
