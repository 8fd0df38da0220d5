"""Estimates the cost of an archive of many hours from the results of the other benchmarks.

    python -m benchmarks.scale.arithmetic --hours 100000

It reads their tables in docs/benchmarks and extrapolates; it measures nothing itself. Prices, the
length of a night and the size of a machine are assumptions, which options can change.
"""

from __future__ import annotations

import json
import math
from typing import Any

from benchmarks import common

STAGES_A_FILM = 16
"""Number of artefacts that are saved for one film."""
CONNECTIONS = 97
"""PostgreSQL's default connection limit of 100, minus those reserved for superusers."""


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--hours", type=float, default=100_000)
    parser.add_argument("--nights", type=float, default=30, help="of ten hours each")
    parser.add_argument("--cores", type=int, default=16, help="of one machine")
    parser.add_argument("--memory", type=float, default=256, help="GB of the database's machine")
    parser.add_argument("--core-price", type=float, default=0.04, help="of a core for an hour")
    parser.add_argument("--disk-price", type=float, default=0.023, help="of a GB for a month")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks")
    options = parser.parse_args()
    facts = estimate(options)
    table = "\n".join(["| | |", "| --- | ---: |", *(f"| {k} | {v} |" for k, v in facts.items())])
    print(table)
    if options.write:
        common.write_page(
            "scale_arithmetic",
            facts,
            f"# Estimated cost of {options.hours:,.0f} hours\n\n{table}\n\n"
            "Made by `python -m benchmarks.scale.arithmetic` from the other tables: nothing of "
            "this size was run.\n",
        )


def estimate(options: Any) -> dict[str, Any]:
    film, overhead = measured("long_film"), measured("scale_overhead")
    search, workers = measured("scale_search")[-1], measured("scale_workers")
    hours = options.hours
    cpu = film["indexing_cpu_seconds"] / film["minutes"] * 60
    cpu *= 1 + max(0.0, overhead["overhead, %"]) / 100
    core_hours = hours * cpu / 3600
    machines = math.ceil(core_hours / options.nights / 10 / options.cores)
    at_once = machines * options.cores // 2
    arrays = hours * overhead["arrays, MB a film-hour"] / 1e6
    database = hours * search["database, MB"] / search["hours"] / 1e3
    vectors = hours * search["its vector indexes, MB"] / search["hours"] / 1e3
    saves = STAGES_A_FILM * hours / (options.nights * 36_000)
    connections = at_once * workers["connections at most"] / workers["workers"]
    strain = {
        "connections of a server that is not told otherwise": connections / CONNECTIONS,
        "memory of the database's machine, which its vector indexes must fit": vectors
        / options.memory,
        "artefacts saved a second": saves / workers["artefacts saved a second"],
    }
    first = max(strain, key=lambda name: strain[name])
    return {
        "hours of film": f"{hours:,.0f}",
        "CPU s a film-hour, at 720p": round(cpu),
        "core-hours": f"{core_hours:,.0f}",
        f"machines of {options.cores} cores for {options.nights:.0f} nights of ten hours": machines,
        "videos indexed at once, two cores each": at_once,
        "arrays, TB": round(arrays, 1),
        "database, GB": f"{database:,.0f}",
        "its vector indexes, which must fit into memory, GB": f"{vectors:,.0f}",
        "connections": round(connections),
        "artefacts to save a second": round(saves, 1),
        "money for the cores": f"{core_hours * options.core_price:,.0f}",
        "money for the arrays, a month": f"{1000 * arrays * options.disk_price:,.0f}",
        "what breaks first": first,
        "how many times too little of it there is": round(strain[first], 1),
    }


def measured(name: str) -> Any:
    path = common.DOCS / f"{name}.json"
    if not path.exists():
        raise SystemExit(f"{path} is missing; run the program that writes it, with --write")
    return json.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
