"""Numbers that describe shots."""

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
    """Which extractor and weights made them: vectors of two producers are not comparable."""

    def __post_init__(self) -> None:
        vectors = np.ascontiguousarray(self.vectors, dtype=np.float32)
        if vectors.ndim != 2:
            raise InvalidFeatures(
                f"{self.name}: expected one row per shot, got an array of shape {vectors.shape}"
            )
        if not np.isfinite(vectors).all():
            raise InvalidFeatures(f"{self.name}: a feature holds numbers only, got NaN or infinity")
        object.__setattr__(self, "vectors", vectors)

    def __len__(self) -> int:
        return len(self.vectors)


@dataclass(frozen=True, eq=False)
class Keyframes:
    """Pictures picked from the shots, several a shot, in time order.

    They are compressed (JPEG), and those of a film lie on disk until one is asked for.
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
    """Cepstral description of the sound track in 10 ms windows."""

    mfcc: Rows
    """float16, windows x 30: log-energy first, then 29 cepstral coefficients."""
    window_seconds: float = 0.01
    first_second: float = 0.0


@dataclass(frozen=True, eq=False)
class VisionOutput:
    """What the image network saw in each keyframe: one row a picture, in their order."""

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
    """How well each keyframe would stand for its story: one number a picture, from 0 to 1."""

    beauty: np.ndarray
    """What the aesthetic ranker says; every array here is float32 [n]."""
    sharpness: np.ndarray
    exposure: np.ndarray
    entropy: np.ndarray
    variety: np.ndarray
    """Share of pixels that differ from the commonest colour."""
    lettering: np.ndarray
    """Probability that the picture shows text: a credit roll, a title card."""
    clear: np.ndarray
    """1 outside gradual transitions, 0 inside."""
    producer: str
    """The ranker, and the backbone it looked through."""

    def __len__(self) -> int:
        return len(self.beauty)
