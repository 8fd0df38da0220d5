"""Run every benchmark, one after another, and say how each ended.

    python -m benchmarks.run_all [--data ../shared/data] [NAME ...]

Those that need the films and annotations beside the repository are left out, by name, when the
data is not there.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from benchmarks import common

ROOT = Path(__file__).resolve().parents[1]
FILM = "{data}/films/big-buck-bunny.mp4"
BENCHMARKS: dict[str, list[str]] = {
    "benchmarks.indexing.backbone_speed": [],
    "benchmarks.stories.clustering": [],
    "benchmarks.stories.agreement": [],
    "benchmarks.words.words": [],
    "benchmarks.indexing.indexing": [FILM],
    "benchmarks.stories.granularity": [],
    "training.train_stories": ["--data", "{data}"],
    "benchmarks.stories.stories": ["--data", "{data}"],
    "benchmarks.stories.time_scale": ["--data", "{data}"],
    "benchmarks.stories.explanations": ["--data", "{data}"],
    "benchmarks.stories.real_film": ["--data", "{data}"],
    "benchmarks.stories.style_curve": ["--data", "{data}"],
    "benchmarks.shots.shots": ["--data", "{data}"],
    "benchmarks.shots.motion": ["--data", "{data}"],
    "benchmarks.shots.long_shot": [],
    "benchmarks.indexing.long_film": [FILM],
    "benchmarks.indexing.two_workers": [FILM],
    "benchmarks.scale.overhead": [FILM],
    "benchmarks.scale.workers": [],
    "benchmarks.scale.search": [],
    "benchmarks.search.search": [
        "--film",
        FILM,
        "--truth",
        "{data}/ovsd/01/video.json",
        "--paper",
        "--write",
    ],
    "benchmarks.search.search_pictures": [
        "--film",
        FILM,
        "--truth",
        "{data}/ovsd/01/video.json",
        "--write",
    ],
    "benchmarks.search.search_scale": ["--write"],
    "benchmarks.search.search_cost": [FILM, "--write"],
}
"""Every program, and the words it is called with."""


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these")
    options = parser.parse_args()
    failed = []
    for name in options.names or BENCHMARKS:
        words = BENCHMARKS[name]
        if any("{data}" in word for word in words) and not options.data.is_dir():
            print(f"== {name}: left out, there is no data at {options.data}", flush=True)
            continue
        filled = [word.format(data=options.data.resolve()) for word in words]
        print(f"== {name}", flush=True)
        began = time.monotonic()
        code = subprocess.run([sys.executable, "-m", name, *filled], cwd=ROOT, check=False)
        print(f"== {name}: {time.monotonic() - began:.0f} s, code {code.returncode}", flush=True)
        if code.returncode:
            failed.append(name)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
