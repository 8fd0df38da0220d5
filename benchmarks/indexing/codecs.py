"""The cost of indexing compared with decoding and other shot detectors, by codec and resolution.

    python -m benchmarks.indexing.codecs FILM [--keep FOLDER] [--only "720p H.264" ...]

A few seconds of FILM are upscaled and encoded with added film grain, and the packets are repeated
to the wanted length; the audio packets are copied. Every film is decoded with PyAV alone, indexed
with a given transcript (also with CLIP's image search, if installed), and processed by
PySceneDetect and ffmpeg's scdet: each on one thread, in a separate process, one after another.
Starting the program and loading its networks is included. With --keep, films and rows that are
already in the folder are reused. Writes docs/benchmarks/codecs.json and codecs.md.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks import common
from benchmarks.indexing.indexing import BARE, repeat, run
from benchmarks.indexing.long_film import narrate
from storyscope.search import OFF, chosen_image_text

SCENE_START = 120
"""Start of the scene that is used, in seconds."""


@dataclass(frozen=True)
class Format:
    """A film to generate: codec, resolution and length."""

    codec: str
    width: int
    height: int
    container: str
    scene_seconds: int
    """Seconds that are encoded; the rest of the film repeats them."""
    seconds: int
    options: tuple[tuple[str, str], ...]


FORMATS = {
    "4K HEVC": Format(
        "libx265", 3840, 2160, "mp4", 2, 16,
        (("preset", "ultrafast"), ("crf", "26"), ("x265-params", "log-level=none:pools=1")),
    ),
    "1080p H.264": Format(
        "libx264", 1920, 1080, "mp4", 15, 60, (("preset", "veryfast"), ("crf", "23"))
    ),
    "720p H.264": Format(
        "libx264", 1280, 720, "mp4", 20, 120, (("preset", "fast"), ("b", "2500000"))
    ),
    "480p MPEG-2": Format("mpeg2video", 720, 480, "mkv", 20, 120, (("b", "4000000"),)),
}  # fmt: skip

INDEX = """
import sys
from storyscope import Library

film, folder, words, *settings = sys.argv[1:]
Library(folder).with_settings(settings).add(film, transcript=words)
"""
SCENES = """
import sys, cv2, scenedetect
cv2.setNumThreads(1)
print(len(scenedetect.detect(sys.argv[1], scenedetect.ContentDetector())))
"""
SCDET = """
import subprocess, sys
command = ["ffmpeg", "-v", "error", "-threads", "1", "-i", sys.argv[1], "-an",
           "-filter_threads", "1", "-vf", "scdet=threshold=10", "-f", "null", "-"]
