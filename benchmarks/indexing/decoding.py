"""The cost of decoding: CPU time compared with PyAV alone, and memory by length of the film.

    python -m benchmarks.indexing.decoding FILM [--minutes 10 60] [--rounds 7]

Every round decodes the same film with PyAV alone and with `scan`, one after the other, and gives
one ratio. The median is reported with the lowest and the highest, because rounds differ on a busy
machine. Longer films repeat the film's first minute, and the 720p film is that minute upscaled.
Writes docs/benchmarks/decoding.json and decoding.md.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any

import av

from benchmarks import common
from storyscope.media import scan

OUTPUT = common.DOCS
HD_SECONDS = 60


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("film", type=Path, help="a film with sound")
    parser.add_argument("--minutes", type=int, nargs="*", default=[10, 60])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--peak", action="store_true", help="only scan, and print the peak memory")
    options = parser.parse_args()
    if options.peak:
        print(json.dumps(peak_memory(options.film)))
        return
    with tempfile.TemporaryDirectory() as folder:
        load_before = os.getloadavg()[0]
        hd = enlarged(options.film, Path(folder) / "hd.mp4")
        results: dict[str, Any] = {
            "machine": platform.machine(),
            "cores": os.cpu_count(),
            "rounds": options.rounds,
            "pyav": av.__version__,
            "speed": [
                {"film": options.film.name, **compare(options.film, options.rounds)},
                {"film": "its first minute at 720p", **compare(hd, options.rounds)},
            ],
            "memory": [
                measured_apart(repeated(options.film, minutes, Path(folder)), minutes)
                for minutes in options.minutes
            ],
        }
    results["load"] = [round(load_before, 1), round(os.getloadavg()[0], 1)]
    options.output.mkdir(parents=True, exist_ok=True)
    common.write_page("decoding", results, as_markdown(results), folder=options.output)


def compare(film: Path, rounds: int) -> dict[str, Any]:
    """CPU seconds of each way to decode `film`, and their ratios in each round."""
    ways: dict[str, Callable[[Path], int]] = {
        "picture": lambda path: bare(path, sound=False),
        "picture_and_sound": lambda path: bare(path, sound=True),
        "scan": scanned,
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    frames = set()
    for _ in range(rounds):
        for name, way in ways.items():
            before = processor_seconds()
            frames.add(way(film))
            seconds[name].append(processor_seconds() - before)
    assert len(frames) == 1, f"the ways saw different numbers of frames: {frames}"
    with av.open(str(film)) as container:
        size = f"{container.streams.video[0].width} x {container.streams.video[0].height}"
    return {
        "size": size,
        "frames": frames.pop(),
        "seconds": {name: [round(one, 2) for one in runs] for name, runs in seconds.items()},
        "ratio_to_picture": ratios(seconds["scan"], seconds["picture"]),
        "ratio_to_picture_and_sound": ratios(seconds["scan"], seconds["picture_and_sound"]),
        # Audio can only add to the cost: a ratio below 1 is measurement noise.
        "sound_adds": ratios(seconds["picture_and_sound"], seconds["picture"]),
    }


def ratios(ours: list[float], theirs: list[float]) -> dict[str, float]:
    """The median, lowest and highest ratio of all rounds."""
    found = [one / other for one, other in zip(ours, theirs, strict=True)]
    return {
        "median": round(median(found), 2),
        "lowest": round(min(found), 2),
        "highest": round(max(found), 2),
    }


def bare(film: Path, *, sound: bool) -> int:
    """Decode with PyAV alone on one thread, and discard the frames."""
    with av.open(str(film)) as container:
        video = container.streams.video[0]
        video.codec_context.thread_count = 1
        streams = [video, *container.streams.audio[: 1 if sound else 0]]
        return sum(isinstance(frame, av.VideoFrame) for frame in container.decode(*streams))


def scanned(film: Path) -> int:
    return [item for item in scan(film) if hasattr(item, "frame_count")][-1].frame_count


def processor_seconds() -> float:
    """CPU seconds of this process and of its finished children."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    usage = [resource.getrusage(one) for one in who]
    return sum(one.ru_utime + one.ru_stime for one in usage)


def peak_memory(film: Path) -> dict[str, Any]:
    """Peak memory of this process and of the decoding process after one scan, in megabytes."""
    started = time.monotonic()
    frames = scanned(film)
    own, child = (
        resource.getrusage(who).ru_maxrss / 1024
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    seconds = time.monotonic() - started
    return {"frames": frames, "own_mb": own, "decoder_mb": child, "wall_seconds": seconds}


def measured_apart(film: Path, minutes: int) -> dict[str, Any]:
    """Peak memory, measured in a new process because the peak of a process never decreases."""
    said = subprocess.run(
        [sys.executable, "-m", "benchmarks.indexing.decoding", str(film), "--peak"],
        check=True,
        capture_output=True,
        text=True,
    )
    film.unlink()
    facts = {key: round(value) for key, value in json.loads(said.stdout).items()}
    return {"minutes": minutes, **facts}


def repeated(film: Path, minutes: int, folder: Path) -> Path:
    """Repeat the film's first minute by copying its packets with shifted timestamps."""
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
    """The film's first minute upscaled to 720p, with its sound."""
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
    load, cores = results["load"], results["cores"]
    lines = [
        "# Decoding",
        "",
        "`scan` gives every frame at 48 x 27, five pictures a second and the sound; both processes",
        "are counted. Ratios of processor time to PyAV on one thread, taken round by round: median",
        f"(lowest to highest) of {results['rounds']} rounds, with a load of {load[0]:.0f} before",
        f"and {load[1]:.0f} after on {cores} cores.",
        "",
        "| film | size | frames | to picture alone | to picture and sound | sound adds |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in results["speed"]:
        cells = [
            f"{row[name]['median']} ({row[name]['lowest']} to {row[name]['highest']})"
            for name in ("ratio_to_picture", "ratio_to_picture_and_sound", "sound_adds")
        ]
        lines.append(f"| {row['film']} | {row['size']} | {row['frames']} | {' | '.join(cells)} |")
    lines += [
        "",
        "Sound can only add, so where the last column reaches below 1 the noise is larger than",
        "what sound costs. The 720p film is an enlargement and stands for no film shot at 720p.",
    ]
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
