"""Evaluation protocols: leave one video out, or a detector trained elsewhere.

A held-out video is passed to a method only as `UnannotatedVideo`, which has no truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from storyscope.core import Segmentation
from storyscope.errors import AnnotationError
from storyscope.evaluate.coverage import CoverageOverflow, coverage_overflow
from storyscope.evaluate.dataset import AnnotatedVideo
from storyscope.evaluate.iou import mean_iou
from storyscope.evaluate.methods import StoryDetector, StoryMethod


@dataclass(frozen=True)
class VideoScore:
    """The stories that a method found in one video, and their scores; all over frames."""

    name: str
    found: Segmentation
    truth: Segmentation

    @property
    def mean_iou(self) -> float:
        return mean_iou(self.found, self.truth)

    @property
    def coverage_overflow(self) -> CoverageOverflow:
        return coverage_overflow(self.found, self.truth)


@dataclass(frozen=True)
class RepeatedScore(VideoScore):
    """The scores of one video after training with several seeds; `found` is from the first one."""

    runs: tuple[VideoScore, ...]

    @property
    def mean_iou(self) -> float:
        return fmean(run.mean_iou for run in self.runs)

    @property
    def coverage_overflow(self) -> CoverageOverflow:
        first, *others = (run.coverage_overflow for run in self.runs)
        return sum(others, start=first)


def repeated(runs: Sequence[Sequence[VideoScore]]) -> list[VideoScore]:
    """Combine the scores of each seed, video by video."""
    if len(runs) == 1:
        return list(runs[0])
    return [
        RepeatedScore(each[0].name, each[0].found, each[0].truth, runs=each)
        for each in zip(*runs, strict=True)
    ]


def leave_one_out(
    collection: Sequence[AnnotatedVideo],
    method: StoryMethod,
    *,
    seed: int = 0,
    only: Iterable[int] | None = None,
) -> list[VideoScore]:
    """Score `method` on each video after training on all the others.

    `only` gives the numbers of the videos to score, if the work is distributed over processes. This
    is the only place where splits are made and results are compared with the truth.
    """
    if len(collection) < 2:
        raise AnnotationError(
            f"leaving one video out needs two or more, got {len(collection)}; "
            "judge a detector trained elsewhere instead"
        )
    scores = []
    for held_out in range(len(collection)) if only is None else only:
        training = [v.for_training() for i, v in enumerate(collection) if i != held_out]
        detector = method.fit(training, seed=seed)
        scores.append(_judge(detector, collection[held_out], method.name))
    return scores


def judge(
    collection: Sequence[AnnotatedVideo], detector: StoryDetector, *, name: str = "detector"
) -> list[VideoScore]:
    """Score a detector that was trained on other videos."""
    return [_judge(detector, video, name) for video in collection]


def _judge(detector: StoryDetector, video: AnnotatedVideo, method: str) -> VideoScore:
    found = detector.find(video.without_truth())
    if found.end != len(video.shots):
        raise AnnotationError(
            f"{method} splits {found.end} positions of {video.name}, "
            f"which has {len(video.shots)} shots"
        )
    return VideoScore(video.name, found.on(video.edges), video.truth)
