"""A single shot of two hours: false cuts, CPU time and memory growth.

    python -m benchmarks.shots.long_shot [--hours 2]

A camera moves over a generated scene with changing light, at 25 frames per second. Writes
long_shot.json and long_shot.md to docs/benchmarks.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator

import numpy as np

from benchmarks import common
from storyscope.core import SmallFrame
from storyscope.shots import detect_shots

RATE = 25
DOCS = common.DOCS


def wandering(count: int, seed: int = 5) -> Iterator[SmallFrame]:
    """Frames of 27 x 48 from a scene four times as large, each with some noise."""
    rng = np.random.default_rng(seed)
    scene = _scene(rng)
    noise = rng.normal(0, 2, (64, 27, 48, 1)).astype(np.float32)
    for index in range(count):
        seconds = index / RATE
        top = 40 + 39 * np.sin(seconds / 37)
        left = 72 + 71 * np.sin(seconds / 53 + 1)
        light = 1 + 0.2 * np.sin(seconds / 11)
        view = _view(scene, top, left) * light + noise[index % len(noise)]
        yield SmallFrame(index, seconds, view.clip(0, 255).astype(np.uint8))


def _scene(rng: np.random.Generator) -> np.ndarray:
    field = np.zeros((128, 256))
    for size in (32, 16, 8, 4):
        cells = rng.normal(0, size, (128 // size + 1, 256 // size + 1))
        field += np.kron(cells, np.ones((size, size)))[:128, :256]
    field = (field - field.min()) / np.ptp(field)
    dark, light = rng.uniform(10, 90, 3), rng.uniform(120, 230, 3)
    return (dark + field[..., None] * (light - dark)).astype(np.float32)


def _view(scene: np.ndarray, top: float, left: float) -> np.ndarray:
    """Crop the scene at a position with subpixel accuracy."""
    y, x = int(top), int(left)
    down, right = np.float32(top - y), np.float32(left - x)
    rows = scene[y : y + 27] * (1 - down) + scene[y + 1 : y + 28] * down
    return rows[:, x : x + 48] * (1 - right) + rows[:, x + 1 : x + 49] * right


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--hours", type=float, default=2.0)
    options = parser.parse_args()
    count = int(options.hours * 3600 * RATE)
    list(detect_shots(wandering(2000)))
    before = _peak_megabytes()
    began = time.process_time()
    for _ in wandering(count):
        pass
    drawing = time.process_time() - began
    began = time.process_time()
    shots = len(list(detect_shots(wandering(count))))
    cpu = time.process_time() - began - drawing
    facts = {
        "frames": count,
        "shots": shots,
        "detection_cpu_seconds": round(cpu, 1),
        "megabytes_after_80_seconds": round(before),
        "megabytes_at_the_end": round(_peak_megabytes()),
    }
    rows = [f"| {name.replace('_', ' ')} | {value:,} |" for name, value in facts.items()]
    table = (
        "\n".join([f"| one shot of {options.hours:g} hours | |", "| --- | ---: |", *rows]) + "\n"
    )
    common.write_page("long_shot", facts, table)


def _peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
