"""The cost of indexing fifty minutes of 720p with a given transcript: CPU time, wall time, memory.

    python -m benchmarks.indexing.long_film FILM [--minutes 50] [--keep FOLDER]

The film is generated: two minutes of FILM are upscaled to 1280 x 720, film grain is added to make
decoding realistic, they are encoded by x264 with preset `fast` at 2.5 Mbit/s, and the packets are
repeated; the audio packets are copied. The transcript repeats the demo film's narration. Decoding
is measured with PyAV alone, on one thread, in the same run.
"""

from __future__ import annotations

import os
import platform
import tempfile
from fractions import Fraction
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks import common
from benchmarks.indexing.indexing import BARE, INDEX, keep, repeat, run, stage_table

SCENE = (120, 240)
"""The part of the film that is used, in seconds; it has a shot every 3.6 seconds."""
BITRATE = 2_500_000
GRAIN = "scale=1280:720:flags=bicubic,noise=alls=8:allf=t:all_seed=1,format=yuv420p"
WORDS_PER_MINUTE = 130


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("film", type=Path)
    parser.add_argument("--minutes", type=int, default=50)
    parser.add_argument("--keep", type=Path, help="folder for the generated film, which is reused")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        film, words = make(options.film, folder, options.minutes)
        write(measure(film, words, options.minutes, Path(scratch)))


def make(film: Path, folder: Path, minutes: int) -> tuple[Path, Path]:
    """Generate the long film and its transcript."""
    scene, longer = folder / "scene.mp4", folder / f"{minutes}-minutes.mp4"
    if not scene.exists():
        enlarge(film, folder / "unfinished.mp4")
        (folder / "unfinished.mp4").rename(scene)
    if not longer.exists():
        repeat(scene, longer, minutes * 60.0)
    return longer, narrate(folder / f"{minutes}-minutes.srt", minutes)


def measure(film: Path, words: Path, minutes: int, folder: Path) -> dict[str, Any]:
    load = os.getloadavg()[0]
    bare = run(BARE, film)
    index = run(INDEX, film, folder / "library", words)
    seconds = minutes * 60
    return {
        "minutes": minutes,
        "megabits_a_second": round(film.stat().st_size * 8 / seconds / 1e6, 2),
        "decoding_cpu_seconds": round(bare.cpu, 1),
        "indexing_cpu_seconds": round(index.cpu, 1),
        "ratio": round(index.cpu / bare.cpu, 2),
        "wall_seconds": round(index.wall, 1),
        "times_real_time": round(seconds / index.wall, 2),
        "peak_memory_mb": index.peak_mb,
        "stages": index.stages,
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": [round(load, 1), round(os.getloadavg()[0], 1)],
    }


def enlarge(film: Path, path: Path) -> None:
    """Encode the scene at 720p with film grain, and its sound."""
    import av

    with av.open(str(film)) as source, av.open(str(path), "w") as out:
        video, sound = source.streams.video[0], source.streams.audio[0]
        grain = av.filter.Graph()
        grain.link_nodes(
            grain.add_buffer(template=video),
            *(
                grain.add(name, arguments)
                for name, _, arguments in (each.partition("=") for each in GRAIN.split(","))
            ),
            grain.add("buffersink"),
        ).configure()
        big = out.add_stream("libx264", rate=video.average_rate, options={"preset": "fast"})
        big.width, big.height, big.pix_fmt, big.bit_rate = 1280, 720, "yuv420p", BITRATE
        big.codec_context.time_base = Fraction(1, 90_000)
        copy = out.add_stream_from_template(sound)
        first, end = SCENE
        for packet in source.demux(video, sound):
            if packet.stream is sound:
                shift = round(first / packet.time_base)
                if packet.dts is not None and first <= packet.pts * packet.time_base < end:
                    packet.pts, packet.dts = packet.pts - shift, packet.dts - shift
                    packet.stream = copy
                    out.mux(packet)
                continue
            for frame in packet.decode():
                if first <= frame.time < end:
                    frame.pts -= round(first / frame.time_base)
                    grain.vpush(frame)
                    out.mux(big.encode(grain.vpull()))
        out.mux(big.encode(None))


def narrate(path: Path, minutes: float) -> Path:
    """Write a transcript as long as the film, at a narrator's pace."""
    from storyscope_demo.script import SCRIPT

    sentences = [sentence for chapter in SCRIPT for sentence in chapter.narration]
    lines, clock = [], 1.0
    for number, text in enumerate(cycle(sentences), start=1):
        end = clock + 60 * len(text.split()) / WORDS_PER_MINUTE
        if end > minutes * 60:
            break
        lines += [str(number), f"{stamp(clock)} --> {stamp(end)}", text, ""]
        clock = end + 0.3
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def stamp(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    hours, rest = divmod(milliseconds, 3_600_000)
    return f"{hours:02}:{rest // 60_000:02}:{rest // 1000 % 60:02},{rest % 1000:03}"


def write(facts: dict[str, Any]) -> None:
    lines = [
        f"# {facts['minutes']} minutes of 720p",
        "",
        f"A generated film ({facts['megabits_a_second']} Mbit/s with sound) and its transcript;",
        f"{facts['cores']} cores with a load of {facts['load'][0]} before the run.",
        "",
        "| what | value |",
        "| --- | ---: |",
        f"| decoding it once with PyAV, CPU seconds | {facts['decoding_cpu_seconds']} |",
        f"| indexing it, CPU seconds | {facts['indexing_cpu_seconds']} |",
        f"| ratio | {facts['ratio']} |",
        f"| indexing it, wall seconds | {facts['wall_seconds']} |",
        f"| times real time | {facts['times_real_time']} |",
        f"| peak memory, MB | {facts['peak_memory_mb']} |",
        "",
        *stage_table(facts),
        "",
        "Made by `python -m benchmarks.indexing.long_film FILM`; its help explains the film.",
    ]
    keep("long_film", facts, lines)


if __name__ == "__main__":
    main()
