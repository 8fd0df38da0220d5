"""What indexing a film costs beside decoding it once: processor time, and memory by length.

    python benchmarks/indexing.py FILM [--minutes 10 60]

Both are measured in the same run, each in a process of its own with all its children counted.
Longer films are made by repeating the film's own packets, without encoding anything again.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

BARE = """
import sys, av
with av.open(sys.argv[1]) as film:
    film.streams.video[0].codec_context.thread_count = 1
    for frame in film.decode():
        pass
"""
INDEX = """
import sys
from storyscope import Library
Library(sys.argv[2]).add(sys.argv[1])
"""
DOCS = Path(__file__).parent.parent / "docs/benchmarks"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("film", type=Path)
    parser.add_argument("--minutes", type=int, nargs="*", default=[10, 60])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        facts = measure(options.film, options.minutes, Path(folder))
    write(facts)


def measure(film: Path, minutes: list[int], folder: Path) -> dict[str, object]:
    run(INDEX, film, folder / "warm")  # graphs and digests are made once a machine
    bare, _, _ = run(BARE, film)
    cpu, wall, _ = run(INDEX, film, folder / "library")
    memory = {}
    for length in minutes:
        longer = repeat(film, folder / f"{length}.mp4", length * 60.0)
        memory[length] = run(INDEX, longer, folder / f"library-{length}")[2]
    return {
        "film": film.name,
        "decoding_cpu_seconds": round(bare, 2),
        "indexing_cpu_seconds": round(cpu, 2),
        "indexing_wall_seconds": round(wall, 2),
        "ratio": round(cpu / bare, 2),
        "peak_memory_mb": memory,
    }


def run(script: str, *words: Path) -> tuple[float, float, int]:
    """CPU seconds with children, wall seconds, and peak memory of the whole tree in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen([sys.executable, "-c", script, *map(str, words)], env=environment)
    peak = [0]
    watcher = threading.Thread(target=watch, args=(process, peak))
    watcher.start()
    if process.wait():
        raise SystemExit(f"failed on {words[0]}")
    watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.monotonic() - began, peak[0] >> 20


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
    """A film of that length, made of the film's own packets over and over."""
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


def write(facts: dict[str, object]) -> None:
    memory = facts["peak_memory_mb"]
    assert isinstance(memory, dict)
    lines = [
        "# What indexing costs",
        "",
        "| what | value |",
        "| --- | ---: |",
        f"| decoding {facts['film']} once, CPU seconds | {facts['decoding_cpu_seconds']} |",
        f"| indexing it, CPU seconds | {facts['indexing_cpu_seconds']} |",
        f"| ratio | {facts['ratio']} |",
        *(f"| peak memory at {m} minutes, MB | {mb} |" for m, mb in memory.items()),
        "",
        "Made by `python benchmarks/indexing.py FILM`: one thread, both in the same run;",
        "decoding is picture and sound, with PyAV.",
    ]
    DOCS.mkdir(parents=True, exist_ok=True)
    (DOCS / "indexing.json").write_text(json.dumps(facts, indent=2) + "\n")
    (DOCS / "indexing.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
