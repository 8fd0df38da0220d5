"""A benchmark folder: videos with shots, features and true stories.

Each sub-folder holds `video.json`,

    {"name", "fps", "frame_count", "shots": [[start, end), ...], "stories": [[start, end), ...],
     "features": {"vgg19": "vgg19.npy", ...},
     "producers": {"vgg19": "what made them", ...},
     "annotations": {"anna": [[start, end), ...], ...}}

in frames, and one array per feature with a row per shot. `annotations`, which may be missing, are
the stories of several people. `producers`, which may be missing too, say what made the numbers:
an embedding refuses to mix those of two producers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Any, overload

import numpy as np

from storyscope.core import Features, Segmentation
from storyscope.errors import AnnotationError, InvalidFeatures
from storyscope.evaluate.fingerprint import fingerprint


@dataclass(frozen=True, eq=False, kw_only=True)
class UnannotatedVideo:
    """What a method may see of a video in which it is to find stories."""

    name: str
    fps: float
    frame_count: int
    shots: tuple[tuple[int, int], ...]
    """First and end frame of each shot; between two shots there may be a gradual transition."""
    features: Mapping[str, Features]

    @property
    def edges(self) -> tuple[int, ...]:
        """First frame of every shot and the frame count, for `Segmentation.on`.

        The frames of a gradual transition belong to the shot it leads into.
        """
        inner = (min(before[1], after[0]) for before, after in pairwise(self.shots))
        return (0, *inner, self.frame_count)

    @property
    def fingerprint(self) -> str:
        """Identifies the video under another name, by its shots."""
        return fingerprint([edge / self.fps for edge in self.edges])


@dataclass(frozen=True, eq=False, kw_only=True)
class AnnotatedVideo(UnannotatedVideo):
    """A video whose true stories are known."""

    truth: Segmentation
    """The true stories over frames."""
    annotations: Mapping[str, Segmentation] = field(default_factory=dict)
    """The stories of several people, if several annotated it."""
    folder: Path | None = None
    """The folder it was read from; None if passed to a method."""

    @property
    def truth_on_shots(self) -> Segmentation:
        """The true stories over shots: every true start moved to the nearest shot change."""
        return on_nearest_shots(self.truth, self.shots)

    def without_truth(self) -> UnannotatedVideo:
        """The same video for a method that must not see its stories."""
        return UnannotatedVideo(
            name=self.name,
            fps=self.fps,
            frame_count=self.frame_count,
            shots=self.shots,
            features=self.features,
        )

    def for_training(self) -> AnnotatedVideo:
        """The same video with only its truth: the folder would lead to the other videos'."""
        return replace(self, folder=None, annotations={})


@dataclass(frozen=True)
class Collection(Sequence[AnnotatedVideo]):
    """The videos of a benchmark folder, in the order of their folders."""

    videos: tuple[AnnotatedVideo, ...]
    left_out: Mapping[str, str]
    """Videos that cannot be scored, and why."""

    @overload
    def __getitem__(self, index: int) -> AnnotatedVideo: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[AnnotatedVideo]: ...
    def __getitem__(self, index: int | slice) -> AnnotatedVideo | Sequence[AnnotatedVideo]:
        return self.videos[index]

    def __len__(self) -> int:
        return len(self.videos)

    def __iter__(self) -> Iterator[AnnotatedVideo]:
        return iter(self.videos)


def load_collection(folder: str | Path, *, features: Sequence[str] | None = None) -> Collection:
    """Read every video of a benchmark folder, with the named features or with all.

    A video that lacks a named feature is left out and listed in `left_out`.
    """
    folder = Path(folder)
    files = sorted(folder.glob("*/video.json"))
    if not files:
        raise AnnotationError(
            f"{folder} contains no benchmark: expected a folder with a video.json for each video"
        )
    videos, left_out = [], {}
    for file in files:
        description = read_description(file)
        try:
            arrays = _feature_files(file, description)
            missing = [name for name in features or () if name not in arrays]
            if missing:
                left_out[str(description["name"])] = f"has no {' or '.join(missing)} feature"
            else:
                named = arrays if features is None else {name: arrays[name] for name in features}
                videos.append(_read_video(file, description, named))
        except AnnotationError:
            raise
        except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
            raise AnnotationError(f"{file} is not a valid video description: {error}") from error
    return Collection(tuple(videos), left_out)


