"""Generates small films with sound, words and annotations in the layouts of published data."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from storyscope.features.vgg16_files import _shapes
from storyscope_demo.canvas import Size
from storyscope_demo.film import edit, write_film
from storyscope_demo.narration import narrate, to_srt
from storyscope_demo.script import SCRIPT

STEMS = ("01_From_Pole_to_Pole", "02_Mountains")
STORIES = (slice(0, 2), slice(2, 4))
SHOTS = 3
"""Shots of a story: VGG-16 of full width sees three keyframes of each."""


def paint_bbc(folder: Path) -> Path:
    """Two films with two annotators and rated frames, in the layout of BBC Planet Earth."""
    for stem, stories in zip(STEMS, STORIES, strict=True):
        shots, firsts = _paint(folder, stem, stories)
        _write(
            folder / "annotations/shots" / f"{stem}.txt",
            "".join(f"{a} {b - 1}\n" for a, b in shots),
        )
        finer = [*firsts, len(shots) - 1]
        for person, starts in enumerate((firsts, finer)):
            place = folder / "annotations/scenes" / f"annotator_{person}" / f"{stem}.txt"
            _write(place, ",".join(map(str, starts)))
        marks = "".join(f"{number % 4}\n" for number in range(len(shots)))
        _write(folder / "annotations/marks" / f"{stem}.txt", marks)
    return folder


def paint_ally(folder: Path, bbc: Path) -> Path:
    """The same films in the layout of Ally McBeal, without rated frames."""
    for number, stem in enumerate(STEMS, start=1):
        for suffix in (".mp4", ".srt"):
            _copy(bbc / f"{stem}{suffix}", folder / f"ally_{number}{suffix}")
        truth = json.loads((bbc / f"{stem}.json").read_text())
        rows = [f"{a},{b - 1},{story}\n" for a, b, story in truth["shots"]]
        _write(folder / "annotations" / f"ally_{number}.csv", "first,last,story\n" + "".join(rows))
    return folder


def random_vgg16(path: Path, *, seed: int = 0) -> Path:
    """A full-width VGG-16 with random weights, with the names of timm."""
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
    """Write a film of two stories; return its shot edges and the first shots of its stories."""
    chapters = [replace(chapter, takes=chapter.takes[:SHOTS]) for chapter in SCRIPT[stories]]
    cut = edit(tuple(chapters), pace=0.4)
    folder.mkdir(parents=True, exist_ok=True)
    write_film(folder / f"{stem}.mp4", cut, Size(192, 108))
    _write(folder / f"{stem}.srt", to_srt(narrate(cut)))
    shots = [(shot.frames.start, shot.frames.stop, shot.chapter) for shot in cut.shots]
    _write(folder / f"{stem}.json", json.dumps({"shots": shots}))
    return [(start, end) for start, end, _ in shots], [0, SHOTS]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(source.read_bytes())
