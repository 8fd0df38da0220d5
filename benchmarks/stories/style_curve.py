"""How much annotation is needed to learn an editor's style: held-out score by minutes.

    python -m benchmarks.stories.style_curve [--data ../shared/data] [--draws 3]

Two collections, each judged from a model that never saw it. `bbc`: the base is trained on the open
films alone, and fine-tuned on the first minutes of an episode, then
on whole episodes. The same again for a SIMULATED editor who tells every two of them as one.
`ovsd`: the base is trained on `bbc` alone; the films are by different people, so
there is no one style to learn. Every point is the mean over draws of what is annotated, judged on
all videos that were not; "before" is the base on the same videos.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import common
from storyscope.core import Segmentation
from storyscope.evaluate import load_collection
from storyscope.experiments.detector import example_of
from storyscope.experiments.report import markdown
from storyscope.stories.examples import StoryExample
from storyscope.stories.fine_tuning import learn, score
from storyscope.stories.model import StoryModel
from storyscope.stories.training import train

ROOT = Path(__file__).parents[2]
DOCS = common.DOCS
FEATURES = ["vgg19", "hsv"]
BBC = (30, 100, 300)
JOINED = (30, 100)
OVSD = (30, 120)
"""Numbers of annotated minutes."""


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--draws", type=int, default=3)
    options = parser.parse_args()
    episodes, films = (examples(options.data / name) for name in ("bbc", "ovsd"))
    base, joined = train(films), [with_pairs_joined(episode) for episode in episodes]
    facts: dict[str, Any] = {
        "bbc, from a model of open films": curve(base, episodes, BBC, options.draws),
        "bbc, a simulated editor who joins two stories": curve(base, joined, JOINED, options.draws),
        "ovsd, from a model of the episodes": curve(train(episodes), films, OVSD, options.draws),
    }
    text = written(facts, options.draws)
    common.write_page("style_curve", facts, text)
    draw(facts, DOCS / "style_curve.png")
    print(text)


def examples(folder: Path) -> list[StoryExample]:
    return [example_of(video) for video in load_collection(folder, features=FEATURES)]


def with_pairs_joined(example: StoryExample) -> StoryExample:
    return replace(example, truth=Segmentation(example.truth.starts[::2], example.truth.end))


def curve(
    base: StoryModel, videos: Sequence[StoryExample], minutes: Sequence[float], draws: int
) -> list[dict[str, float]]:
    """The learning curve: a point for each number of annotated minutes."""
    before = np.array([score(base, video) for video in videos])
    points = []
    for wanted in minutes:
        gains, held_out, annotated = [], [], []
        for number in range(draws):
            order = np.random.default_rng(number).permutation(len(videos))
            chosen, used = annotate(videos, order, wanted)
            tuned = learn(chosen, base, seed=number)
            rest = order[used:]
            after = np.array([score(tuned, videos[k]) for k in rest])
            gains.append(float((after - before[rest]).mean()))
            held_out.append((before[rest].mean(), after.mean()))
            annotated.append(sum(np.ptp(each.rhythm.edges) for each in chosen) / 60)
        means = np.mean(held_out, axis=0)
        points.append(
            {
                "minutes": float(np.mean(annotated)),
                "before": float(means[0]),
                "after": float(means[1]),
                "gain": float(np.mean(gains)),
                "lowest_gain": min(gains),
                "highest_gain": max(gains),
            }
        )
        print(points[-1], flush=True)
    return points


def annotate(
    videos: Sequence[StoryExample], order: Sequence[int], minutes: float
) -> tuple[list[StoryExample], int]:
    """Annotate this many minutes: whole videos in this order, then the beginning of the next one.

    Returns the examples and the number of videos they come from; at least one video is left out.
    """
    chosen, left = [], 60 * minutes
    for used, number in enumerate(order[:-1]):
        if left < 120:
            return chosen, used
        part = first_minutes(videos[number], left / 60)
        chosen.append(part)
        left -= float(np.ptp(part.rhythm.edges))
    return chosen, len(order) - 1


def first_minutes(example: StoryExample, minutes: float) -> StoryExample:
    """The beginning of a video, as far as it was annotated: whole stories, and at least two."""
    starts = example.rhythm.edges - example.rhythm.edges[0]
    ends = [story.stop for story in example.truth]
    inside = [end for end in ends[1:] if starts[end] <= 60 * minutes]
    return example.part(range(max(inside, default=ends[min(1, len(ends) - 1)])))


def written(curves: Mapping[str, Sequence[Mapping[str, float]]], draws: int) -> str:
    text = "# Held-out score against annotated minutes\n"
    for title, points in curves.items():
        rows = [
            [
                f"{point['minutes']:.0f}",
                *(f"{point[key]:.3f}" for key in ("before", "after")),
                *(f"{point[key]:+.3f}" for key in ("gain", "lowest_gain", "highest_gain")),
            ]
            for point in points
        ]
        header = ["minutes annotated", "before", "after", "gain", "lowest", "highest of the draws"]
        text += f"\n## {title}\n\n{markdown(header, rows)}"
    return text + (
        f"\nMean IoU on videos that were not annotated, mean over {draws} draws of what was; "
        "before and after on the same videos.\n\n![The curve](style_curve.png)\n\n"
        "Made by `python -m benchmarks.stories.style_curve`.\n"
    )


def draw(curves: Mapping[str, Any], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    for title, points in curves.items():
        minutes = [0.0, *(point["minutes"] for point in points)]
        axes.plot(minutes, [0.0, *(point["gain"] for point in points)], marker="o", label=title)
        axes.fill_between(
            minutes[1:],
            [point["lowest_gain"] for point in points],
            [point["highest_gain"] for point in points],
            alpha=0.2,
        )
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.set_xlabel("annotated minutes")
    axes.set_ylabel("gain in held-out mean IoU")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
