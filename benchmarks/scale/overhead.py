"""What a cluster costs beside one process: CPU seconds a film-hour, alone and on two Dask workers.

    python -m benchmarks.scale.overhead film.mp4 --copies 4

The copies of a film are indexed one after another in index processes, as `storyscope add` does it,
into a folder; and by two workers of a local Dask cluster, into PostgreSQL. All processes that were
started for it count, the scheduler and the workers among them, but not the database server.
"""

from __future__ import annotations

import resource
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

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
    parser.add_argument("--copies", type=int, default=4)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scale-overhead-") as name:
        folder = Path(name)
        films = [folder / f"copy{number}.mp4" for number in range(options.copies)]
        for film in films:
            shutil.copy(options.film, film)
        with running_server(folder) as server:
            facts = compare(films, folder / "library", server.address(folder))
    table = "\n".join(["| | |", "| --- | ---: |", *(f"| {k} | {v} |" for k, v in facts.items())])
    print(table)
    if options.write:
        common.write_page(
            "scale_overhead",
            facts,
            f"# What a cluster costs beside one process\n\n{table}\n\n"
            "Made by `python -m benchmarks.scale.overhead`.\n",
        )


def compare(films: list[Path], folder: Path, address: str) -> dict[str, float]:
    alone, shared = Library(folder), Library(address)
    assert isinstance(alone, LocalLibrary)
    assert isinstance(shared, LocalLibrary)
    assert isinstance(shared.store, PostgresStore)
    one = cpu_seconds(lambda: index_videos(alone, films))

    def on_cluster() -> Iterable[IndexResult]:
        with opened_cluster("local", workers=WORKERS) as client:
            yield from index_on_cluster(shared, films, client)

    two = cpu_seconds(on_cluster)
    hours = sum(record.video.duration for record in alone.videos()) / 3600
    shared.store.close()
    return {
        "films": len(films),
        "film seconds together": round(3600 * hours),
        "CPU s a film-hour, one process after another": round(one / hours),
        f"CPU s a film-hour, {WORKERS} Dask workers": round(two / hours),
        "CPU s more for the cluster as a whole": round(two - one, 1),
        "overhead, %": round(100 * (two / one - 1), 1),
        "arrays, MB a film-hour": round(_bytes_in(shared.store.address.arrays) / 1e6 / hours),
    }


def _bytes_in(folder: str) -> int:
    return sum(path.stat().st_size for path in Path(folder).rglob("*.safetensors"))


def cpu_seconds(run: Callable[[], Iterable[IndexResult]]) -> float:
    """Processor time of all processes that ended while this ran; every film must be indexed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = resource.getrusage(resource.RUSAGE_SELF)
    for result in run():
        if result.failure:
            raise SystemExit(f"{result.path}: {result.failure}")
    after, own_after = (
        resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)
    )
    spent = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    return spent + (own_after.ru_utime - own.ru_utime) + (own_after.ru_stime - own.ru_stime)


if __name__ == "__main__":
    main()
