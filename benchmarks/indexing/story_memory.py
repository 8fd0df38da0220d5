"""Memory and CPU time of story detection in films of two, six and twelve hours.

    python -m benchmarks.indexing.story_memory [--hours 2 6 12]

The shots and features are synthetic: a shot every 3.6 seconds, as in the real film, with feature
vectors as long as those of the image network and the hue, different for every story. Each length
runs in a separate process. Writes docs/benchmarks/story_memory.json and story_memory.md.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks import common
from storyscope.core import Features, Shot, Span, Transition
from storyscope.stories import all_granularities

SHOT_SECONDS, RATE, SHOTS_PER_STORY = 3.6, 25, 12
LOOKS, HUES = 1280, 180


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--hours", type=float, nargs="*", default=[2, 6, 12])
    parser.add_argument("--one", type=float, help="only this length, in this process")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one)))
        return
    rows = [measured_apart(hours) for hours in options.hours]
    lines = [
        "# Story detection in long films",
        "",
        "| hours | shots | stories | peak memory, MB | of which shots and features, MB | CPU s |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [f"| {' | '.join(str(value) for value in row.values())} |" for row in rows]
    lines += ["", "Made by `python -m benchmarks.indexing.story_memory` from synthetic shots."]
    common.write_page("story_memory", rows, "\n".join(lines))


def measured_apart(hours: float) -> dict[str, Any]:
    """Peak memory, measured in a new process because the peak of a process never decreases."""
    command = [sys.executable, "-m", "benchmarks.indexing.story_memory", "--one", str(hours)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    row: dict[str, Any] = json.loads(said)
    return row


def measure(hours: float) -> dict[str, Any]:
    shots, features = synthetic(hours)
    before, began = peak_megabytes(), time.process_time()
    path = all_granularities(shots, features)
    return {
        "hours": hours,
        "shots": len(shots),
        "stories": path.natural,
        "peak_mb": peak_megabytes(),
        "given_mb": before,
        "cpu_seconds": round(time.process_time() - began, 1),
    }


def synthetic(hours: float) -> tuple[tuple[Shot, ...], list[Features]]:
    rng = np.random.default_rng(4)
    count = int(hours * 3600 / SHOT_SECONDS)
    frames = rng.integers(25, 2 * int(SHOT_SECONDS * RATE) - 25, count)
    edges = np.append(0, frames.cumsum())
    shots = tuple(
        Shot(
            Span(first / RATE, end / RATE),
            range(int(first), int(end)),
            Transition("cut" if first else "start", int(first), int(first)),
        )
        for first, end in pairwise(edges)
    )
    story = np.arange(count) // SHOTS_PER_STORY
    looks = rng.normal(size=(story[-1] + 1, LOOKS)).astype(np.float32)[story]
    looks += rng.normal(size=looks.shape).astype(np.float32)
    hues = rng.dirichlet(np.ones(HUES), story[-1] + 1).astype(np.float32)[story]
    return shots, [Features("appearance", looks, "synthetic"), Features("hue", hues, "synthetic")]


def peak_megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
