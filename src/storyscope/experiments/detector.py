"""The detector as a method that can be scored on annotated videos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from storyscope.core import Segmentation
from storyscope.evaluate import AnnotatedVideo, UnannotatedVideo
from storyscope.progress import Report, silent
from storyscope.stories.detect import find_path
from storyscope.stories.examples import StoryExample
from storyscope.stories.model import StoryModel, default_model
from storyscope.stories.relations import Rhythm
from storyscope.stories.training import Recipe, train


class Ours:
    """Learned scores of whole stories, decoded for the measure."""

    name = "ours"

    def __init__(self, recipe: Recipe = Recipe()) -> None:
        self.recipe = recipe

    def fit(
        self, training: Sequence[AnnotatedVideo], *, seed: int, report: Report = silent
    ) -> LearnedDetector:
        """Train on annotated videos."""
        examples = [example_of(video) for video in training]
        return LearnedDetector(train(examples, self.recipe, seed=seed, report=report))

    def pretrained(self) -> LearnedDetector:
        """The detector that ships."""
        return LearnedDetector(default_model())


@dataclass(frozen=True, eq=False)
class LearnedDetector:
    """A trained model, ready to find stories."""

    model: StoryModel

    @property
    def trained_on(self) -> Mapping[str, str]:
        """The videos it must not be scored on, by name, with the fingerprint of their shots."""
        return self.model.trained_on

    def find(self, video: UnannotatedVideo) -> Segmentation:
        """The stories of a video, over its shots."""
        features = [*video.features.values()]
        return find_path(features, rhythm_of(video), self.model).stories


def example_of(video: AnnotatedVideo) -> StoryExample:
    """An annotated video for training."""
    return StoryExample(tuple(video.features.values()), rhythm_of(video), video.truth_on_shots)


def rhythm_of(video: UnannotatedVideo) -> Rhythm:
    """The rhythm of a video of a benchmark; gaps between its shots are gradual transitions."""
    spans = np.array(video.shots, float)
    gaps = np.maximum(spans[1:, 0] - spans[:-1, 1], 0.0)
    return Rhythm(np.array(video.edges) / video.fps, np.append(0.0, gaps) / video.fps)
