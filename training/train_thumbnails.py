"""Train the shipped thumbnail ranker, and evaluate it on films that were not used for training.

There are no human labels: every good frame is paired with a degraded copy. Good frames are photos
that come inside Python packages (scikit-image, scikit-learn, matplotlib) and keyframes of the films
given by --train; the films given by --test are only measured.

    python -m training.train_thumbnails --train demo.mp4 --test big-buck-bunny.mp4 --write
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from storyscope.core import Picture, SmallFrame
from storyscope.experiments.conditions import conditions
from storyscope.features import KeyframePicker, describe_pictures, from_jpeg, load_backbone
from storyscope.media import scan
from storyscope.shots import detect_shots
from storyscope.thumbnails.evaluation import (
    DegradedPictures,
    compare_rankers,
    good_frames,
    see_degraded,
    swapped_by_degradation,
    train_ranker_on,
)
from storyscope.thumbnails.ranker import save_ranker
from training import pin_weights

PHOTOS = {
    "skimage": (
        "data/astronaut.png",
        "data/chelsea.png",
        "data/coffee.png",
        "data/rocket.jpg",
        "data/motorcycle_left.png",
    ),
    "sklearn": ("datasets/images/china.jpg", "datasets/images/flower.jpg"),
    "matplotlib": ("mpl-data/sample_data/grace_hopper.jpg",),
}
"""Photos in the public domain, or free to use with attribution, by the package they come in."""
FRAMINGS = 12
"""Number of crops of each photo."""
COSTS = (0.001, 0.01, 0.1, 0.3, 1.0)
ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    arguments = _arguments()
    backbone = load_backbone(arguments.backbone)
    see = partial(describe_pictures, backbone=backbone)
    training: dict[str, DegradedPictures] = {}
    photos = {path.stem: _framings(path) for path in _photos()}
    for name, pictures in photos.items():
        others = [picture for other in photos if other != name for picture in photos[other]]
        training[name] = see_degraded(pictures, see, others=others, seed=1)
    for film in arguments.train:
        training[film.stem] = see_degraded(_good_frames(film), see, seed=2)
    left_out = {cost: _left_out(training, cost, arguments.backbone) for cost in COSTS}
    cost = min(COSTS, key=left_out.__getitem__)
    ranker = train_ranker_on(list(training.values()), backbone=arguments.backbone, cost=cost)
    tests = {film.stem: see_degraded(_good_frames(film), see, seed=3) for film in arguments.test}
    report = {
        "backbone": backbone.producer,
        "percent swapped on sources left out, by cost": left_out,
        "cost": cost,
        "training sources": {name: len(seen.good) for name, seen in training.items()},
        "percent swapped on films never seen": {
            name: swapped_by_degradation(seen, ranker) for name, seen in tests.items()
        },
        "leave one source out": [
            vars(row) for row in compare_rankers({**training, **tests}, ranker, cost=cost)
        ],
        "weights": dict(zip(_names(), ranker.weights.tolist(), strict=True)),
    }
    report = json.loads(json.dumps(report), parse_float=lambda number: round(float(number), 3))
    print(json.dumps(report, indent=1))
    if arguments.write:
        save_ranker(ranker, ROOT / "src/storyscope/thumbnails/ranker.json")
        pin_weights.main()
        out = ROOT / "docs/benchmarks"
        out.mkdir(parents=True, exist_ok=True)
        (out / "thumbnails.json").write_text(json.dumps(report, indent=1) + "\n")
        (out / "thumbnails.md").write_text(f"{_markdown(report).rstrip()}\n\n{conditions()}\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", type=Path, nargs="*", default=[], help="films to learn from")
    parser.add_argument("--test", type=Path, nargs="*", default=[], help="films to measure on")
    parser.add_argument("--backbone", default="efficientnet-lite0")
    parser.add_argument("--write", action="store_true", help="write ranker and report")
    return parser.parse_args()


def _photos() -> list[Path]:
    found = []
    for module, names in PHOTOS.items():
        spec = find_spec(module)
        if spec is None or spec.origin is None:
            raise SystemExit(f"{module} is not installed; run `pip install storyscope[benchmark]`")
        found += [Path(spec.origin).parent / name for name in names]
    return found


def _framings(path: Path) -> list[np.ndarray]:
    """A photo, cropped to wide pictures in several ways."""
    chance = np.random.default_rng(0)
    photo = Image.open(path).convert("RGB")
    framed = []
    for _ in range(FRAMINGS):
        width = int(chance.uniform(0.7, 1.0) * min(photo.width, photo.height * 16 / 9))
        height = int(width * 9 / 16)
        left = int(chance.integers(photo.width - width + 1))
        top = int(chance.integers(photo.height - height + 1))
        crop = photo.crop((left, top, left + width, top + height))
        framed.append(np.asarray(crop.resize((456, 256), Image.Resampling.BICUBIC)))
    return framed


def _good_frames(film: Path) -> list[np.ndarray]:
    """Keyframes that are lit and sharp, spread over the film."""
    picker = KeyframePicker()

    def small_frames() -> Iterator[SmallFrame]:
        for item in scan(film):
            if isinstance(item, Picture):
                picker.see(item)
            elif isinstance(item, SmallFrame):
                yield item

    for shot in detect_shots(small_frames()):
        picker.add_shot(shot)
    pictures = [from_jpeg(data) for data in picker.close().pictures]
    return good_frames(pictures)


def _left_out(training: dict[str, DegradedPictures], cost: float, backbone: str) -> float:
    """Mean percentage of swapped pairs on each source, trained on the others."""
    percents = []
    for name, held_out in training.items():
        others = [seen for other, seen in training.items() if other != name]
        ranker = train_ranker_on(others, backbone=backbone, cost=cost)
        percents.append(np.mean(list(swapped_by_degradation(held_out, ranker).values())))
    return float(np.mean(percents))


def _names() -> list[str]:
    return [f"{what} {number}" for number in range(1, 6) for what in ("mean", "deviation")]


def _markdown(report: dict[str, Any]) -> str:
    lines = [
        "# Aesthetic ranking: percent of swapped pairs",
        "",
        "Made by `training/train_thumbnails.py`. A pair is a good frame and the same frame",
        "degraded, without human labels. Each row was held out when its two rankers were trained.",
        "",
        "| source | pairs | Ranking CNN | hypercolumns |",
        "| --- | ---: | ---: | ---: |",
    ]
    rows = report["leave one source out"]
    for row in rows:
        numbers = f"{row['ranking_cnn']:.1f} | {row['hypercolumns']:.1f}"
        lines.append(f"| {row['source']} | {row['pairs']} | {numbers} |")
    means = [np.mean([row[name] for row in rows]) for name in ("ranking_cnn", "hypercolumns")]
    lines.append(f"| **mean** | | **{means[0]:.1f}** | **{means[1]:.1f}** |")
    for name, kinds in report["percent swapped on films never seen"].items():
        lines += ["", f"The shipped ranker on {name}, which it was not trained on:", ""]
        lines += ["| " + " | ".join(kinds) + " |", "|" + " ---: |" * len(kinds)]
        lines.append("| " + " | ".join(f"{percent:.1f}" for percent in kinds.values()) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
