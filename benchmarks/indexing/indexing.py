"""The cost of indexing a film compared with decoding it once: CPU time, and memory by length.

    python -m benchmarks.indexing.indexing FILM [--minutes 10 60] [--rounds 3]
    python -m benchmarks.indexing.indexing FILM --memory-only   # also valid on a busy machine

Both are measured in the same run, each in a separate process including all its children. Longer
films are made by repeating the packets of the film, without encoding them again.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import common

BARE = """
import sys, av
with av.open(sys.argv[1]) as film:
    film.streams.video[0].codec_context.thread_count = 1
    for frame in film.decode():
        pass
"""
INDEX = """
import json, resource, sys
from storyscope import Library

def cpu():
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return [sum(resource.getrusage(one)[:2]) for one in who]

began, stages = {}, {}
def report(step):
    now = cpu()
    before = began.setdefault(step.stage, now)
    stages[step.stage] = [round(b - a, 2) for a, b in zip(before, now)]

transcript = sys.argv[3] if len(sys.argv) > 3 else None
Library(sys.argv[2]).add(sys.argv[1], transcript=transcript, report=report)
print(json.dumps(stages))
"""
"""Indexes a film, and prints the CPU time of each stage in this process and in its children."""
AGAIN = """
import sys
from storyscope.cli.main import main

sys.argv = ["storyscope", "add", sys.argv[1], "--library", sys.argv[2], "--quiet"]
main()
"""
"""Runs the command line on a film that is already indexed."""
DOCS = common.DOCS


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("film", type=Path)
    parser.add_argument("--minutes", type=int, nargs="*", default=[10, 60])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory-only", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(INDEX, options.film, folder / "warm")  # graphs and digests are made once a machine
        if options.memory_only:
            facts = json.loads((DOCS / "indexing.json").read_text())
        else:
            facts = measure_time(options.film, options.rounds, folder)
        facts["peak_memory_mb"] = measure_memory(options.film, options.minutes, folder)
    write(facts)


def measure_time(film: Path, rounds: int, folder: Path) -> dict[str, Any]:
    """Measure CPU time in several rounds; return the round with the median ratio."""
    pairs = [
        (run(BARE, film), run(INDEX, film, folder / f"library-{number}"))
        for number in range(rounds)
    ]
    again = run(AGAIN, film, folder / "library-0")
    bare, index = sorted(pairs, key=lambda pair: pair[1].cpu / pair[0].cpu)[rounds // 2]
    return {
        "film": film.name,
        "decoding_cpu_seconds": round(bare.cpu, 2),
        "indexing_cpu_seconds": round(index.cpu, 2),
        "ratio": round(index.cpu / bare.cpu, 2),
        "ratios": sorted(round(ours.cpu / theirs.cpu, 2) for theirs, ours in pairs),
        "again_wall_seconds": round(again.wall, 2),
        "stages": index.stages,
        "load": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(),
    }


def measure_memory(film: Path, minutes: list[int], folder: Path) -> dict[int, int]:
    """Peak memory at each length, in megabytes."""
    memory = {}
    for length in minutes:
        longer = repeat(film, folder / f"{length}.mp4", length * 60.0)
        memory[length] = run(INDEX, longer, folder / f"library-{length}").peak_mb
        longer.unlink()
    return memory


class Run(NamedTuple):
    """The resources that a process and all its children used."""

    cpu: float
    """Seconds."""
    wall: float
    peak_mb: int
    stages: dict[str, list[float]]
    """CPU seconds of each stage: in the process itself, and in its children."""


def run(script: str, *words: Path | str) -> Run:
    """Run a script on one thread in a separate process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # installed modules are compiled ones
    process = subprocess.Popen(
        [sys.executable, "-c", script, *map(str, words)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    peak = [0]
    watcher = threading.Thread(target=watch, args=(process, peak))
    watcher.start()
    said, _ = process.communicate()
    wall = time.monotonic() - began
    if process.returncode:
        raise SystemExit(f"failed on {words[0]}")
    watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    stages = json.loads(said) if said else {}
    return Run(cpu, wall, peak[0] >> 20, stages)


def watch(process: subprocess.Popen[bytes], peak: list[int]) -> None:
    import psutil

    root = psutil.Process(process.pid)
    while process.poll() is None:
        try:
            tree = [root, *root.children(recursive=True)]
            peak[0] = max(peak[0], sum(each.memory_info().rss for each in tree))
        except psutil.Error:
            pass
        time.sleep(0.1)


def repeat(film: Path, longer: Path, seconds: float) -> Path:
    """A film of the given length, made by repeating the film's packets."""
    import av

    with av.open(str(longer), "w") as out:
        with av.open(str(film)) as source:
            streams = {s.index: out.add_stream_from_template(s) for s in source.streams}
            length = float(source.duration / av.time_base)
        shift = 0.0
        while shift < seconds:
            with av.open(str(film)) as source:
                for packet in source.demux():
                    if packet.dts is None:
                        continue
                    ticks = round(shift / packet.time_base)
                    if float((packet.pts + ticks) * packet.time_base) >= seconds:
                        continue
                    packet.pts, packet.dts = packet.pts + ticks, packet.dts + ticks
                    packet.stream = streams[packet.stream_index]
                    out.mux(packet)
            shift += length
    return longer


def stage_table(facts: dict[str, Any]) -> list[str]:
    """CPU time by stage, without stages that take none, and the remaining time."""
    bare, total = facts["decoding_cpu_seconds"], facts["indexing_cpu_seconds"]
    lines = [
        "| stage | own CPU seconds | decoding process | relative to decoding |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, (own, child) in facts["stages"].items():
        if own + child >= 0.005 * total:
            lines.append(f"| {name} | {own:.2f} | {child:.2f} | {(own + child) / bare:.2f} |")
    rest = total - sum(map(sum, facts["stages"].values()))
    lines.append(f"| starting, probing, saving | {rest:.2f} | | {rest / bare:.2f} |")
    return lines


def write(facts: dict[str, Any]) -> None:
    memory = facts["peak_memory_mb"]
    again = facts.get("again_wall_seconds", "not measured")
    low, *_, high = facts["ratios"] if len(facts["ratios"]) > 1 else facts["ratios"] * 2
    lines = [
        "# Cost of indexing",
        "",
        "| what | value |",
        "| --- | ---: |",
        f"| decoding {facts['film']} once, CPU seconds | {facts['decoding_cpu_seconds']} |",
        f"| indexing it, CPU seconds | {facts['indexing_cpu_seconds']} |",
        f"| ratio, median of {len(facts['ratios'])} rounds | {facts['ratio']} |",
        f"| ratio, lowest and highest | {low}, {high} |",
        f"| adding it again, unchanged, wall seconds | {again} |",
        *(f"| peak memory at {m} minutes, MB | {mb} |" for m, mb in memory.items()),
        "",
        *stage_table(facts),
        "",
        "Made by `python -m benchmarks.indexing.indexing FILM`: one thread, both in the same run;",
        "decoding is picture and sound, with PyAV; memory is that of all processes together. Load",
        f"{facts['load']} on {facts['cores']} cores.",
    ]
    keep("indexing", facts, lines)


def keep(name: str, facts: dict[str, Any], lines: list[str]) -> None:
    """Write the results as JSON and as a page of the docs, and print the page."""
    common.write_page(name, facts, "\n".join(lines))


if __name__ == "__main__":
    main()
