"""Run every benchmark, one after another, and report how each ended.

    python -m benchmarks.run_all [--data ../shared/data] [--again] [NAME ...]
    python -m benchmarks.run_all --dry-run [--quick]
    python -m benchmarks.run_all --quick

A run that was stopped resumes: programs that finished with the same code are not run again, unless
`--again` is given. Programs that need the films and annotations beside the repository are skipped,
by name, if the data is missing. At the end every figure quoted in the docs is compared with what
was written, and a difference is an error.

Two programs run at a time: one that measures only accuracy, and one that also measures time or
memory. The minutes that each took are saved in minutes.json.

`--dry-run` runs nothing: it checks that each program can be imported, accepts its arguments, and
has its input files, and prints how many minutes the run would take.

`--quick` takes minutes: it runs smaller versions of the programs that need no film, and the
untrained methods on all annotated videos. It writes to build/benchmarks-quick and changes no page.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any
from unittest.mock import patch

from typer.main import get_command

from benchmarks import common
from docs import figures
from storyscope.cli.main import build_app

ROOT = Path(__file__).resolve().parents[1]
FINISHED = ROOT / "build" / "benchmarks-finished.json"
QUICK_PAGES = ROOT / "build" / "benchmarks-quick" / "docs" / "benchmarks"
SMALL_PAGES = ROOT / "build" / "benchmarks-quick" / "small"
"""Output folder of smaller versions, whose figures are not those in the docs."""
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
    "benchmarks.indexing.codecs": [FILM],
    "benchmarks.indexing.story_memory": [],
    "benchmarks.scale.overhead": [FILM, "--write"],
    "benchmarks.scale.workers": ["--write"],
    "benchmarks.scale.search": ["--write"],
    "benchmarks.scale.faults": ["--write"],
    "benchmarks.search.search": ["--paper", *SEARCHED],
    "benchmarks.search.search_pictures": SEARCHED,
    "benchmarks.search.search_scale": ["--write"],
    "benchmarks.search.search_cost": [FILM, "--write"],
}
"""Every program, with its arguments."""

ELSEWHERE: dict[str, str] = {
    "gpu": "benchmarks.indexing.gpu, which needs a GPU",
    "load": "benchmarks.page.load, which needs the demo and an idle machine",
    "load_hostile": "benchmarks.page.load --page load_hostile, beside hostile clients",
    "page_speed": "benchmarks.page.page_speed, which needs the demo and Chromium",
    "photographs": "benchmarks.search.photographs, which downloads packages of photographs",
    "places": "benchmarks.search.places, which needs the library that photographs makes",
    "sights": "benchmarks.search.sights, which needs the library that photographs makes",
    "sounds": "benchmarks.words.sounds, which needs Debian's tuxpaint-stamps-default",
    "speakers": "benchmarks.words.speakers, which needs Debian's pocketsphinx-testdata",
    "shots-second-look": "benchmarks.shots.shots with one detector, for docs/shots.md",
    "thumbnails": "training.train_thumbnails, which replaces the ranker that ships",
}
"""Pages that this program does not write, and the program that does."""


UNTIMED = {
    "benchmarks.stories.agreement",
    "benchmarks.stories.granularity",
    "training.train_stories",
    "benchmarks.stories.stories",
    "benchmarks.stories.time_scale",
    "benchmarks.stories.explanations",
    "benchmarks.stories.real_film",
    "benchmarks.stories.style_curve",
    "benchmarks.shots.motion",
    "benchmarks.search.search",
    "benchmarks.search.search_pictures",
}
"""Programs whose figures do not depend on other programs that run at the same time."""
MINUTES = common.ROOT / "docs" / "benchmarks" / "minutes.json"
"""Measured or estimated duration: {"name": {"minutes": n, "measured": bool}}."""

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
"""The programs that `--quick` runs; docs figures of the same methods are compared."""


def main() -> None:
    parser = common.options(__doc__, data=True)
    parser.add_argument("--quick", action="store_true", help="minutes instead of hours")
    parser.add_argument("--again", action="store_true", help="run finished ones again")
    parser.add_argument("--dry-run", action="store_true", help="check arguments and inputs only")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these")
    options = parser.parse_args()
    programs = QUICK if options.quick else BENCHMARKS
    if unknown := [name for name in options.names if name not in programs]:
        raise SystemExit(f"no benchmark is called {', '.join(unknown)}; known: {list(programs)}")
    chosen = {name: programs[name] for name in options.names or programs}
    pages = QUICK_PAGES if options.quick else common.DOCS
    own_pages = SMALL_PAGES if options.quick else pages
    if options.dry_run:
        if problems := [*check(chosen, options.data.resolve(), pages)]:
            raise SystemExit("\n".join(problems))
        if not options.quick:
            print_minutes(chosen)
        return
    failed = run(chosen, options.data.resolve(), pages, own_pages, again=options.again)
    differing = [*figures.differences(written=pages)]
    if differing:
        print("\n".join(["== figures in the docs that differ:", *differing]))
        failed.append("the docs quote other figures")
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")
    print("== all figures quoted in the docs are those that were written")


def print_minutes(programs: Iterable[str]) -> None:
    """Print how long each program and all of them take, and which times are estimates."""
    known = expected()
    for lane in lanes(programs):
        for name in sorted(lane, key=lambda name: -known[name]["minutes"]):
            how = "measured" if known[name]["measured"] else "estimated"
            print(f"{known[name]['minutes']:6.1f} min  {name} ({how})")
        print(f"{sum(known[name]['minutes'] for name in lane):6.1f} min one after another\n")
    print(f"{minutes(programs):.0f} minutes on two cores: the longer of the two")


def check(programs: Mapping[str, Sequence[str]], data: Path, pages: Path) -> Iterator[str]:
    """Programs that cannot run, because they do not exist or reject their arguments."""
    for name, words in programs.items():
        module, *filled = filled_words(name, words, data, pages)
        inputs = [Path(word) for word in filled if word.startswith(str(data))]
        missing = [str(path) for path in inputs if not path.exists()]
        refusal = "" if missing else _refusal(module, filled)
        problem = f"{', '.join(missing)} does not exist" if missing else refusal
        print(f"== {name}: {problem or 'can run'}", flush=True)
        if problem:
            yield f"{name}: {problem}"


def _refusal(module: str, words: Sequence[str]) -> str:
    """Why a program rejects its arguments; empty if it accepts them."""
    if module == "storyscope":
        app: Any = get_command(build_app())
        app.commands[words[0]].make_context(words[0], list(words[1:]))
        return ""
    parse = ArgumentParser.parse_args

    def parsed(parser: ArgumentParser) -> None:
        raise _Accepted(parse(parser, list(words)))

    with patch.object(ArgumentParser, "parse_args", parsed):
        try:
            import_module(module).main()
        except _Accepted:
            return ""
        except SystemExit as end:
            return f"refuses {' '.join(words)} (code {end.code})"
    return "does not read its arguments"


class _Accepted(Exception):
    """Raised when a program has parsed its arguments and would start to run."""


def run(
    programs: Mapping[str, Sequence[str]], data: Path, pages: Path, own_pages: Path, *, again: bool
) -> list[str]:
    """Run each program that is not finished; return the names of those that failed.

    `{pages}` in arguments stands for `pages`; programs write to `own_pages` by default.
    """
    records = Records({} if again else finished())

    def run_lane(names: Sequence[str]) -> list[str]:
        failed = []
        for name in names:
            words = programs[name]
            if any("{data}" in word for word in (name, *words)) and not data.is_dir():
                print(f"== {name}: left out, there is no data at {data}", flush=True)
                continue
            filled = filled_words(name, words, data, pages)
            if records.know(filled):
                print(f"== {name}: finished before", flush=True)
            elif not _run_one(name, filled, own_pages, records):
                failed.append(name)
        return failed

    with ThreadPoolExecutor(2) as pool:
        return [name for failed in pool.map(run_lane, lanes(programs)) for name in failed]


def lanes(programs: Iterable[str]) -> tuple[list[str], list[str]]:
    """The two queues of programs: those that measure time, and those that do not."""
    return (
        [name for name in programs if name not in UNTIMED],
        [name for name in programs if name in UNTIMED],
    )


def _run_one(name: str, filled: Sequence[str], own_pages: Path, records: Records) -> bool:
    """Run a program in a separate process and print its outcome."""
    print(f"== {name}", flush=True)
    began = time.monotonic()
    code = subprocess.run(
        [sys.executable, "-m", *filled],
        cwd=ROOT,
        env={**os.environ, common.PAGES_VARIABLE: str(own_pages)},
        check=False,
    ).returncode
    seconds = time.monotonic() - began
    print(f"== {name}: {seconds:.0f} s, code {code}", flush=True)
    if code == 0:
        records.keep(name, filled, seconds)
    return code == 0


class Records:
    """Which programs have finished, and how long each took. Thread-safe."""

    def __init__(self, done: dict[str, str]) -> None:
        self._done = done
        self._lock = Lock()

    def know(self, filled: Sequence[str]) -> bool:
        """Whether this call has succeeded with the current code."""
        return self._done.get(" ".join(filled)) == digest_of_code(filled)

    def keep(self, name: str, filled: Sequence[str], seconds: float) -> None:
        with self._lock:
            self._done[" ".join(filled)] = digest_of_code(filled)
            _write(FINISHED, self._done)
            if name in BENCHMARKS:
                measured = {"minutes": round(seconds / 60, 1), "measured": True}
                _write(MINUTES, expected() | {name: measured})


def expected() -> dict[str, dict[str, Any]]:
    """How many minutes each program takes, and whether that was measured."""
    return json.loads(MINUTES.read_text(encoding="utf-8"))


def minutes(programs: Iterable[str]) -> float:
    """How long these programs take together, which is the time of the longer queue."""
    known = expected()
    return max(sum(known[name]["minutes"] for name in lane) for lane in lanes(programs))


def _write(path: Path, facts: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def filled_words(name: str, words: Sequence[str], data: Path, pages: Path) -> list[str]:
    """The module and arguments of a program, with the folders of this run filled in."""
    return [word.format(data=data, pages=pages) for word in (*name.split(), *words)]


def finished() -> dict[str, str]:
    """Calls that succeeded, each with the digest of the code at that time."""
    return json.loads(FINISHED.read_text(encoding="utf-8")) if FINISHED.exists() else {}


def digest_of_code(words: Sequence[str]) -> str:
    """Digest of a call and of all code that it may run."""
    digest = hashlib.sha256("\0".join(words).encode())
    for folder in ("src", "benchmarks", "training"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    main()
