"""What a search looks through."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class Looks:
    """Some keyframes of a video, encoded by the image half of an image-text model."""

    rows: np.ndarray
    """int32 [images]: which keyframes were encoded, in their order."""
    vectors: np.ndarray
    """float16 [images, dimensions], of unit length."""
    producer: str
    """The model that encoded them."""


@dataclass(frozen=True, eq=False)
class Passages:
    """What is said and what is seen in one video, each with its time and its meaning.

    They know nothing of stories: stories may be regrouped or corrected without filing anew.
    """

    texts: tuple[str, ...]
    """What is said, in windows of a few sentences."""
    spans: np.ndarray
    """float64 [windows, 2]: when each window is said."""
    text_vectors: np.ndarray
    """float16 [windows, dimensions], of length one."""
    seconds: np.ndarray
    """float64 [pictures]: when each keyframe is seen."""
    shots: np.ndarray
    """int32 [pictures]: the shot of each keyframe."""
    classes: np.ndarray
    """uint16 [pictures, 10]: the likeliest classes of each keyframe."""
    shares: np.ndarray
    """float16 [pictures, 10]: how likely each of those classes is."""
    screen_texts: tuple[str, ...] = ()
    """What is written on screen, where that was read."""
    screen_seconds: tuple[float, ...] = ()
    language: str = ""
    """Of what is said."""
    looks: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.float16))
    """float16 [pictures, dimensions], of length one: the keyframes in a space that they share with
    words, where an image-text network was asked for."""
    backgrounds: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), np.float32))
    """float32 [pictures, 2]: mean and deviation of each one's cosines with the class names."""
    producer: str = ""
    """Which model made the vectors: queries must come from the same."""
