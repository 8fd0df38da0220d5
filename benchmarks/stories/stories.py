"""Makes the tables of story detection in the docs with `storyscope benchmark`.

    python -m benchmarks.stories.stories [--data ../shared/data] [--jobs 2] [NAME ...]

The command caches its results: a stopped run is continued, and a finished one is not repeated.
NAME selects one or more of the runs below.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks import common

ROOT = Path(__file__).parents[2]
DOCS = common.DOCS
SEEN = ["--features", "vgg19,hsv"]
RUNS: dict[str, list[str]] = {
    "nested-films": ["ovsd", *SEEN, "--nested", "--also", "{data}/bbc"],
    "nested-bbc": ["bbc", *SEEN, "--nested", "--also", "{data}/ovsd"],
    "nested-films-from-bbc": ["ovsd", *SEEN, "--nested", "--train", "{data}/bbc"],
    "nested-bbc-from-films": ["bbc", *SEEN, "--nested", "--train", "{data}/ovsd"],
    "stories-bbc": ["bbc", *SEEN],
    "stories-ovsd-left-out": ["ovsd", *SEEN],
    "rivals-bbc": ["bbc", *SEEN, "--methods", "kcpd,mdl"],
    "rivals-ovsd": ["ovsd", *SEEN, "--methods", "kcpd,mdl"],
    "triplet-bbc": ["bbc", *SEEN, "--folds", "3", "--methods", "triplet,cluster"],
    "ablation-bbc": ["bbc", *SEEN, "--train", "{data}/ovsd", "--folds", "3"],
}
"""The arguments of each run, starting with the data folder."""


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(RUNS)}")
    options = parser.parse_args()
    for name in options.names or RUNS:
        folder, *words = (word.format(data=options.data) for word in RUNS[name])
        print(f"# {name}\n", flush=True)
        verb = "ablation" if name.startswith("ablation") else "benchmark"
        command = [sys.executable, "-m", "storyscope", verb, str(options.data / folder)]
        command += [*words, "--jobs", str(options.jobs), "--quiet", "--output", str(DOCS / name)]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
