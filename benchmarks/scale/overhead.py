"""Overhead of a cluster: CPU seconds per hour of film, in one process and with two Dask workers.

    python -m benchmarks.scale.overhead film.mp4 --rounds 3

In every round, two copies of a film are indexed one after another in index processes, as
`storyscope add` does, into a folder; then two more by two workers of a local Dask cluster, into
PostgreSQL. All started processes are included, such as the scheduler and the workers, but not the
database server. Starting the cluster is not included, because it happens only once.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from benchmarks import common
from benchmarks.scale.server import running_server
from storyscope import Library
from storyscope.cluster import index_on_cluster, opened_cluster
from storyscope.library import LocalLibrary
from storyscope.processes.indexing import IndexResult
from storyscope.processes.parallel import index_videos
from storyscope.store import PostgresStore

WORKERS = 2


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("film", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scale-overhead-") as name:
        folder = Path(name)
        with running_server(folder) as server:
            facts = compare(options.film, options.rounds, folder, server.address(folder))
    table = "\n".join(["| | |", "| --- | ---: |", *(f"| {k} | {v} |" for k, v in facts.items())])
    print(table)
    if options.write:
        common.write_page(
            "scale_overhead",
            facts,
            f"# Overhead of a cluster\n\n{table}\n\n"
            "Made by `python -m benchmarks.scale.overhead`.\n",
        )


def compare(film: Path, rounds: int, folder: Path, address: str) -> dict[str, float]:
    alone, shared = Library(folder / "library"), Library(address)
    assert isinstance(alone, LocalLibrary)
    assert isinstance(shared, LocalLibrary)
    assert isinstance(shared.store, PostgresStore)
    times: list[tuple[float, float]] = []
    with ExitStack() as stack:
        client = stack.enter_context(opened_cluster("local", workers=WORKERS))
        # Workers load our libraries with their first task.
        index_all(index_on_cluster(shared, copies(film, folder / "first"), client))
        for number in range(rounds):
            films = copies(film, folder / f"round{number}")
            before = cpu_seconds()
            index_all(index_videos(alone, films))
            between = cpu_seconds()
            index_all(index_on_cluster(shared, films, client))
            times.append((between - before, cpu_seconds() - between))
            print(times[-1], flush=True)
    hours = WORKERS * alone.videos()[0].video.duration / 3600
    one, two = (float(np.median(each)) for each in zip(*times, strict=True))
    # Identical copies share their arrays.
    arrays = _bytes_in(shared.store.address.arrays) / 1e6 / (hours / WORKERS)
    shared.store.close()
    return {
        "film seconds in a round": round(3600 * hours),
        "rounds, of which the median counts": rounds,
        "CPU s a film-hour, one process after another": round(one / hours, 1),
        f"CPU s a film-hour, {WORKERS} Dask workers": round(two / hours, 1),
        "overhead, %": round(100 * (two / one - 1), 1),
        "arrays, MB a film-hour": round(arrays),
    }


def copies(film: Path, folder: Path) -> list[Path]:
    """Make one copy of a film per worker."""
    folder.mkdir()
    return [Path(shutil.copy(film, folder / f"{folder.name}-{n}.mp4")) for n in range(WORKERS)]


def index_all(results: Iterable[IndexResult]) -> None:
    for result in results:
        if result.failure:
            raise SystemExit(f"{result.path}: {result.failure}")


def cpu_seconds() -> float:
    """CPU time of this process and of all its children, including those that have ended."""
    import psutil

    here = psutil.Process()
    return sum(sum(each.cpu_times()[:4]) for each in (here, *here.children(recursive=True)))


def _bytes_in(folder: str) -> int:
    return sum(path.stat().st_size for path in Path(folder).rglob("*.safetensors"))


if __name__ == "__main__":
    main()
