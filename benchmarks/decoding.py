"""What decoding costs: processor time beside bare PyAV, and memory at different lengths.

    python benchmarks/decoding.py FILM [--minutes 10 60] [--repeats 3]

The same run decodes the same film with nothing but PyAV and with `scan`, in turns, and compares
the best of each, so that the ratio holds on any machine. Longer films are the film's first minute
repeated. Writes docs/benchmarks/decoding.json and decoding.md.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av

from storyscope.media import scan

OUTPUT = Path(__file__).resolve().parent.parent / "docs" / "benchmarks"
HD_SECONDS = 60


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("film", type=Path, help="a film with sound")
    parser.add_argument("--minutes", type=int, nargs="*", default=[10, 60])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--peak", action="store_true", help="only scan, and print the peak memory")
    options = parser.parse_args()
    if options.peak:
        print(json.dumps(peak_memory(options.film)))
        return
    with tempfile.TemporaryDirectory() as folder:
        hd = enlarged(options.film, Path(folder) / "hd.mp4")
        results = {
            "machine": platform.machine(),
            "pyav": av.__version__,
            "speed": [
                {"film": options.film.name, **compare(options.film, options.repeats)},
                {"film": "its first minute at 720p", **compare(hd, options.repeats)},
            ],
            "memory": [
                measured_apart(repeated(options.film, minutes, Path(folder)), minutes)
                for minutes in options.minutes
            ],
        }
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "decoding.json").write_text(json.dumps(results, indent=1) + "\n")
    (options.output / "decoding.md").write_text(as_markdown(results))
    print(as_markdown(results))


def compare(film: Path, repeats: int) -> dict[str, Any]:
    """Best processor seconds of each way to decode `film`, taken in turns."""
    ways: dict[str, Callable[[Path], int]] = {
        "picture": lambda path: bare(path, sound=False),
        "picture_and_sound": lambda path: bare(path, sound=True),
        "scan": scanned,
    }
    best = dict.fromkeys(ways, float("inf"))
    frames = set()
    for _ in range(repeats):
        for name, way in ways.items():
            before = processor_seconds()
            frames.add(way(film))
            best[name] = min(best[name], processor_seconds() - before)
    assert len(frames) == 1, f"the ways saw different numbers of frames: {frames}"
    with av.open(str(film)) as container:
        size = f"{container.streams.video[0].width} x {container.streams.video[0].height}"
    return {
        "size": size,
        "frames": frames.pop(),
        **{f"{name}_seconds": round(seconds, 2) for name, seconds in best.items()},
        "ratio_to_picture": round(best["scan"] / best["picture"], 3),
        "ratio_to_picture_and_sound": round(best["scan"] / best["picture_and_sound"], 3),
    }


def bare(film: Path, *, sound: bool) -> int:
    """Decode with PyAV alone, on one thread, and do nothing with the frames."""
    with av.open(str(film)) as container:
        video = container.streams.video[0]
        video.codec_context.thread_count = 1
        streams = [video, *container.streams.audio[: 1 if sound else 0]]
        return sum(isinstance(frame, av.VideoFrame) for frame in container.decode(*streams))


def scanned(film: Path) -> int:
    return [item for item in scan(film) if hasattr(item, "frame_count")][-1].frame_count


def processor_seconds() -> float:
    """Of this process and of those it has seen end."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    usage = [resource.getrusage(one) for one in who]
    return sum(one.ru_utime + one.ru_stime for one in usage)


def peak_memory(film: Path) -> dict[str, Any]:
    """Megabytes at the highest, ours and the decoding process's, after one scan."""
    started = time.monotonic()
    frames = scanned(film)
    own, child = (
        resource.getrusage(who).ru_maxrss / 1024
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    seconds = time.monotonic() - started
    return {"frames": frames, "own_mb": own, "decoder_mb": child, "wall_seconds": seconds}


def measured_apart(film: Path, minutes: int) -> dict[str, Any]:
    """Peak memory in a fresh process, because a process never forgets its highest."""
    said = subprocess.run(
        [sys.executable, __file__, str(film), "--peak"], check=True, capture_output=True, text=True
    )
    film.unlink()
    facts = {key: round(value) for key, value in json.loads(said.stdout).items()}
    return {"minutes": minutes, **facts}


def repeated(film: Path, minutes: int, folder: Path) -> Path:
    """The film's first minute over and over, its packets copied with later stamps."""
    path = folder / f"{minutes}-minutes.mkv"
    with av.open(str(path), "w") as out, av.open(str(film)) as source:
        streams = [source.streams.video[0], *source.streams.audio[:1]]
        copies = {stream.index: out.add_stream_from_template(stream) for stream in streams}
        packets = [
            packet
            for packet in source.demux(*streams)
            if packet.dts is not None and packet.pts * packet.time_base < 60
        ]
        stamps = [(packet.pts, packet.dts) for packet in packets]
        bases = [packet.time_base for packet in packets]
        for minute in range(minutes):
            for packet, (pts, dts), base in zip(packets, stamps, bases, strict=True):
                later = round(60 * minute / base)
                packet.time_base = base
                packet.pts, packet.dts = pts + later, dts + later
                packet.stream = copies.get(packet.stream_index, packet.stream)
                out.mux(packet)
    return path


def enlarged(film: Path, path: Path) -> Path:
    """The film's first minute at 720p, with its sound."""
    with av.open(str(film)) as source, av.open(str(path), "w") as out:
        video, sound = source.streams.video[0], source.streams.audio[0]
        big = out.add_stream("libx264", rate=video.average_rate, options={"preset": "fast"})
        big.width, big.height, big.pix_fmt = 1280, 720, "yuv420p"
        big.codec_context.time_base = Fraction(1, 90_000)
        copy = out.add_stream_from_template(sound)
        for packet in source.demux(video, sound):
            if packet.dts is None or packet.pts * packet.time_base > HD_SECONDS:
                continue
            if packet.stream is sound:
                packet.stream = copy
                out.mux(packet)
                continue
            for frame in packet.decode():
                out.mux(big.encode(frame.reformat(1280, 720, "yuv420p")))
        out.mux(big.encode(None))
    return path


def as_markdown(results: dict[str, Any]) -> str:
    lines = [
        "# Decoding",
        "",
        "Processor seconds on one thread, best of several runs taken in turns: `scan` gives every",
        "frame at 48 x 27, five pictures a second and the sound, and counts both processes.",
        "",
        "| film | size | frames | picture, bare | picture and sound, bare | scan | ratios |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in results["speed"]:
        lines.append(
            f"| {row['film']} | {row['size']} | {row['frames']} | {row['picture_seconds']} "
            f"| {row['picture_and_sound_seconds']} | {row['scan_seconds']} "
            f"| {row['ratio_to_picture']} and {row['ratio_to_picture_and_sound']} |"
        )
    lines += [
        "",
        "Peak memory of one scan, which must not grow with the film:",
        "",
        "| minutes | frames | ours, MB | decoding process, MB |",
        "| --- | --- | --- | --- |",
    ]
    for row in results["memory"]:
        lines.append(
            f"| {row['minutes']} | {row['frames']} | {row['own_mb']} | {row['decoder_mb']} |"
        )
    lines += ["", f"PyAV {results['pyav']}, {results['machine']}.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
