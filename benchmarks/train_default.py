"""Train the story detector that ships, and say how well it does on films it never saw.

    python benchmarks/train_default.py [--data ../shared/data] [--write]

It learns from the eleven episodes in `bbc` alone; the films in `ovsd` are only judged. With
--write the model in the package and its figures in the docs are replaced.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from storyscope.core import Segmentation
from storyscope.evaluate import judge, load_collection, mean_iou
from storyscope.stories.methods import LearnedDetector, lesson_of
from storyscope.stories.model import DEFAULT, StoryModel
from storyscope.stories.training import Recipe, train

ROOT = Path(__file__).parent.parent
FEATURES = ["vgg19", "hsv"]
SEED = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    episodes = list(load_collection(options.data / "bbc", features=FEATURES))
    model = train([lesson_of(video) for video in episodes], Recipe(members=6), seed=SEED)
    card = {
        "trained on": f"{len(episodes)} episodes of BBC Planet Earth ({', '.join(FEATURES)})",
        "made by": "benchmarks/train_default.py",
    }
    model = StoryModel(model.weights, card)
    rows = judge_films(model, options.data / "ovsd")
    print_rows(rows)
    if options.write:
        model.save(DEFAULT)
        facts = {"videos": rows, "mean_iou": float(np.mean([row["mean_iou"] for row in rows]))}
        target = ROOT / "docs/benchmarks/default_model.json"
        target.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def judge_films(model: StoryModel, folder: Path) -> list[dict[str, object]]:
    """Each film's score beside uniform cuts with the true count."""
    rows: list[dict[str, object]] = []
    films = list(load_collection(folder, features=FEATURES))
    for video, score in zip(films, judge(films, LearnedDetector(model), name="ours"), strict=True):
        count, end = len(video.truth), video.truth.end
        uniform = Segmentation(tuple(end * n // count for n in range(count)), end)
        rows.append(
            {
                "name": video.name,
                "mean_iou": round(score.mean_iou, 4),
                "uniform": round(mean_iou(uniform, video.truth), 4),
                "found": len(score.found),
                "true": count,
            }
        )
    return rows


def print_rows(rows: list[dict[str, object]]) -> None:
    print(
        "| film | ours | uniform, true count | found | true |\n| --- | ---: | ---: | ---: | ---: |"
    )
    for row in rows:
        print("| {name} | {mean_iou} | {uniform} | {found} | {true} |".format(**row))
    means = [np.mean([float(str(row[key])) for row in rows]) for key in ("mean_iou", "uniform")]
    print(f"| **mean** | **{means[0]:.3f}** | {means[1]:.3f} | | |")


if __name__ == "__main__":
    main()
