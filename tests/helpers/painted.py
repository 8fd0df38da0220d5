"""Small real films in the published layouts: painted, with sound, words, people and marks."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np

from storyscope.features.vgg16_files import _shapes
from storyscope_demo import make_demo

STEMS = ("01_From_Pole_to_Pole", "02_Mountains")
STORIES = (slice(0, 2), slice(2, 4))


def paint_bbc(folder: Path) -> Path:
    """Two films, two annotators, and marks on the frames, as BBC Planet Earth is published."""
    for stem, stories in zip(STEMS, STORIES, strict=True):
        shots, firsts = _paint(folder, stem, stories)
        _write(
            folder / "annotations/shots" / f"{stem}.txt",
            "".join(f"{a} {b - 1}\n" for a, b in shots),
        )
        finer = sorted({*firsts, len(shots) - 2})
        for person, starts in enumerate((firsts, finer)):
            place = folder / "annotations/scenes" / f"annotator_{person}" / f"{stem}.txt"
            _write(place, ",".join(map(str, starts)))
        marks = "".join(f"{number % 4}\n" for number in range(len(shots)))
        _write(folder / "annotations/marks" / f"{stem}.txt", marks)
    return folder


def paint_ally(folder: Path, bbc: Path) -> Path:
    """The same films as Ally McBeal is published, without marks."""
    for number, stem in enumerate(STEMS, start=1):
        for suffix in (".mp4", ".srt"):
            _copy(bbc / f"{stem}{suffix}", folder / f"ally_{number}{suffix}")
        truth = json.loads((bbc / f"{stem}.json").read_text())
        rows = [f"{a},{b - 1},{story}\n" for a, b, story in truth["shots"]]
        _write(folder / "annotations" / f"ally_{number}.csv", "first,last,story\n" + "".join(rows))
    return folder


def random_vgg16(path: Path, *, seed: int = 0) -> Path:
    """VGG-16 of full width with random weights, as timm names them."""
    from safetensors.numpy import save_file

    random = np.random.default_rng(seed)
    block = random.normal(size=1 << 20).astype(np.float16)
    weights = {}
    for name, shape in _shapes():
        fan = int(np.prod(shape[1:])) if len(shape) > 1 else 1
        size = np.sqrt(2 / fan) if len(shape) > 1 else 0.01
        weights[name] = (np.resize(block, shape) * np.float16(size)).astype(np.float16)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(weights, path)
    return path


def _paint(folder: Path, stem: str, stories: slice) -> tuple[list[tuple[int, int]], list[int]]:
    film = make_demo(folder / "made" / stem, scale=0.3, pace=0.45, stories=stories)
    truth = json.loads(film.truth.read_text())
    shots = [(shot["first_frame"], shot["end_frame"], shot["story"]) for shot in truth["shots"]]
    film.video.rename(folder / f"{stem}.mp4")
    film.transcript.rename(folder / f"{stem}.srt")
    (folder / f"{stem}.json").write_text(json.dumps({"shots": shots}))
    changes = [n for n, (a, b) in enumerate(pairwise(shots), start=1) if a[2] != b[2]]
    return [(start, end) for start, end, _ in shots], [0, *changes]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(source.read_bytes())
