"""Speed of exact clustering compared with the paper's full table and with ruptures.

    python -m benchmarks.stories.clustering [--shots 500 2000 10000] [--dimensions 30]

All methods must find the same stories with the same objective; a difference is an error. Times are
CPU seconds on one thread, the best of several runs. Writes
docs/benchmarks/clustering.json and clustering.md.
"""

from __future__ import annotations

import math
import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from benchmarks import common
from storyscope.clustering import cluster
from storyscope.clustering.path import story_pressure
from storyscope.clustering.runs import cheapest_partitions, scatter_costs

OUTPUT = common.DOCS
SHOTS_PER_STORY = 12
FULL_TABLE_LIMIT = 2000
"""Beyond this many shots the full table takes hours and gigabytes; it is not run."""
DYNP_LIMIT = 120
"""ruptures.Dynp is written in Python and takes minutes beyond this many shots."""


def made_video(shots: int, dimensions: int, seed: int = 0) -> np.ndarray:
    """A synthetic video: stories of random length, with half as much noise as distance."""
    rng = np.random.default_rng(seed)
    stories = shots // SHOTS_PER_STORY
    cuts = rng.choice(np.arange(1, shots), size=stories - 1, replace=False)
    story = np.zeros(shots, dtype=int)
    story[cuts] = 1
    places = rng.normal(size=(stories, dimensions))
    return places[story.cumsum()] + 0.5 * rng.normal(size=(shots, dimensions))


def full_table(vectors: np.ndarray, penalty: float) -> tuple[int, ...]:
    """The paper's dynamic program: computes D[m, j] for every m and j, then the best m."""
    shots = len(vectors)
    places = np.arange(shots + 1)
    costs = np.full((shots + 1, shots + 1), np.inf)
    costs[1:, :-1] = scatter_costs(vectors, places[:-1], places[1:])
    least = costs[:, 0].copy()
    story_start = np.zeros((shots, shots + 1), dtype=np.int32)
    totals = [least[shots]]
    for m in range(1, shots):
        candidates = least[None, m:-1] + costs[m + 1 :, m:-1]
        story_start[m, m + 1 :] = m + candidates.argmin(axis=1)
        least[m + 1 :] = candidates.min(axis=1)
        least[: m + 1] = np.inf
        totals.append(least[shots])
    counts = np.arange(shots, dtype=float)
    m, end, cuts = int(np.argmin(totals + penalty * story_pressure(counts, shots))), shots, []
    while m:
        end = int(story_start[m, end])
        cuts.append(end)
        m -= 1
    return tuple(cuts[::-1])


def ruptures_every_count(vectors: np.ndarray, penalty: float) -> tuple[int, ...]:
    """This objective with ruptures: its compiled solver, once for every count.

    ruptures returns the cuts without their cost, which is computed here from cumulative sums.
    """
    import ruptures

    shots = len(vectors)
    search = ruptures.KernelCPD(kernel="linear", min_size=1).fit(vectors)
    search.predict(n_bkps=shots - 1)
    sums = np.concatenate([np.zeros((1, vectors.shape[1])), vectors.cumsum(axis=0)])
    squares = float((vectors**2).sum())
    best_price, best_cuts = math.inf, [shots]
    for m in range(shots):
        cuts = search.segmentations_dict[m] if m else [shots]
        edges = np.array([0, *cuts])
        steps = np.diff(sums[edges], axis=0)
        explained = (np.einsum("ij,ij->i", steps, steps) / np.diff(edges)).sum()
        price = squares - explained + penalty * float(story_pressure(m, shots))
        if price < best_price:
            best_price, best_cuts = price, cuts
    return tuple(best_cuts[:-1])


def timed(work: Callable[[], Any], least_seconds: float = 0.3) -> tuple[float, Any]:
    """CPU seconds of the fastest of several runs, and the result."""
    best, spent, result = math.inf, 0.0, None
    while spent < least_seconds:
        started = time.process_time()
        result = work()
        seconds = time.process_time() - started
        best, spent = min(best, seconds), spent + seconds
    return best, result


