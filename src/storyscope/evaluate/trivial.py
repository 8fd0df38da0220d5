"""Trivial baselines. A method that does not beat them has found nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from storyscope.core import Segmentation
from storyscope.evaluate.dataset import AnnotatedVideo
from storyscope.evaluate.protocol import VideoScore


def trivial_scores(collection: Sequence[AnnotatedVideo]) -> dict[str, list[VideoScore]]:
    """Scores of uniform cuts with the true number of stories, and of one story per shot.

    Uniform cuts are given the number of stories, which no method is: mean IoU flatters them.
    `uniform` makes stories of equal length in time, the stronger baseline; `uniform-shots` of equal
    numbers of shots.
    """
    answers: dict[str, Callable[[AnnotatedVideo], Segmentation]] = {
        "uniform": lambda video: equal_times(video.edges, len(video.truth)),
        "uniform-shots": lambda video: equal_shots(len(video.shots), len(video.truth)),
        "one-per-shot": lambda video: equal_shots(len(video.shots), len(video.shots)),
    }
    return {
        name: [
            VideoScore(video.name, answer(video).on(video.edges), video.truth)
            for video in collection
        ]
        for name, answer in answers.items()
    }


def equal_times(edges: npt.ArrayLike, count: int) -> Segmentation:
    """`count` stories of equal length, each cut moved to the nearest shot change.

    `edges` holds the start of every shot and the end, in any unit; positions are shots. If shots
    are too long to separate two cuts, there are fewer stories.
    """
    times = np.asarray(edges, float)
    shots = len(times) - 1
    wanted = np.linspace(times[0], times[-1], count + 1)[1:-1]
    nearest = np.abs(times[None, :] - wanted[:, None]).argmin(axis=1)
    cuts = np.unique(np.clip(nearest, 1, shots - 1)) if shots > 1 else ()
    return Segmentation.from_cuts((int(cut) for cut in cuts), shots)


def equal_shots(shots: int, count: int) -> Segmentation:
    """`count` stories with equal numbers of shots, or as many stories as there are shots."""
    count = min(count, shots)
    return Segmentation(tuple(story * shots // count for story in range(count)), shots)
