"""Run every benchmark, one after another, and say how each ended.

    python -m benchmarks.run_all [--data ../shared/data] [--again] [NAME ...]
    python -m benchmarks.run_all --quick

A run that was stopped goes on with what is not finished; what was finished with the same code is
not run again, unless `--again` is given. Those that need the films and annotations beside the
repository are left out, by name, when the data is not there. At the end every figure that the
docs quote is compared with what was written, and a difference is an error.

`--quick` takes minutes: smaller versions of the programs that need no film, and the methods that
learn nothing on all annotated videos. It writes to build/benchmarks-quick and changes no page.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import common
from docs import figures

ROOT = Path(__file__).resolve().parents[1]
FINISHED = ROOT / "build" / "benchmarks-finished.json"
QUICK_PAGES = ROOT / "build" / "benchmarks-quick" / "docs" / "benchmarks"
SMALL_PAGES = ROOT / "build" / "benchmarks-quick" / "small"
"""Where smaller versions write: their figures are not those of the docs."""
FILM = "{data}/films/big-buck-bunny.mp4"
SEARCHED = ["--film", FILM, "--truth", "{data}/ovsd/01/video.json", "--write"]
SEEN = ["--features", "vgg19,hsv", "--jobs", "1", "--quiet"]
UNTAUGHT = ["--methods", "osg,raw-clustering,osg-norm"]
BENCHMARKS: dict[str, list[str]] = {
    "benchmarks.indexing.backbone_speed": ["--write"],
    "benchmarks.stories.clustering": [],
    "benchmarks.stories.penalty": ["{data}/bbc", "{data}/ovsd"],
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
    "benchmarks.search.search": ["--paper", *SEARCHED],
    "benchmarks.search.search_pictures": SEARCHED,
    "benchmarks.search.search_scale": ["--write"],
    "benchmarks.search.search_cost": [FILM, "--write"],
}
"""Every program, and the words it is called with."""

QUICK: dict[str, list[str]] = {
    "benchmarks.indexing.backbone_speed": ["--images", "8", "--write"],
    "benchmarks.stories.clustering": ["--shots", "120", "500"],
    "benchmarks.stories.agreement": ["--part", "paper", "--cases", "45"],
    "benchmarks.stories.granularity": ["--shots", "120"],
    "benchmarks.shots.long_shot": ["--hours", "0.02"],
    "storyscope benchmark {data}/bbc": [*SEEN, *UNTAUGHT, "--output", "{pages}/stories-bbc"],
    "storyscope benchmark {data}/ovsd": [
        *(*SEEN, *UNTAUGHT),
        *("--output", "{pages}/stories-ovsd-left-out"),
    ],
}
"""What the quick form runs; figures of the docs that it prints too are compared with them."""


def main() -> None:
    parser = common.options(__doc__, data=True)
    parser.add_argument("--quick", action="store_true", help="minutes instead of hours")
    parser.add_argument("--again", action="store_true", help="run finished ones again")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these")
    options = parser.parse_args()
    programs = QUICK if options.quick else BENCHMARKS
    if unknown := [name for name in options.names if name not in programs]:
        raise SystemExit(f"no benchmark is called {', '.join(unknown)}; known: {list(programs)}")
    chosen = {name: programs[name] for name in options.names or programs}
    pages = QUICK_PAGES if options.quick else common.DOCS
    own_pages = SMALL_PAGES if options.quick else pages
    failed = run(chosen, options.data.resolve(), pages, own_pages, again=options.again)
    differing = [*figures.differences(written=pages)]
    print("\n".join(["== figures of the docs that differ:", *differing] if differing else []))
    if failed or differing:
        raise SystemExit(f"failed: {', '.join(failed) or 'the docs quote other figures'}")


def run(
    programs: Mapping[str, Sequence[str]], data: Path, pages: Path, own_pages: Path, *, again: bool
) -> list[str]:
    """Run each program that is not finished; returns the names of those that failed.

    `pages` is where words that name `{pages}` point, `own_pages` where a program writes unasked.
    """
    failed = []
    done = {} if again else finished()
    for name, words in programs.items():
        if any("{data}" in word for word in (name, *words)) and not data.is_dir():
            print(f"== {name}: left out, there is no data at {data}", flush=True)
            continue
        filled = [word.format(data=data, pages=pages) for word in (*name.split(), *words)]
        key = digest_of_code(filled)
        if done.get(name) == key:
            print(f"== {name}: finished before", flush=True)
            continue
        print(f"== {name}", flush=True)
        began = time.monotonic()
        code = subprocess.run(
            [sys.executable, "-m", *filled],
            cwd=ROOT,
            env={**os.environ, common.PAGES_VARIABLE: str(own_pages)},
            check=False,
        ).returncode
        print(f"== {name}: {time.monotonic() - began:.0f} s, code {code}", flush=True)
        if code:
            failed.append(name)
        else:
            done[name] = key
            FINISHED.parent.mkdir(parents=True, exist_ok=True)
            FINISHED.write_text(json.dumps(done, indent=2) + "\n", encoding="utf-8")
    return failed


def finished() -> dict[str, str]:
    """Programs that ended well, each with the digest of the code and words of that run."""
    return json.loads(FINISHED.read_text(encoding="utf-8")) if FINISHED.exists() else {}


def digest_of_code(words: Sequence[str]) -> str:
    """Fingerprint of a call and of all code that it may run."""
    digest = hashlib.sha256("\0".join(words).encode())
    for folder in ("src", "benchmarks", "training"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    main()
