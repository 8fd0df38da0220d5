"""Train the story detector that ships, and say how well it does on films it never saw.

    python -m training.train_stories [--data ../shared/data] [--write]

It learns from the eleven episodes in `bbc` alone, by their VGG19 and hue; the films in `ovsd` are
only judged, also with features of networks it never saw. It says whether the model is the one in
the package, number for number. With --write that model, its table and its card are replaced.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from storyscope.evaluate import AnnotatedVideo, judge, load_collection
from storyscope.evaluate.trivial import trivial_scores
from storyscope.experiments.report import markdown
from storyscope.stories.methods import LearnedDetector, lesson_of
from storyscope.stories.model import DEFAULT, StoryModel
from storyscope.stories.training import Recipe, train

ROOT = Path(__file__).parent.parent
TRAINED_ON = ("vgg19", "hsv")
JUDGED_BY = (TRAINED_ON, ("mobilenet", "hsv"), ("inceptionresnetv2", "hsv"), ("vgg19",), ("hsv",))
RECIPE, SEED = Recipe(members=6, steps=240, reordered=0.5), 0
TABLE_BEGINS, TABLE_ENDS = "<!-- table -->\n", "<!-- end of table -->\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    began = time.process_time()
    model = trained(options.data / "bbc")
    facts = {
        "digest": model.digest,
        "cpu_seconds": round(time.process_time() - began),
        "films": judged(model, options.data / "ovsd"),
    }
    facts |= {"mean_iou": float(np.mean([film["vgg19 + hsv"] for film in facts["films"]]))}
    if options.write:
        model.save(DEFAULT)
        write(facts)
    print(table(facts["films"]))
    same = StoryModel.load(DEFAULT).digest == model.digest
    print(f"trained in {facts['cpu_seconds']} CPU seconds; digest {model.digest[:16]}")
    print("the same weights as the model that ships" if same else "NOT the model that ships")


def trained(folder: Path) -> StoryModel:
    episodes = list(load_collection(folder, features=TRAINED_ON))
    card = {
        "trained on": f"{len(episodes)} episodes of BBC Planet Earth ({', '.join(TRAINED_ON)})",
        "made by": "training/train_stories.py",
    }
    model = train([lesson_of(video) for video in episodes], RECIPE, seed=SEED)
    return replace(model, card=card, taught_by={v.name: v.fingerprint for v in episodes})


def judged(model: StoryModel, folder: Path) -> list[dict[str, Any]]:
    """A row for each film: by each set of features it has, and by answers that look at nothing."""
    films = list(load_collection(folder))
    trivial = trivial_scores(films)
    rows: list[dict[str, Any]] = []
    for number, film in enumerate(films):
        row: dict[str, Any] = {"name": film.name}
        for names in JUDGED_BY:
            if all(name in film.features for name in names):
                row[" + ".join(names)] = score(model, film, names).mean_iou
        found = score(model, film, TRAINED_ON).found
        row |= {name: trivial[name][number].mean_iou for name in ("uniform", "uniform-shots")}
        rows.append(row | {"found": len(found), "true": len(film.truth)})
    return rows


def score(model: StoryModel, film: AnnotatedVideo, names: tuple[str, ...]) -> Any:
    seen = replace(film, features={name: film.features[name] for name in names})
    return judge([seen], LearnedDetector(model))[0]


def table(rows: list[dict[str, Any]]) -> str:
    """Mean IoU on frames, in Markdown."""
    columns = [*(" + ".join(names) for names in JUDGED_BY), "uniform", "uniform-shots"]
    lines = [
        [
            row["name"],
            *(f"{row[column]:.3f}" if column in row else "" for column in columns),
            f"{row['found']} / {row['true']}",
        ]
        for row in rows
    ]
    means = [np.mean([row[column] for row in rows if column in row]) for column in columns]
    lines.append(["**mean of those**", *(f"**{mean:.3f}**" for mean in means), ""])
    return markdown(["film", *columns, "found / true"], lines)


def write(facts: dict[str, Any]) -> None:
    """Replace the figures in the docs."""
    docs = ROOT / "docs"
    (docs / "benchmarks/default_model.json").write_text(json.dumps(facts, indent=2) + "\n")
    card = docs / "model-card.md"
    before, _, rest = card.read_text(encoding="utf-8").partition(TABLE_BEGINS)
    _, _, after = rest.partition(TABLE_ENDS)
    text = before + TABLE_BEGINS + table(facts["films"]) + TABLE_ENDS + after
    card.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
