"""The searchable content of a video."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

SOUND_MARK = "♪ "
"""Begins a passage that names kinds of sound."""


@dataclass(frozen=True, eq=False)
class Looks:
    """Some keyframes of a video, encoded by the image encoder of an image-text model."""

    rows: np.ndarray
    """int32 [images]: indices of the encoded keyframes, in order."""
    vectors: np.ndarray
    """float16 [images, dimensions], of unit length."""
    producer: str
    """The model that encoded them."""


@dataclass(frozen=True, eq=False)
class Passages:
    """What is spoken and visible in one video, with times and vectors.

    Passages do not depend on stories, which may be regrouped or corrected without indexing the
    passages again.
    """

    texts: tuple[str, ...]
    """Text of the transcript, in windows of a few sentences."""
    spans: np.ndarray
    """float64 [windows, 2]: start and end of each window."""
    text_vectors: np.ndarray
    """float16 [windows, dimensions], of length one."""
    seconds: np.ndarray
    """float64 [pictures]: time of each keyframe."""
    shots: np.ndarray
    """int32 [pictures]: the shot of each keyframe."""
    classes: np.ndarray
    """uint16 [pictures, 10]: the most probable classes of each keyframe."""
    shares: np.ndarray
    """float16 [pictures, 10]: probabilities of those classes."""
    screen_texts: tuple[str, ...] = ()
    """Text on screen, if it was recognised; then kinds of sound, each after `SOUND_MARK`."""
    screen_seconds: tuple[float, ...] = ()
    language: str = ""
    """Language of the transcript."""
    looks: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.float16))
    """float16 [pictures, dimensions], of length one: the keyframes in the space of an image-text
    network, if one was used."""
    backgrounds: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), np.float32))
    """float32 [pictures, 2]: mean and standard deviation of each one's cosines with the class
    names."""
    producer: str = ""
    """The models that made the vectors: queries must use the same ones."""
