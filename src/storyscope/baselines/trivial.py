"""The two segmentations that ignore the content of a video."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from storyscope.baselines.tuning import best_setting, stories_per_second, stories_per_shot
from storyscope.core import Segmentation
from storyscope.evaluate import AnnotatedVideo, UnannotatedVideo, equal_times


class OneStoryPerShot:
    """Every shot is a story."""

    name = "one-per-shot"

    def fit(self, training: Sequence[AnnotatedVideo], *, seed: int) -> OneStoryPerShot:
        return self

    def find(self, video: UnannotatedVideo) -> Segmentation:
        return Segmentation(tuple(range(len(video.shots))), len(video.shots))


class UniformCuts:
    """Stories of equal length, with as many per shot or per second as the training videos have."""

    name = "uniform"

    def fit(self, training: Sequence[AnnotatedVideo], *, seed: int) -> UniformDetector:
        rates = [
            UniformDetector(per_shot=stories_per_shot(training)),
            UniformDetector(per_second=stories_per_second(training)),
        ]
        return best_setting(training, training, rates, lambda video, rate: rate.find(video))


@dataclass(frozen=True)
class UniformDetector:
    """Cuts evenly; the rates are added, and one of them is 0."""

    per_shot: float = 0.0
    per_second: float = 0.0

    def find(self, video: UnannotatedVideo) -> Segmentation:
        seconds = video.frame_count / video.fps
        count = round(self.per_shot * len(video.shots) + self.per_second * seconds)
        return equal_times(video.edges, min(max(count, 1), len(video.shots)))