def measure(shots: int, dimensions: int) -> list[dict[str, Any]]:
    """Time all methods that find the same stories."""
    import ruptures

    vectors = made_video(shots, dimensions)
    penalty = 0.5 * dimensions
    seconds, found = timed(lambda: cluster(vectors, penalty))
    wanted, m = found.segmentation.cuts, len(found.segmentation) - 1
    # With this penalty per story, a fixed penalty gives the same result as the paper's objective.
    price = penalty * math.log(shots / m)
    rows: list[dict[str, Any]] = []

    def note(method: str, task: str, seconds: float, cuts: tuple[int, ...]) -> None:
        if tuple(cuts) != wanted:
            raise SystemExit(f"{method} found other stories in {shots} shots")
        rows.append({"shots": shots, "method": method, "task": task, "seconds": seconds})
        print(f"{shots:6d} shots  {task:24s} {method:38s} {seconds:10.4f} s", flush=True)

    def run(method: str, task: str, work: Callable[[], Any]) -> None:
        spent, cuts = timed(work)
        note(method, task, spent, tuple(int(cut) for cut in cuts))

    objective, given_penalty, given_count = (
        "the paper's objective",
        "given the penalty",
        "given the count",
    )
    note("storyscope cluster", objective, seconds, wanted)
    if shots <= FULL_TABLE_LIMIT:
        run("full table D[m, j]", objective, lambda: full_table(vectors, penalty))
        run(
            "ruptures KernelCPD, every count",
            objective,
            lambda: ruptures_every_count(vectors, penalty),
        )
    run(
        "storyscope, one pass",
        given_penalty,
        lambda: cheapest_partitions(vectors, np.array([price]))[0].segmentation.cuts,
    )
    pelt = ruptures.Pelt(model="l2", min_size=1, jump=1)
    run("ruptures Pelt", given_penalty, lambda: pelt.fit(vectors).predict(pen=price)[:-1])
    kernel = ruptures.KernelCPD(kernel="linear", min_size=1)
    run(
        "ruptures KernelCPD (compiled)",
        given_penalty,
        lambda: kernel.fit(vectors).predict(pen=price)[:-1],
    )
    if shots <= FULL_TABLE_LIMIT:
        run(
            "ruptures KernelCPD (compiled)",
            given_count,
            lambda: kernel.fit(vectors).predict(n_bkps=m)[:-1],
        )
    if shots <= DYNP_LIMIT:
        dynp = ruptures.Dynp(model="l2", min_size=1, jump=1)
        run("ruptures Dynp", given_count, lambda: dynp.fit(vectors).predict(n_bkps=m)[:-1])
    return rows


def as_markdown(rows: list[dict[str, Any]], dimensions: int, machine: str) -> str:
    lines = [
        "# Speed of exact clustering",
        "",
        f"CPU seconds on one thread, {dimensions} dimensions, {machine}; the stories of all "
        "rows of one size are the same. Made by `python -m benchmarks.stories.clustering`.",
        "",
        "| shots | task | method | seconds | relative to storyscope |",
        "| ---: | --- | --- | ---: | ---: |",
    ]
    ours = {row["shots"]: row["seconds"] for row in rows if row["method"] == "storyscope cluster"}
    for row in rows:
        ratio = row["seconds"] / ours[row["shots"]]
        lines.append(
            f"| {row['shots']} | {row['task']} | {row['method']} | {row['seconds']:.4f} "
            f"| {ratio:.2f} x |"
        )
    lines += [
        "",
        "*The paper's objective*: only C is given, and the number of stories has to be found. "
        "*Given the penalty* or *given the count*: the solver gets the penalty per story, or the "
        "number of stories, that the first row had to find. ruptures has no concave penalty, so it "
        "needs one run for every count to solve the paper's objective.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--shots", type=int, nargs="+", default=[120, 500, 2000, 10000])
    parser.add_argument("--dimensions", type=int, default=30)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    arguments = parser.parse_args()

    rows = [row for shots in arguments.shots for row in measure(shots, arguments.dimensions)]
    machine = f"{platform.machine()}, numpy {np.__version__}, ruptures {version('ruptures')}"
    arguments.output.mkdir(parents=True, exist_ok=True)
    record = {"dimensions": arguments.dimensions, "machine": machine, "rows": rows}
    text = as_markdown(rows, arguments.dimensions, machine)
    common.write_page("clustering", record, text, folder=arguments.output)


if __name__ == "__main__":
    main()
