"""Check explanations of boundaries, by shuffling one cue at a time.

    python -m benchmarks.stories.explanations [--data ../shared/data]

For every boundary that a model trained on `bbc` only finds in other films, the cue that is named
first is the one without which its score drops most. Here each cue's values are shuffled among the
shots instead, so that the cue describes other shots: how often does the score drop most when this
is done to the named cue? Importance over the films is by averaged absolute gradients.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import common
from storyscope.evaluate import AnnotatedVideo, load_collection
from storyscope.experiments.detector import LearnedDetector, rhythm_of
from storyscope.experiments.report import markdown
from storyscope.experiments.shuffling import losses_when_shuffled
from storyscope.library.explaining import draw_importance
from storyscope.stories.explain import explain_stories, gather_evidence, relations_importance
from storyscope.stories.model import StoryModel
from storyscope.stories.relations import relate
from training.train_stories import trained_on

ROOT = Path(__file__).parents[2]
DOCS = common.DOCS


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    options = parser.parse_args()
    films = load_collection(options.data / "ovsd", features=["vgg19", "hsv"])
    model = trained_on(options.data / "bbc")
    rows = [checked(film, model) for film in films]
    shares = {cue: float(np.mean([row["importance"][cue] for row in rows])) for cue in CUES}
    text = written(rows, shares)
    facts = {"films": rows, "importance": shares}
    common.write_page("explanations", facts, text)
    draw_importance("What matters in eight open films", shares, DOCS / "importance.png")
    print(text)


CUES = ("appearance", "colour", "time")


def checked(film: AnnotatedVideo, model: StoryModel) -> dict[str, Any]:
    """How often shuffling the named cue lowers the score most."""
    rhythm, features = rhythm_of(film), [*film.features.values()]
    relations = relate(features, rhythm)
    stories = LearnedDetector(model).find(film.without_truth())
    reasons = explain_stories(gather_evidence(relations, model), stories)
    losses = losses_when_shuffled(rhythm, features, model, stories=stories)
    held = [
        reason.strongest == max(CUES, key=lambda cue: losses[cue][number])
        for number, reason in enumerate(reasons)
    ]
    clear = [max(map(abs, reason.shares.values())) > 0.5 for reason in reasons]
    return {
        "name": film.name,
        "boundaries": len(reasons),
        "held": sum(held),
        "clear": sum(clear),
        "held_where_clear": sum(np.logical_and(held, clear).tolist()),
        "strongest": dict(Counter(reason.strongest for reason in reasons)),
        "importance": relations_importance(relations, model),
    }


def written(rows: list[dict[str, Any]], shares: dict[str, float]) -> str:
    keys = ("boundaries", "held", "clear", "held_where_clear")
    total = {key: sum(row[key] for row in rows) for key in keys}
    lines = [
        [row["name"], *(str(row[key]) for key in keys)]
        + [str(row["strongest"].get(cue, 0)) for cue in CUES]
        for row in [*rows, {"name": "**all**", **total, "strongest": _sum(rows)}]
    ]
    header = ["film", "boundaries", "held", "clear ones", "held of those"]
    table = markdown([*header, *(f"{cue} strongest" for cue in CUES)], lines)
    rate, clear = total["held"] / total["boundaries"], total["held_where_clear"] / total["clear"]
    return (
        "# Explanations, checked by shuffling one cue at a time\n\n"
        f"{table}\nThe cue that is named first is the one whose shuffling costs the "
        f"boundary's score most at {rate:.0%} of the boundaries, and at {clear:.0%} of those where "
        "one cue contributes more than half; random choice would be right for one in three. "
        "Importance: "
        + ", ".join(f"{cue} {share:.3f}" for cue, share in shares.items())
        + ".\n\n![Feature importance by averaged absolute gradients](importance.png)\n\n"
        "Made by `python -m benchmarks.stories.explanations`.\n"
    )


def _sum(rows: list[dict[str, Any]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for row in rows:
        total.update(row["strongest"])
    return total


if __name__ == "__main__":
    main()
