"""What a search looks through."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


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
    """uint16 [pictures, 10]: the likeliest classes of each keyframe, and"""
    shares: np.ndarray
    """float16 [pictures, 10]: how likely each is."""
    screen_texts: tuple[str, ...] = ()
    """What is written on screen, where that was read."""
    screen_seconds: tuple[float, ...] = ()
    language: str = ""
    """Of what is said."""
    looks: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.float16))
    """float16 [pictures, dimensions], of length one: the keyframes in a space that they share with
    words, where an image-text network was asked for; and"""
    best_rivals: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32))
    """float32 [pictures]: how well the best of a thousand plain names fits each."""
    producer: str = ""
    """Which model made the vectors: queries must come from the same."""
