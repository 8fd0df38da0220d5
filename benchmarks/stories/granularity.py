"""Changing the granularity: how fast it is, and whether each level is nested in the next.

    python -m benchmarks.stories.granularity [--shots 500]

A synthetic film with this many shots is analysed once, which needs its features; then every
granularity is computed from the path stored with the video. Each is checked against the one before:
a finer level never loses a boundary.
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks import common
from storyscope.core import Features, Shot, Span, StoryPath, Transition
from storyscope.experiments.report import markdown
from storyscope.stories import detect

DOCS = common.DOCS
STEPS = 101
SIZES = {"appearance": 1280, "hue": 256, "audio": 60}
"""Cues of an indexed film, with their numbers of dimensions."""
LEVELS = {"chapters": 0.3, "stories": 0.5, "scenes": 0.7}


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--shots", type=int, default=500)
    options = parser.parse_args()
    detect(*film(10))  # Loads the model and the list of cues.
    shots, features = film(options.shots)
    began = time.process_time()
    path = detect(shots, features)
    facts = {"shots": len(shots), "reading_seconds": time.process_time() - began} | turned(path)
    text = written(facts)
    common.write_page("granularity", facts, text)


def film(count: int, seed: int = 0) -> tuple[list[Shot], list[Features]]:
    """A synthetic film whose stories have 3 to 14 shots and features of their own."""
    random = np.random.default_rng(seed)
    story = np.repeat(np.arange(count), random.integers(3, 15, count))[:count]
    features = [
        Features(
            name,
            random.normal(size=(count, size))[story] + random.normal(size=(count, size)),
            "synthetic",
        )
        for name, size in SIZES.items()
    ]
    edges = np.append(0, random.integers(25, 250, count).cumsum())
    shots = [
        Shot(
            Span(float(start) / 25, float(end) / 25),
            range(int(start), int(end)),
            Transition("cut" if start else "start", int(start), int(start)),
        )
        for start, end in pairwise(edges)
    ]
    return shots, features


def turned(path: StoryPath) -> dict[str, Any]:
    """Time every granularity, and count the boundaries that a finer level lost."""
    seconds, levels = [], []
    for granularity in np.linspace(0, 1, STEPS):
        began = time.process_time()
        levels.append(path.at(float(granularity)))
        seconds.append(time.process_time() - began)
    lost = sum(not {*a.cuts} <= {*b.cuts} for a, b in pairwise(levels))
    asked = range(1, path.shots + 1)
    nested = path.levels(*LEVELS.values())
    return {
        "granularities": STEPS,
        "slowest_ms": 1000 * max(seconds),
        "steps_that_lost_a_boundary": lost,
        "counts_asked": path.shots,
        "counts_not_met": sum(len(path.about(count)) != count for count in asked),
        "natural": path.natural,
        "nested": dict(zip(LEVELS, (len(level) for level in nested), strict=True)),
    }


def written(facts: dict[str, Any]) -> str:
    nested = ", ".join(f"{count} {name}" for name, count in facts["nested"].items())
    rows = [
        [
            f"finding the stories of {facts['shots']} shots by {', '.join(SIZES)}, once",
            seconds(facts),
        ],
        [
            f"the slowest of {facts['granularities']} granularities after that",
            f"{facts['slowest_ms']:.2f} ms",
        ],
        ["finer steps that lost a boundary", str(facts["steps_that_lost_a_boundary"])],
        [
            f"requested numbers of stories (1 to {facts['counts_asked']}) and not met",
            str(facts["counts_not_met"]),
        ],
        ["stories by default", str(facts["natural"])],
        ["nested levels from the same path", nested],
    ]
    return (
        f"# Granularity: from few stories to many\n\n{markdown(['what', 'value'], rows)}\n"
        "Made by `python -m benchmarks.stories.granularity`; CPU time of one core.\n"
    )


def seconds(facts: dict[str, Any]) -> str:
    return f"{facts['reading_seconds']:.2f} s"


if __name__ == "__main__":
    main()