def on_nearest_shots(truth: Segmentation, shots: Sequence[tuple[int, int]]) -> Segmentation:
    """Convert stories over frames to stories over shots.

    The change to shot i takes place anywhere from the end of shot i-1 to the start of shot i; a
    story begins at the nearest change.
    """
    if len(shots) == 1:
        return Segmentation((0,), 1)
    spans = np.array(shots)
    begins = np.minimum(spans[:-1, 1], spans[1:, 0])
    ends = np.maximum(spans[:-1, 1], spans[1:, 0])
    cuts = np.array(truth.cuts).reshape(-1, 1)
    distances = np.maximum(0, np.maximum(begins - cuts, cuts - ends))
    return Segmentation.from_cuts(np.unique(1 + distances.argmin(axis=1)).tolist(), len(shots))


def read_description(file: Path) -> dict[str, Any]:
    """The content of a video.json, with all required fields."""
    try:
        description = json.loads(file.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise AnnotationError(f"{file} is not JSON: {error}") from error
    if not isinstance(description, dict):
        raise AnnotationError(f"{file} is not a valid video description: expected an object")
    wanted = ("name", "fps", "frame_count", "shots", "stories", "features")
    missing = [key for key in wanted if key not in description]
    if missing:
        raise AnnotationError(f"{file} lacks {', '.join(missing)}; a video needs all of {wanted}")
    return description


def _feature_files(file: Path, description: Mapping[str, Any]) -> dict[str, Path]:
    """The arrays that exist; a missing file is treated as a missing feature."""
    arrays = {name: file.parent / array for name, array in description["features"].items()}
    return {name: array for name, array in arrays.items() if array.exists()}


def _read_video(
    file: Path, description: Mapping[str, Any], arrays: Mapping[str, Path]
) -> AnnotatedVideo:
    frame_count = int(description["frame_count"])
    shots = tuple((int(start), int(end)) for start, end in description["shots"])
    _require_rising(file, "shots", [start for start, _ in shots], frame_count)
    empty = next((shot for shot in shots if shot[0] >= shot[1]), None)
    if empty is not None:
        raise AnnotationError(f"{file}: shots must end after they start, got {list(empty)}")
    producers = dict(description.get("producers", {}))
    fps = float(description["fps"])
    if not (isfinite(fps) and fps > 0):
        raise AnnotationError(f"{file}: the frame rate must be above 0, got {fps:g}")
    return AnnotatedVideo(
        name=str(description["name"]),
        fps=fps,
        frame_count=frame_count,
        shots=shots,
        features={
            name: _read_features(array, name, len(shots), producer=producers.get(name, name))
            for name, array in arrays.items()
        },
        truth=_stories(file, "stories", description["stories"], frame_count),
        annotations={
            str(name): _stories(file, f"stories of {name}", stories, frame_count)
            for name, stories in description.get("annotations", {}).items()
        },
        folder=file.parent,
    )


def _stories(
    file: Path, what: str, stories: Sequence[Sequence[int]], frame_count: int
) -> Segmentation:
    """Stories from their first frames: each runs to the start of the next.

    So a frame that two stories claim goes to the later one, and a frame that none claims to the
    earlier one.
    """
    starts = [int(start) for start, _ in stories]
    _require_rising(file, what, starts, frame_count)
    return Segmentation.from_cuts(starts[1:], frame_count)


def _require_rising(file: Path, what: str, starts: Sequence[int], frame_count: int) -> None:
    if not starts:
        raise AnnotationError(f"{file}: expected at least one of {what}, got none")
    if starts[0] < 0 or any(left >= right for left, right in pairwise((*starts, frame_count))):
        raise AnnotationError(
            f"{file}: {what} must start at rising frames from 0 to below {frame_count}"
        )


def _read_features(file: Path, name: str, shot_count: int, *, producer: str) -> Features:
    try:
        vectors = np.load(file, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise AnnotationError(f"{file} is not an array of numbers in .npy: {error}") from error
    if len(vectors) != shot_count:
        raise AnnotationError(
            f"{file}: expected one row per shot, {shot_count}, got {len(vectors)}"
        )
    try:
        features = Features(name, vectors.reshape(shot_count, -1), producer=str(producer))
    except (InvalidFeatures, TypeError, ValueError) as error:
        raise AnnotationError(f"{file} cannot be used: {error}") from error
    features.vectors.flags.writeable = False
    return features
