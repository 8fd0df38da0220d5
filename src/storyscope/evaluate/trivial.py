"""Answers that look at nothing. A method that does not beat them has found nothing."""

from __future__ import annotations

from collections.abc import Sequence

from storyscope.core import Segmentation
from storyscope.evaluate.dataset import AnnotatedVideo
from storyscope.evaluate.protocol import VideoScore


def trivial_scores(collection: Sequence[AnnotatedVideo]) -> dict[str, list[VideoScore]]:
    """Scores of uniform cuts with the true number of stories, and of one story per shot.

    Uniform cuts are told how many stories there are, which no method is: mean IoU flatters them.
    """
    return {
        "uniform": [_score(video, uniform_cuts(video)) for video in collection],
        "one-per-shot": [_score(video, one_per_shot(video)) for video in collection],
    }


def uniform_cuts(video: AnnotatedVideo) -> Segmentation:
    """As many stories as are true, with as many shots each."""
    shots = len(video.shots)
    count = min(len(video.truth), shots)
    return Segmentation(tuple(story * shots // count for story in range(count)), shots)


def one_per_shot(video: AnnotatedVideo) -> Segmentation:
    return Segmentation(tuple(range(len(video.shots))), len(video.shots))


def _score(video: AnnotatedVideo, found: Segmentation) -> VideoScore:
    return VideoScore(video.name, found.on(video.edges), video.truth)
