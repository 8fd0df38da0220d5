"""Choose free parameters on training videos, by the measure that methods are evaluated with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from storyscope.core import Segmentation
from storyscope.evaluate import AnnotatedVideo, mean_iou

Prepared = TypeVar("Prepared")
Setting = TypeVar("Setting")


def best_setting(
    training: Sequence[AnnotatedVideo],
    prepared: Sequence[Prepared],
    settings: Iterable[Setting],
    find: Callable[[Prepared, Setting], Segmentation],
) -> Setting:
    """The setting with the highest mean IoU over the training videos; the first in case of a tie.

    `prepared` holds, for each video, the input of `find` that no setting changes.
    """

    def score(setting: Setting) -> float:
        return float(
            np.mean(
                [
                    mean_iou(find(ready, setting).on(video.edges), video.truth)
                    for video, ready in zip(training, prepared, strict=True)
                ]
            )
        )

    return max(settings, key=score)


def stories_per_shot(training: Sequence[AnnotatedVideo]) -> float:
    """Number of stories per shot over all the training videos."""
    stories = sum(len(video.truth) for video in training)
    return stories / sum(len(video.shots) for video in training)


def stories_per_second(training: Sequence[AnnotatedVideo]) -> float:
    """Number of stories per second over all the training videos."""
    stories = sum(len(video.truth) for video in training)
    return stories / sum(video.frame_count / video.fps for video in training)
