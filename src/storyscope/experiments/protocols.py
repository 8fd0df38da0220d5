"""How methods are trained for the videos they are scored on: one entry per protocol.

A new protocol is one function that trains and scores, and one line in `PROTOCOLS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from storyscope.errors import AnnotationError, MissingDependency, UnknownName
from storyscope.evaluate import (
    AnnotatedVideo,
    StoryDetector,
    StoryMethod,
    VideoScore,
    judge,
    leave_one_out,
    same_video,
)
from storyscope.experiments.task import Benchmark, judged_videos, load_videos

Judge = Callable[[Benchmark, StoryMethod, Sequence[AnnotatedVideo], int], list[VideoScore]]
"""Train a method and score it: (benchmark, method, videos, number of the video held out)."""


@dataclass(frozen=True)
class Protocol:
    """How one method is scored."""

    judge: Judge
    each_video: bool
    """Whether training is repeated for each held-out video, which makes each a separate job.

    Otherwise one job, whose held-out number is 0, scores all videos.
    """


def protocol_called(name: str) -> Protocol:
    """The protocol of that name."""
    if name not in PROTOCOLS:
        raise UnknownName(f"no protocol is called {name!r}; choose {' or '.join(PROTOCOLS)}")
    return PROTOCOLS[name]


def _leave_this_out(
    benchmark: Benchmark, method: StoryMethod, videos: Sequence[AnnotatedVideo], held_out: int
) -> list[VideoScore]:
    return leave_one_out(videos, method, seed=benchmark.seed, only=[held_out])


def _judge_pretrained(
    benchmark: Benchmark, method: StoryMethod, videos: Sequence[AnnotatedVideo], _: int
) -> list[VideoScore]:
    return judge(videos, _trained_elsewhere(benchmark, method), name=method.name)


PROTOCOLS: dict[str, Protocol] = {
    "leave-one-out": Protocol(_leave_this_out, each_video=True),
    "pretrained": Protocol(_judge_pretrained, each_video=False),
}


def _trained_elsewhere(benchmark: Benchmark, method: StoryMethod) -> StoryDetector:
    """A detector that was trained on none of the videos it is scored on."""
    if benchmark.train is None:
        pretrained = getattr(method, "pretrained", None)
        if pretrained is None:
            raise MissingDependency(
                f"{method.name} has no shipped model; give videos to train on with --train"
            )
        detector = cast(StoryDetector, pretrained())
        refuse_taught(detector, judged_videos(benchmark))
        return detector
    training = load_videos(benchmark.train, benchmark.features)
    names = {video.name for video in training}
    shared = [v.name for v in load_videos(benchmark.folder, benchmark.features) if v.name in names]
    if shared:
        raise AnnotationError(
            f"{benchmark.train} holds {', '.join(shared)}, which are to be scored; train on other "
            "videos, or leave one out"
        )
    return method.fit([video.for_training() for video in training], seed=benchmark.seed)


def refuse_taught(detector: StoryDetector, videos: Sequence[AnnotatedVideo]) -> None:
    trained_on: Mapping[str, str] = getattr(detector, "trained_on", {})
    shared = [
        video.name
        for video in videos
        if video.name in trained_on
        or any(same_video(video.fingerprint, known) for known in trained_on.values())
    ]
    if shared:
        raise AnnotationError(
            f"the shipped model was trained on {', '.join(shared)}, which are to be scored; score "
            "other videos, or leave one out"
        )
