"""Learn an editor's style from a few annotated videos, and measure whether it helped.

Training starts from a general model and stays near it. Whether that helped is measured by
cross-validation: each annotated video in turn is left out, with every person's version of it. A
single video is scored in halves, each by a model that was trained on the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from storyscope.core import Segmentation
from storyscope.errors import AnnotationError
from storyscope.evaluate import equal_times, fingerprint, mean_iou, same_video
from storyscope.progress import Report, Step, silent
from storyscope.stories.detect import find_path
from storyscope.stories.examples import StoryExample
from storyscope.stories.model import StoryModel, default_model
from storyscope.stories.priors import Pace
from storyscope.stories.training import Recipe, train

FINE = Recipe(steps=80, learning_rate=0.002, weight_decay=2.0, batch=8, varied=False)
"""Few steps, and a strong pull back to the base model."""

HALF_WAY = 30
"""Number of annotated stories with which half of the change by training is kept."""


@dataclass(frozen=True, eq=False)
class FineTuning:
    """The new model, and mean IoU on videos that were left out of training."""

    model: StoryModel
    before: Mapping[str, float]
    """With the base model."""
    after: Mapping[str, float]
    """After training on the other videos."""
    uniform: Mapping[str, float]
    """Of stories of equal length, with the true number."""
    minutes: float
    """Annotated minutes."""

    @property
    def gain(self) -> float:
        """Mean gain on the videos left out."""
        return float(np.mean([*self.after.values()]) - np.mean([*self.before.values()]))

    @property
    def helped(self) -> bool:
        """Whether the videos left out score higher than before."""
        return self.gain > 0


def fine_tune(
    examples: Mapping[str, Mapping[str, StoryExample]],
    base: StoryModel | None = None,
    recipe: Recipe = FINE,
    *,
    seed: int = 0,
    report: Report = silent,
) -> FineTuning:
    """Learn from people's versions, by video and then by name, starting from `base`.

    None is the model that ships. A base that was trained on one of these videos, under this name or
    another, is refused, because its scores there would be too high.
    """
    if not examples:
        raise AnnotationError("nothing to learn from; annotate at least one video")
    base = base or default_model()
    if known := [video for video, of in examples.items() if _trained_on(base, video, of)]:
        raise AnnotationError(
            f"the model to begin with was trained on {', '.join(known)}, so there is no telling "
            "whether learning helped there; begin with another model, or annotate other videos"
        )
    held_out = dict(examples) if len(examples) > 1 else halves(*examples.values())
    judged = {name: example for part in held_out.values() for name, example in part.items()}
    after: dict[str, float] = {}
    for done, (part, versions) in enumerate(held_out.items()):
        others = [each for other in held_out if other != part for each in held_out[other].values()]
        model = learn(others, base, recipe, seed=seed)
        after |= {name: score(model, example) for name, example in versions.items()}
        report(Step("train", done + 1, len(held_out) + 1, note=f"without {part}"))
    every = [example for versions in examples.values() for example in versions.values()]
    model = learn(every, base, recipe, seed=seed)
    report(Step("train", len(held_out) + 1, len(held_out) + 1))
    return FineTuning(
        model,
        before={name: score(base, example) for name, example in judged.items()},
        after=after,
        uniform={name: _uniform(example) for name, example in judged.items()},
        minutes=sum(example.rhythm.minutes for example in every),
    )


def _trained_on(base: StoryModel, video: str, versions: Mapping[str, StoryExample]) -> bool:
    edges = next(iter(versions.values())).rhythm.edges
    return video in base.trained_on or any(
        same_video(fingerprint(edges.tolist()), known) for known in base.trained_on.values()
    )


def learn(
    examples: list[StoryExample], base: StoryModel, recipe: Recipe = FINE, *, seed: int = 0
) -> StoryModel:
    """The base after training on these examples.

    Of the change, n annotated stories keep a share of n / (n + HALF_WAY). The pace of the examples
    is stored with the model.
    """
    trained = train(examples, recipe, seed=seed, base=base)
    stories = sum(len(example.truth) for example in examples)
    share = stories / (stories + HALF_WAY)
    weights = {
        name: (1 - share) * value + share * trained.weights[name]
        for name, value in base.weights.items()
    }
    weights = {name: value.astype(np.float32) for name, value in weights.items()}
    pace = Pace.of(
        [len(example.truth) for example in examples],
        [example.rhythm.minutes for example in examples],
    )
    return StoryModel(weights, base.card, base.trained_on, pace)


def score(model: StoryModel, example: StoryExample) -> float:
    """Mean IoU of what the model finds in an annotated video."""
    found = find_path(example.features, example.rhythm, model)
    return _agreement(found.stories, example)


def halves(versions: Mapping[str, StoryExample]) -> dict[str, dict[str, StoryExample]]:
    """People's versions of one video, all split at the boundary nearest to its middle."""
    name, finest = max(versions.items(), key=lambda version: len(version[1].truth))
    if len(finest.truth) < 4:
        raise AnnotationError(
            f"{name} has {len(finest.truth)} stories, too few to learn from a part of them and "
            "judge by the rest; annotate four or more, or a second video"
        )
    end = finest.truth.end
    middle = min(finest.truth.cuts[1:-1], key=lambda cut: abs(cut - end / 2))
    return {
        half: {f"{name}, {half}": example.part(shots) for name, example in versions.items()}
        for half, shots in (("first half", range(middle)), ("second half", range(middle, end)))
    }


def _uniform(example: StoryExample) -> float:
    """Mean IoU of equal times with the true number of stories."""
    return _agreement(equal_times(example.rhythm.edges, len(example.truth)), example)


def _agreement(found: Segmentation, example: StoryExample) -> float:
    """Mean IoU over milliseconds."""
    start = example.rhythm.edges[0]
    thousandths = [round(1000 * (edge - start)) for edge in example.rhythm.edges]
    return mean_iou(found.on(thousandths), example.truth.on(thousandths))
