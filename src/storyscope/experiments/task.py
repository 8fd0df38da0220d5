"""The definition of a benchmark: videos, features and protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from storyscope.evaluate import AnnotatedVideo, Collection, load_collection
from storyscope.experiments.study import annotated_by, simulate_annotators


@dataclass(frozen=True)
class Benchmark:
    """Which videos and features, and how methods are trained."""

    folder: Path
    features: tuple[str, ...] | None = None
    """Features that a video must have; None uses those that every video has."""
    protocol: str = "leave-one-out"
    """One of `PROTOCOLS`."""
    train: Path | None = None
    """A folder of other videos to train on, when the protocol is `pretrained`."""
    seed: int = 0
    simulated_people: int = 0
    """Number of annotators to simulate if there is only one."""
    folds: int | None = field(default=None, repr=False)
    """Score only this many videos, spread over the folder; the score of a video is the same."""

    def judged(self, videos: Sequence[AnnotatedVideo]) -> list[int]:
        """Numbers of the videos to score."""
        count = min(self.folds or len(videos), len(videos))
        return [number * len(videos) // count for number in range(count)]


def videos_of(benchmark: Benchmark, annotator: str | None = None) -> Sequence[AnnotatedVideo]:
    """The videos of the benchmark, with the annotator's stories as the truth."""
    videos = load_videos(benchmark.folder, benchmark.features)
    if benchmark.simulated_people:
        return _relabelled(benchmark, annotator)
    return videos if annotator is None else _annotated_by(benchmark, annotator)


def judged_videos(benchmark: Benchmark, annotator: str | None = None) -> Sequence[AnnotatedVideo]:
    """Those of them that methods are scored on."""
    videos = videos_of(benchmark, annotator)
    return [videos[number] for number in benchmark.judged(videos)]


def left_out(benchmark: Benchmark) -> Mapping[str, str]:
    """Videos of the folder that lack a feature, and which."""
    return load_videos(benchmark.folder, benchmark.features).left_out


def forget_videos() -> None:
    """Read folders again: their content may have changed."""
    for kept in (load_videos, _relabelled, _annotated_by):
        kept.cache_clear()


@lru_cache(maxsize=4)
def load_videos(folder: Path, features: tuple[str, ...] | None) -> Collection:
    """The videos with the named features, or with those that all of them have."""
    collection = load_collection(folder, features=features)
    if features is not None:
        return collection
    shared = set.intersection(*(set(video.features) for video in collection))
    videos = (
        replace(video, features={n: f for n, f in video.features.items() if n in shared})
        for video in collection
    )
    return replace(collection, videos=tuple(videos))


@lru_cache(maxsize=8)
def _relabelled(benchmark: Benchmark, annotator: str | None) -> Sequence[AnnotatedVideo]:
    videos = simulate_annotators(
        load_videos(benchmark.folder, benchmark.features),
        count=benchmark.simulated_people,
        seed=benchmark.seed,
    )
    return videos if annotator is None else annotated_by(videos, annotator)


@lru_cache(maxsize=8)
def _annotated_by(benchmark: Benchmark, annotator: str) -> Sequence[AnnotatedVideo]:
    return annotated_by(load_videos(benchmark.folder, benchmark.features), annotator)
