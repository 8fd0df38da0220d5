"""Cost of search and thumbnails: a cold search, all thumbnails of a video, a person's choice.

    python -m benchmarks.search.search_cost FILM [--minutes 50] [--write]

The film is repeated to the given length without encoding it again, and indexed by a separate
process; its CPU time is the reference. Then all thumbnails are chosen again: all keyframes are
rated and the pictures are written. A cold search is a new process, as started by a shell.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import common
from benchmarks.indexing.indexing import INDEX, repeat
from storyscope import Library
from storyscope.store import SCAN, VISION
from storyscope.thumbnails import load_ranker, rate_keyframes

RESULTS = Path(__file__).parents[2] / "docs" / "benchmarks"
HEAVY = ("torch", "av", "spacy", "fastapi", "scipy", "sklearn", "sentence_transformers", "PIL")
COLD = """
import sys, time
sys.argv = ["storyscope", "search", sys.argv[2], "--library", sys.argv[1], "--json"]
from storyscope.cli.main import main
try:
    main()
except SystemExit:
    pass
print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)
"""
QUERIES = ("rabbit", "a bird in flight", "monetary policy", "squirrel", "butterfly")
CHOICES = 20


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("film", type=Path)
    parser.add_argument("--minutes", type=float, default=50)
    parser.add_argument("--folder", type=Path, help="keep the library here, or use the one there")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/search_cost.*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch) / "library"
        facts = measure(options.film, options.minutes, folder)
    table = "\n".join(["| | |", "| --- | ---: |", *(f"| {k} | {v} |" for k, v in facts.items())])
    print(table)
    if options.write:
        made_by = "Made by `python -m benchmarks.search.search_cost FILM --write`, one thread."
        common.write_page(
            "search_cost", facts, f"# Cost of search and thumbnails\n\n{table}\n\n{made_by}\n"
        )


def measure(film: Path, minutes: float, folder: Path) -> dict[str, float | str]:
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "indexing.json"
    if not kept.exists():
        longer = repeat(film, folder / "long.mp4", 60 * minutes)
        kept.write_text(json.dumps(cpu_of([sys.executable, "-c", INDEX, longer, folder])))
    indexing = json.loads(kept.read_text())
    library = Library(folder)
    (record,) = library.videos()
    video = record.video.id
    started = time.process_time()
    film_of = library.store.load(video, SCAN)
    rate_keyframes(
        film_of.keyframes, library.store.load(video, VISION), film_of.shots, load_ranker()
    )
    library.write_thumbnails(video)
    choosing = time.process_time() - started
    return {
        "minutes of film": round(record.video.duration / 60, 1),
        "stories": len(library.stories(video)),
        "keyframes": len(film_of.keyframes),
        "indexing, CPU s": round(indexing, 1),
        "rating all keyframes, choosing and writing all thumbnails, CPU s": round(choosing, 2),
        "share of indexing": f"{choosing / indexing:.1%}",
        **cold_searches(folder),
        **preferring(library, video),
    }


def cold_searches(folder: Path) -> dict[str, float | str]:
    script = COLD.format(heavy=HEAVY)
    walls, cpu, heavy = [], [], set()
    for query in QUERIES:
        began = time.monotonic()
        command = [sys.executable, "-c", script, str(folder), query]
        before = children()
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        walls.append(time.monotonic() - began)
        cpu.append(children() - before)
        heavy.add(done.stderr.strip().splitlines()[-1])
    return {
        "cold search, CPU s, median": round(statistics.median(cpu), 2),
        "cold search, CPU s, largest": round(max(cpu), 2),
        "cold search, wall s, median": round(statistics.median(walls), 2),
        f"heavy libraries it imported, of {len(HEAVY)}": ", ".join(sorted(heavy)),
    }


def preferring(library: Library, video: str) -> dict[str, float]:
    """Time of learning when a person chooses another frame for several stories."""
    stories = library.stories(video)
    cpu, walls = [], []
    for number in range(CHOICES):
        story = stories[number % len(stories)]
        at = story.span.start + story.span.length * (number + 1) / (CHOICES + 1)
        began, started = time.monotonic(), time.process_time()
        library.prefer_thumbnail(story, at)
        cpu.append(time.process_time() - started)
        walls.append(time.monotonic() - began)
    return {
        "choices of a person, one after another": CHOICES,
        "learning from one, CPU s, largest": round(max(cpu), 2),
        "learning from one, wall s, largest": round(max(walls), 2),
    }


def cpu_of(command: list[object]) -> float:
    before = children()
    subprocess.run([*map(str, command)], check=True)
    return children() - before


def children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


if __name__ == "__main__":
    main()