subprocess.run(command, check=True)
"""

COLUMNS = {
    "indexing, transcript given": "search.image_text=off",
    "with CLIP's image search": "search.image_text=clip",
}
"""The variants of indexing, with the settings of each."""


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("film", type=Path)
    parser.add_argument(
        "--keep", type=Path, help="folder for the generated films, which are reused"
    )
    parser.add_argument("--only", nargs="*", default=list(FORMATS), choices=list(FORMATS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        for title in options.only:
            row = folder / f"{stem_of(title)}.json"
            if not row.exists():
                facts = measure(make(options.film, title, folder), FORMATS[title], Path(name))
                row.write_text(json.dumps(facts))
        kept = {title: folder / f"{stem_of(title)}.json" for title in FORMATS}
        rows = {title: json.loads(row.read_text()) for title, row in kept.items() if row.exists()}
    common.write_page("codecs", rows, page(rows))


def stem_of(title: str) -> str:
    return title.replace(" ", "-")


def make(film: Path, title: str, folder: Path) -> Path:
    """Generate the film of that format, unless it already exists."""
    wanted, stem = FORMATS[title], stem_of(title)
    path = folder / f"{stem}.{wanted.container}"
    if not path.exists():
        scene = folder / f"{stem}-scene.{wanted.container}"
        encode(film, scene, wanted)
        repeat(scene, folder / f"unfinished.{wanted.container}", wanted.seconds).rename(path)
        scene.unlink()
    return path


def encode(film: Path, path: Path, wanted: Format) -> None:
    """Encode the upscaled scene with film grain, and its sound."""
    import av

    with av.open(str(film)) as source, av.open(str(path), "w") as out:
        video, sound = source.streams.video[0], source.streams.audio[0]
        picture = out.add_stream(wanted.codec, rate=video.average_rate)
        picture.width, picture.height, picture.pix_fmt = wanted.width, wanted.height, "yuv420p"
        picture.options = dict(wanted.options)
        picture.thread_count = 1
        picture.codec_context.time_base = Fraction(1, 24)
        copy = out.add_stream_from_template(sound)
        source.seek(SCENE_START * av.time_base)
        end = SCENE_START + wanted.scene_seconds
        for packet in source.demux(sound):
            if packet.dts is None or packet.pts * packet.time_base >= end:
                break
            if packet.pts * packet.time_base >= SCENE_START:
                shift = round(SCENE_START / packet.time_base)
                packet.pts, packet.dts = packet.pts - shift, packet.dts - shift
                packet.stream = copy
                out.mux(packet)
        source.seek(SCENE_START * av.time_base)
        for frame in grained(source.decode(video), video, wanted):
            out.mux(picture.encode(frame))
        out.mux(picture.encode(None))


def grained(frames: Iterator[Any], video: Any, wanted: Format) -> Iterator[Any]:
    """The frames of the scene at the given size, with film grain, and times from 0."""
    import av

    graph = av.filter.Graph()
    graph.link_nodes(
        graph.add_buffer(template=video),
        graph.add("scale", f"{wanted.width}:{wanted.height}:flags=bicubic"),
        graph.add("noise", "alls=8:allf=t:all_seed=1"),
        graph.add("format", "yuv420p"),
        graph.add("buffersink"),
    ).configure()
    scene = (frame for frame in frames if frame.time >= SCENE_START)
    for number, frame in enumerate(scene):
        if frame.time >= SCENE_START + wanted.scene_seconds:
            return
        graph.vpush(frame)
        made = graph.vpull()
        made.pts, made.time_base = number, Fraction(1, 24)
        yield made


def measure(film: Path, wanted: Format, folder: Path) -> dict[str, Any]:
    """CPU seconds of every program on one film, and the load average during the run."""
    words = narrate(folder / f"{film.stem}.srt", wanted.seconds / 60)
    bare = run(BARE, film).cpu
    seconds = {}
    for number, (title, setting) in enumerate(COLUMNS.items()):
        if "clip" in setting and chosen_image_text("auto") == OFF:
            continue
        library = folder / f"{film.stem}-{number}"
        seconds[title] = run(INDEX, film, library, words, setting).cpu
    seconds["PySceneDetect content"] = run(SCENES, film).cpu
    seconds["ffmpeg scdet"] = run(SCDET, film).cpu
    return {
        "load": round(os.getloadavg()[0], 1),
        "film_seconds": wanted.seconds,
        "megabits_a_second": round(film.stat().st_size * 8 / wanted.seconds / 1e6, 1),
        "decoding_cpu_seconds": round(bare, 1),
        "cpu_seconds": {name: round(value, 1) for name, value in seconds.items()},
        "ratios": {name: round(value / bare, 2) for name, value in seconds.items()},
    }


def page(rows: dict[str, dict[str, Any]]) -> str:
    names = list(dict.fromkeys(name for row in rows.values() for name in row["ratios"]))
    head = ["film", "seconds", "Mbit/s", "load", "decoding alone, CPU s", *names]
    lines = [
        "# Indexing by codec",
        "",
        "CPU time as a multiple of decoding alone, on one thread. Startup is included, so a longer",
        "film has a smaller multiple.",
        "",
        f"| {' | '.join(head)} |",
        "| --- |" + " ---: |" * (len(head) - 1),
    ]
    for title, row in rows.items():
        cells = [row[name] for name in ("film_seconds", "megabits_a_second", "load")]
        cells += [row["decoding_cpu_seconds"], *(row["ratios"].get(name, "") for name in names)]
        lines.append(f"| {title} | {' | '.join(map(str, cells))} |")
    lines += ["", "Made by `python -m benchmarks.indexing.codecs FILM`; its help explains how."]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
