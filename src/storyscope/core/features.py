"""Feature vectors of shots, and data about keyframes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from storyscope.core.rows import Rows
from storyscope.errors import InvalidFeatures


@dataclass(frozen=True, eq=False)
class Features:
    """One named vector per shot, in shot order."""

    name: str
    vectors: np.ndarray
    """float32, shots x dimensions."""
    producer: str
    """The extractor and weights that made them: vectors of different producers cannot be
    compared."""

    def __post_init__(self) -> None:
        vectors = np.ascontiguousarray(self.vectors, dtype=np.float32)
        if vectors.ndim != 2:
            raise InvalidFeatures(
                f"{self.name}: expected one row per shot, got an array of shape {vectors.shape}"
            )
        if not np.isfinite(vectors).all():
            raise InvalidFeatures(
                f"{self.name}: features must be finite numbers, got NaN or infinity"
            )
        object.__setattr__(self, "vectors", vectors)

    def __len__(self) -> int:
        return len(self.vectors)


@dataclass(frozen=True, eq=False)
class Keyframes:
    """Pictures picked from the shots, several per shot, in time order.

    They are compressed (JPEG) and stay on disk until they are requested.
    """

    shots: np.ndarray
    """int32, the shot of each picture."""
    frames: np.ndarray
    """int64, the frame number of each picture."""
    seconds: np.ndarray
    """float64, the presentation time of each picture."""
    pictures: Sequence[bytes]

    def __len__(self) -> int:
        return len(self.pictures)


@dataclass(frozen=True, eq=False)
class Sound:
    """Cepstral features of the sound track in 10 ms windows."""

    mfcc: Rows
    """float16, windows x 30: log-energy first, then 29 cepstral coefficients."""
    window_seconds: float = 0.01
    first_second: float = 0.0


@dataclass(frozen=True, eq=False)
class VisionOutput:
    """Output of the image network for each keyframe: one row per picture, in order."""

    maps: Rows
    """float16 [n, channels], the 7 x 7 map averaged, or [n, channels * 49], the full map."""
    posteriors: Rows
    """float16 [n, 1000] over `storyscope.models.class_names()`."""
    hypercolumns: np.ndarray
    """float32 [n, 10], mean and deviation of five maps, fine to coarse."""
    producer: str
    """The backbone and the digest of its weights."""

    def __len__(self) -> int:
        return len(self.maps)


@dataclass(frozen=True, eq=False)
class Ratings:
    """How suitable each keyframe is as a thumbnail: one number per picture, from 0 to 1."""

    beauty: np.ndarray
    """Score of the aesthetic ranker; every array here is float32 [n]."""
    sharpness: np.ndarray
    exposure: np.ndarray
    entropy: np.ndarray
    variety: np.ndarray
    """Share of pixels that differ from the most common colour."""
    lettering: np.ndarray
    """Probability that the picture shows text: a credit roll, a title card."""
    clear: np.ndarray
    """1 outside gradual transitions, 0 inside."""
    producer: str
    """The ranker, and the backbone whose features it uses."""

    def __len__(self) -> int:
        return len(self.beauty)
