"""Search in a library in PostgreSQL as it grows: time of a query, and how exact the candidates are.

    OMP_NUM_THREADS=2 python -m benchmarks.scale.search --hours 25 50 100

Videos of 50 minutes are synthesised as in `benchmarks.search.search_scale` and written through the
store as indexing would. A query is answered with the file of every hit's thumbnail. Recall compares
the twenty best of the candidates with the twenty best of all stories. With `--folder` the library
is kept, and a run that was stopped goes on with it.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks import common
from benchmarks.scale.server import Server, running_server
from benchmarks.search.search_scale import MINUTES, Maker, milliseconds, put
from storyscope import Library
from storyscope.library import LocalLibrary
from storyscope.search import database_index

COMPARED = 20
"""Queries whose candidates are compared with all stories, and hits of each."""


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--hours", type=int, nargs="+", default=[250, 500, 1000])
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--folder", type=Path, help="keep the library here, and go on with it")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/scale_search.*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scale-search-") as name:
        folder = options.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        with running_server(folder) as server:
            server.set(max_wal_size="'4GB'")
            facts = measure(server, folder, sorted(options.hours), options.queries)
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
    server: Server, folder: Path, hours: list[int], count: int
) -> list[dict[str, float | int]]:
    library, made = Library(server.address(folder, schema="scale")), Maker()
    assert isinstance(library, LocalLibrary)
    queries, facts = list(made.queries(count)), []
    library.search("warm up", limit=1)
    written = len(library.store.records())
    for wanted in hours:
        began, first = time.process_time(), written
        while written * MINUTES < 60 * wanted:
            put(library.store, written, made)
            written += 1
        writing, began = time.process_time() - began, time.perf_counter()
        library.search("warm up", limit=1)
        filing = time.perf_counter() - began
        videos = max(1, written - first)
        facts.append(
            {"hours": wanted}
            | ask(library, queries, server)
            | {
                "recall at 20 against all stories": recall(library, queries[:COMPARED]),
                "stories": library.store.vector_index().count(),  # type: ignore[union-attr]
                "writing a video, CPU ms here": milliseconds(writing / videos),
                "filing a video for search, wall ms": milliseconds(filing / videos),
                "database, MB": size(server) // 1_000_000,
            }
        )
        print(facts[-1], flush=True)
    library.store.close()
    return facts


def ask(library: LocalLibrary, queries: list[str], server: Server) -> dict[str, float]:
    """Times of the queries, each after a first one that loads what it needs."""
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
    shares = []
    for query in queries:
        found = {hit.story.id for hit in library.search(query, limit=COMPARED)}
        all_stories, database_index.EXACT_STORIES = database_index.EXACT_STORIES, 10**9
        try:
            best = {hit.story.id for hit in library.search(query, limit=COMPARED)}
        finally:
            database_index.EXACT_STORIES = all_stories
        shares.append(len(found & best) / len(best) if best else 1.0)
    return round(float(np.mean(shares)), 4)


def size(server: Server) -> int:
    return int(server.execute("SELECT pg_database_size(current_database())")[0][0])


if __name__ == "__main__":
    main()
