"""CPU time of indexing two videos in parallel compared with one after the other.

    python -m benchmarks.indexing.two_workers FILM [--minutes 3] [--rounds 3]

The first minutes of FILM are indexed as `storyscope add --jobs` does: two copies one after the
other, both in parallel, and both in parallel without limiting the threads of numeric libraries.
All child processes are included.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import common
from benchmarks.indexing.indexing import Run, keep, repeat, run

ADD = """
import os, sys
from pathlib import Path
from storyscope.processes import parallel as crew
from storyscope.library import Library

folder, *films = map(Path, sys.argv[1:])
if "free" in folder.name:
    del os.environ["OMP_NUM_THREADS"]
    crew.COMMON_THREADS = ()
jobs = 1 if "turn" in folder.name else 2
for ended in crew.add_all(Library(folder), films, jobs=jobs):
    if ended.failure:
        raise SystemExit(ended.failure)
"""
MANNERS = {
    "turn": "one after the other",
    "pinned": "in parallel",
    "free": "in parallel, threads not limited",
}


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("film", type=Path)
    parser.add_argument("--minutes", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        write(measure(options.film, options.minutes, options.rounds, Path(scratch)))


def measure(film: Path, minutes: int, rounds: int, folder: Path) -> dict[str, Any]:
    films = [repeat(film, folder / f"film.{kind}", minutes * 60.0) for kind in ("mp4", "mkv")]
    load = os.getloadavg()[0]
    run(ADD, folder / "warm-turn", films[0])  # graphs and digests are made once a machine
    runs: dict[str, list[Run]] = {manner: [] for manner in MANNERS}
    for number in range(rounds):
        for manner, kept in runs.items():
            kept.append(run(ADD, folder / f"{number}-{manner}", *films))
    facts: dict[str, Any] = {
        manner: {
            "cpu_seconds": round(median(one.cpu for one in kept), 2),
            "wall_seconds": round(median(one.wall for one in kept), 2),
        }
        for manner, kept in runs.items()
    }
    for manner in MANNERS:
        facts[manner]["ratio"] = round(
            facts[manner]["cpu_seconds"] / facts["turn"]["cpu_seconds"], 3
        )
    return facts | {
        "minutes": minutes,
        "rounds": rounds,
        "cores": os.cpu_count(),
        "load": round(load, 1),
    }


def write(facts: dict[str, Any]) -> None:
    lines = [
        "# Two videos in parallel",
        "",
        "| two videos | CPU seconds | relative to sequential | wall seconds |",
        "| --- | ---: | ---: | ---: |",
    ]
    for manner, words in MANNERS.items():
        row = facts[manner]
        lines.append(f"| {words} | {row['cpu_seconds']} | {row['ratio']} | {row['wall_seconds']} |")
    lines += [
        "",
        "Made by `python -m benchmarks.indexing.two_workers FILM`:",
        f"{facts['minutes']} minutes of a film, twice; the median of {facts['rounds']} rounds on",
        f"{facts['cores']} cores, with a load of",
        f"{facts['load']} before.",
    ]
    keep("two_workers", facts, lines)


if __name__ == "__main__":
    main()
