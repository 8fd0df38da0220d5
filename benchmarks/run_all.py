"""Run every benchmark, one after another, and say how each ended.

    python benchmarks/run_all.py [--data ../shared/data] [NAME ...]

Those that need the films and annotations beside the repository are left out, by name, when the
data is not there.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
FILM = "{data}/films/big-buck-bunny.mp4"
BENCHMARKS: dict[str, list[str]] = {
    "backbone_speed": [],
    "clustering": [],
    "agreement": [],
    "words": [],
    "indexing": [FILM],
    "granularity": [],
    "train_default": ["--data", "{data}"],
    "stories": ["--data", "{data}"],
    "time_scale": ["--data", "{data}"],
    "explanations": ["--data", "{data}"],
    "real_film": ["--data", "{data}"],
    "style_curve": ["--data", "{data}"],
    "shots": ["--data", "{data}"],
    "long_shot": [],
    "long_film": [FILM],
    "two_workers": [FILM],
    "search": ["--film", FILM, "--truth", "{data}/ovsd/01/video.json", "--paper", "--write"],
    "search_pictures": ["--film", FILM, "--truth", "{data}/ovsd/01/video.json", "--write"],
    "search_scale": ["--write"],
    "search_cost": [FILM, "--write"],
}
"""Every script, and the words it is called with."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=HERE.parent.parent / "shared/data")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these")
    options = parser.parse_args()
    failed = []
    for name in options.names or BENCHMARKS:
        words = BENCHMARKS[name]
        if any("{data}" in word for word in words) and not options.data.is_dir():
            print(f"== {name}: left out, there is no data at {options.data}", flush=True)
            continue
        filled = [word.format(data=options.data) for word in words]
        print(f"== {name}", flush=True)
        began = time.monotonic()
        code = subprocess.run([sys.executable, str(HERE / f"{name}.py"), *filled], check=False)
        print(f"== {name}: {time.monotonic() - began:.0f} s, code {code.returncode}", flush=True)
        if code.returncode:
            failed.append(name)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
