"""Story detection on videos that are faster, slower or shorter than those in training.

    python -m benchmarks.stories.time_scale [--data ../shared/data]

Films are sped up or slowed down and given to a model trained on `bbc` only: the pictures are the
same, so the stories should be the same. Pieces of about four minutes, as short as a news item, are
also scored separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks import common
from storyscope.evaluate import AnnotatedVideo, load_collection, mean_iou
from storyscope.evaluate.trivial import equal_times
from storyscope.experiments.detector import example_of
from storyscope.experiments.report import markdown
from storyscope.stories.detect import find_path
from storyscope.stories.examples import StoryExample
from storyscope.stories.model import StoryModel
from storyscope.stories.relations import Rhythm
from training.train_stories import trained_on

ROOT = Path(__file__).parents[2]
DOCS = common.DOCS
SPEEDS = (1 / 6, 1 / 3, 1.0, 3.0, 6.0)
PIECE_SECONDS = 240.0


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    options = parser.parse_args()
    films = load_collection(options.data / "ovsd", features=["vgg19", "hsv"])
    model = trained_on(options.data / "bbc")
    speeds = {speed: played(films, speed, model) for speed in SPEEDS}
    short = [scored(piece, model) for film in films for piece in pieces(example_of(film))]
    means = np.mean(short, axis=0)
    facts = {
        "columns": ["ours", "uniform", "found", "true"],
        "speeds": {f"{speed:.3f}": values for speed, values in speeds.items()},
        "pieces": {"count": len(short), "means": [*map(float, means)]},
    }
    rows = {f"whole films, times x {1 / speed:.3g}": values for speed, values in speeds.items()}
    rows[f"{len(short)} pieces of about {PIECE_SECONDS / 60:.0f} minutes"] = [*map(float, means)]
    lines = [
        [name, *(f"{value:.3f}" for value in values[:2]), *(f"{value:.1f}" for value in values[2:])]
        for name, values in rows.items()
    ]
    header = ["", "ours", "equal times, true number", "stories found", "true"]
    text = f"# Other speeds, and short videos\n\n{markdown(header, lines)}\n"
    text += "Mean IoU, means over the videos. Made by `python -m benchmarks.stories.time_scale`.\n"
    common.write_page("time_scale", facts, text)


def played(films: Sequence[AnnotatedVideo], speed: float, model: StoryModel) -> list[float]:
    """Mean scores over the films at that speed."""
    examples = (example_of(film) for film in films)
    scores = [scored(replace(each, rhythm=faster(each, speed)), model) for each in examples]
    return [float(mean) for mean in np.mean(scores, axis=0)]


def faster(example: StoryExample, speed: float) -> Rhythm:
    rhythm = example.rhythm
    return replace(rhythm, edges=rhythm.edges / speed, transitions=rhythm.transitions / speed)


def pieces(example: StoryExample) -> list[StoryExample]:
    """Split the film into pieces of whole stories; pieces of a single story are left out."""
    parts, first = [], 0
    edges = example.rhythm.edges
    for story in example.truth:
        if edges[story.stop] - edges[first] >= PIECE_SECONDS:
            parts.append(example.part(range(first, story.stop)))
            first = story.stop
    return [part for part in parts if len(part.truth) > 1]


def scored(example: StoryExample, model: StoryModel) -> list[float]:
    """Scores of our stories and of a uniform segmentation, and the numbers of stories."""
    found = find_path(example.features, example.rhythm, model).stories
    count = len(example.truth)
    equal = equal_times(example.rhythm.edges, count)
    times = 1000 * (example.rhythm.edges - example.rhythm.edges[0])
    milliseconds = times.round().astype(int).tolist()
    truth = example.truth.on(milliseconds)
    agreements = [mean_iou(each.on(milliseconds), truth) for each in (found, equal)]
    return [*agreements, len(found), count]


if __name__ == "__main__":
    main()
