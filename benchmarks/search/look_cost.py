"""The cost of CLIP encodings compared with the rest of indexing fifty minutes of 720p.

    python -m benchmarks.search.look_cost [--minutes 50]

The CPU time of one encoding is measured on random pictures with one thread. The number of encodings
is the maximum for a film of this length. The cost of indexing without CLIP is read from the table
of `python -m benchmarks.indexing.long_film`, so both must be measured on the same machine.
"""

from __future__ import annotations

import json
import time

import numpy as np

from benchmarks import common
from storyscope.search.image_text import CLIP, load_image_text
from storyscope.search.looks import most_looks

PICTURES = 6


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--minutes", type=float, default=50.0)
    options = parser.parse_args()
    looks = most_looks(60 * options.minutes)
    one = cost_of_a_look()
    print(f"one look, CPU seconds: {one:.3f}")
    print(f"looks at {options.minutes:.0f} minutes, at most: {looks}")
    print(f"all of them, CPU seconds: {looks * one:.0f}")
    written = json.loads((common.DOCS / "long_film.json").read_text())
    rest = written["indexing_cpu_seconds"] * options.minutes / written["minutes"]
    print(f"indexing without them, CPU seconds as written: {rest:.0f}")
    print(f"what they add: {looks * one / rest:.0%}")


def cost_of_a_look() -> float:
    """Mean CPU seconds of one encoding, without the first."""
    network = load_image_text(CLIP)
    rng = np.random.default_rng(0)
    pictures = rng.integers(0, 256, (PICTURES + 1, 360, 640, 3), dtype=np.uint8)
    network.encode_images(pictures[:1])
    began = time.process_time()
    network.encode_images(pictures[1:])
    return (time.process_time() - began) / PICTURES


if __name__ == "__main__":
    main()
