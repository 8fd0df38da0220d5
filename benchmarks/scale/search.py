"""Search in a library in PostgreSQL as it grows: time of a query, and how exact the candidates are.

    OMP_NUM_THREADS=2 python -m benchmarks.scale.search --hours 250 500 1000 --folder FOLDER

Videos of 50 minutes are synthesised as in `benchmarks.search.search_scale` and written through the
store as indexing would, into a database for each size. A query is answered with the file of every
hit's thumbnail. The numbers of candidates were chosen with the first three quarters of the queries
in view. Here those are asked first, after which the files of the database are read once, as if it
had been in use for a while; figures are those of the last quarter. Recall compares the twenty best
of the candidates with the twenty best of all stories. The server has the settings that
docs/scale.md recommends. With `--folder` the databases are kept: the next run measures those that
are there, and one that was stopped is continued. `--build` only fills them.
"""

from __future__ import annotations

import gc
import os
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks import common
from benchmarks.scale.server import Server, running_server
from benchmarks.search.search_scale import MINUTES, STORIES, Maker, milliseconds, put
from storyscope import Library
from storyscope.library import LocalLibrary
from storyscope.search import database_index

SCHEMA = "scale"
DIMENSIONS = 384
COMPARED = 20
"""Hits of each query that are compared with those among all stories."""
BUFFERS = "4GB"
"""Memory of the server for its buffers."""


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--hours", type=int, nargs="+", default=[250, 500, 1000])
    parser.add_argument("--queries", type=int, default=60, help="queries in each quarter")
    parser.add_argument(
        "--folder", type=Path, help="keep the databases here, and measure those that are there"
    )
    parser.add_argument("--build", action="store_true", help="only fill the databases")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/scale_search.*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scale-search-") as name:
        folder = options.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        with running_server(folder) as server:
            server.set(max_wal_size="'4GB'", shared_buffers=f"'{BUFFERS}'")
            server.restart()
            hours = sorted(options.hours)
            facts = measure(server, folder, hours, options.queries, build_only=options.build)
    if options.build:
        return
    names = list(facts[0])
    rows = [[f"| {name} |", *(f" {fact[name]} |" for fact in facts)] for name in names]
    head = ["| |" + " |" * len(facts), "| --- |" + " ---: |" * len(facts)]
    table = "\n".join([*head, *("".join(row) for row in rows)])
    print(table)
    if options.write:
        common.write_page(
            "scale_search",
            facts,
            f"# Search in PostgreSQL as the library grows\n\n{table}\n\n"
            "Made by `python -m benchmarks.scale.search`.\n",
        )


def measure(
    server: Server, folder: Path, hours: list[int], count: int, *, build_only: bool
) -> list[dict[str, float | int]]:
    made, facts, smaller = Maker(), [], ""
    queries = list(made.queries(4 * count))
    seen, unseen = queries[: 3 * count], queries[3 * count :]
    for wanted in hours:
        name = f"hours{wanted}"
        make_database(server, name, smaller)
        library = Library(server.address(folder, schema=SCHEMA, database=name))
        assert isinstance(library, LocalLibrary)
        fill(library, made, wanted)
        if not build_only:
            fact = {"hours": wanted, "stories": STORIES * (60 * wanted // MINUTES)}
            ask(library, seen, server)
            gc.freeze()  # As `storyscope serve` does.
            server.read_files(name)
            fact |= ask(library, unseen, server)
            fact |= {"recall at 20 against all stories": recall(library, unseen)}
            facts.append(fact | add_another(library, made, server) | size(server, name))
            print(facts[-1], flush=True)
        library.store.close()
        smaller = name
    return facts


def make_database(server: Server, name: str, smaller: str) -> None:
    """Make a database that begins as a copy of a smaller one, unless it is there."""
    if server.execute("SELECT 1 FROM pg_database WHERE datname = %s", name):
        return
    copied = f" TEMPLATE {smaller} STRATEGY file_copy" if smaller else ""
    server.execute(f"CREATE DATABASE {name}{copied}")
    for kind in ("window", "shot") if smaller else ():
        # It is built again when all videos are filed, which takes less than adding to it.
        server.execute(f"DROP INDEX IF EXISTS {SCHEMA}.hnsw_{kind}_{DIMENSIONS}", database=name)


def fill(library: LocalLibrary, made: Maker, hours: int) -> None:
    """Write the videos that are missing, and file them for search."""
    for number in range(len(library.store.records()), 60 * hours // MINUTES):
        put(library.store, number, made)
    library.search("warm up", limit=1)


def add_another(library: LocalLibrary, made: Maker, server: Server) -> dict[str, float]:
    """CPU time of writing one more video, and of filing it for search; it is removed again."""
    number = len(library.store.records())
    times = [time.process_time() + server.cpu_seconds()]
    for step in (lambda: put(library.store, number, made), lambda: library.search("x", limit=1)):
        step()
        times.append(time.process_time() + server.cpu_seconds())
    library.store.remove(f"video{number:05}")
    return {
        "writing another video, CPU ms": milliseconds(times[1] - times[0]),
        "filing it for search, CPU ms": milliseconds(times[2] - times[1]),
    }


def ask(library: LocalLibrary, queries: list[str], server: Server) -> dict[str, float]:
    """Times of the queries, asked one after another."""
    walls, here, there = [], time.process_time(), server.cpu_seconds()
    for query in queries:
        began = time.perf_counter()
        for hit in library.search(query, limit=10):
            library.picture(hit.video, hit.thumbnail.seconds)
        walls.append(time.perf_counter() - began)
    here, there = time.process_time() - here, server.cpu_seconds() - there
    return {
        "queries a second, one after another": round(len(walls) / sum(walls), 1),
        "wall ms a query with its pictures, median": milliseconds(float(np.median(walls))),
        "wall ms a query with its pictures, p95": milliseconds(float(np.percentile(walls, 95))),
        "CPU ms a query with its pictures, mean": milliseconds(here / len(walls)),
        "CPU ms a query in the database, mean": milliseconds(there / len(walls)),
        "load of the machine": round(os.getloadavg()[0], 1),
    }


def recall(library: LocalLibrary, queries: list[str]) -> float:
    """Share of the best hits among all stories that are among those of the candidates."""

    def best() -> list[set[str]]:
        return [{hit.story.id for hit in library.search(q, limit=COMPARED)} for q in queries]

    found = best()
    with (
        patch.object(database_index, "EXACT_STORIES", 10**9),
        patch.object(database_index, "CACHED_BYTES", 10**10),
    ):
        wanted = best()
    shares = [
        len(ours & all_) / len(all_) for ours, all_ in zip(found, wanted, strict=True) if all_
    ]
    return round(float(np.mean(shares)), 4)


def size(server: Server, database: str) -> dict[str, int]:
    ((all_bytes, vectors),) = server.execute(
        "SELECT pg_database_size(current_database()), sum(pg_relation_size(oid)) FROM pg_class"
        " WHERE relname LIKE 'hnsw%%'",
        database=database,
    )
    return {
        "database, MB": all_bytes // 10**6,
        "its vector indexes, MB": int(vectors or 0) // 10**6,
    }


if __name__ == "__main__":
    main()
