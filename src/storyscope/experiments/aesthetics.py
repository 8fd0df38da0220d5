"""The paper's aesthetic ranking (`tab:ranking`): ranking SVM and Ranking CNN on the same pairs.

Each shot is represented by its middle frame. If people marked frames, a pair is two frames of one
story of which the first was marked more often; otherwise a pair is a frame and a degraded copy of
it. Each video is left out of training in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from storyscope.core import Keyframes, Segmentation, VisionOutput
from storyscope.errors import AnnotationError
from storyscope.thumbnails import Ranker, train_ranker_on_pairs
from storyscope.thumbnails.ranking import swapped_share

RIDGE = 1000.0
"""Regularisation of the Ranking CNN's last neuron, as in `thumbnails.evaluation`."""


@dataclass(frozen=True, eq=False)
class MarkedFrames:
    """The middle frames of one video's shots, and how often each was marked."""

    hypercolumns: np.ndarray
    """tau(d), [frames, 10]."""
    maps: np.ndarray
    """Last convolutional layer, [frames, numbers]."""
    marks: np.ndarray
    """int [frames]."""
    pairs: np.ndarray
    """int [pairs, 2]: the frame marked more often, and the other of the same story."""


@dataclass(frozen=True)
class RankingRow:
    """Percent of swapped pairs on one held-out video."""

    video: str
    pairs: int
    ranking_cnn: float
    hypercolumns: float


def marked_frames(
    keyframes: Keyframes,
    vision: VisionOutput,
    shots: Sequence[tuple[int, int]],
    stories: Segmentation,
    marks: Sequence[int],
) -> MarkedFrames:
    """Frames nearest to the middle of each annotated shot, paired within stories over shots."""
    middles = np.array([(start + end) / 2 for start, end in shots])
    rows = np.abs(keyframes.frames[None, :] - middles[:, None]).argmin(axis=1)
    counts = np.asarray(marks, int)
    pairs = [
        (better, worse)
        for story in stories
        for better in story
        for worse in story
        if counts[better] > counts[worse]
    ]
    return MarkedFrames(
        vision.hypercolumns[rows],
        np.asarray(vision.maps[rows], np.float64),
        counts,
        np.array(pairs, int).reshape(-1, 2),
    )


def rank_videos(videos: Mapping[str, MarkedFrames], *, backbone: str) -> list[RankingRow]:
    """Both rankers trained on all videos but one and scored on that one, for each."""
    usable = {name: video for name, video in videos.items() if len(video.pairs)}
    if len(usable) < 2:
        raise AnnotationError("the aesthetic ranking needs marked frames in two videos or more")
    rows = []
    for name, held_out in usable.items():
        others = [video for other, video in usable.items() if other != name]
        scores = ranker_of_marks(others, backbone=backbone).score(held_out.hypercolumns)
        neuron = _fit_ranking_cnn(others)
        rows.append(
            RankingRow(
                name,
                len(held_out.pairs),
                ranking_cnn=_swapped(held_out, held_out.maps @ neuron[:-1]),
                hypercolumns=_swapped(held_out, scores),
            )
        )
    return rows


def ranker_of_marks(videos: Sequence[MarkedFrames], *, backbone: str) -> Ranker:
    """The ranking SVM trained on all pairs of these videos."""
    better, worse = (
        np.concatenate([video.hypercolumns[video.pairs[:, side]] for video in videos])
        for side in (0, 1)
    )
    return train_ranker_on_pairs(better, worse, backbone=backbone)


def _fit_ranking_cnn(videos: Sequence[MarkedFrames]) -> np.ndarray:
    """One neuron on the last layer, least squares towards the number of marks.

    Solved over frames, not columns: there are far fewer of them.
    """
    inputs = np.concatenate([video.maps for video in videos])
    inputs = np.concatenate([inputs, np.ones((len(inputs), 1))], axis=1)
    wanted = np.concatenate([video.marks for video in videos]).astype(float)
    kernel = inputs @ inputs.T + RIDGE * np.eye(len(inputs))
    neuron: np.ndarray = inputs.T @ np.linalg.solve(kernel, wanted)
    return neuron


def _swapped(video: MarkedFrames, scores: np.ndarray) -> float:
    better, worse = video.pairs.T
    return 100 * swapped_share(scores[better], scores[worse])
