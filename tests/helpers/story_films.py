"""Synthetic videos with known stories, as shots and features."""

from __future__ import annotations

import numpy as np

from storyscope.core import Features, Segmentation, Shot, Span, Transition


def made_up_film(
    seed: int, *, stories: int = 8, noise: float = 0.5, fps: float = 25.0
) -> tuple[tuple[Shot, ...], list[Features], Segmentation]:
    """A film whose stories differ in appearance and hue; it has no sound."""
    random = np.random.default_rng(seed)
    lengths = random.integers(2, 9, stories)
    truth = Segmentation.from_cuts(np.cumsum(lengths)[:-1].tolist(), int(lengths.sum()))
    story = np.repeat(np.arange(stories), lengths)
    places = random.normal(size=(stories, 24))
    looks = places[story] + noise * random.normal(size=(len(story), 24))
    palettes = random.dirichlet(np.ones(12) * 0.5, stories)
    hues = np.stack([random.dirichlet(20 * palettes[number] + 0.1) for number in story])
    frames = random.integers(25, 250, len(story))
    return (
        shots_of(frames.tolist(), fps),
        [
            Features("appearance", looks, "made up"),
            Features("hue", hues, "made up"),
        ],
        truth,
    )


def shots_of(frame_counts: list[int], fps: float = 25.0) -> tuple[Shot, ...]:
    """Consecutive shots of these lengths, separated by cuts."""
    shots, first = [], 0
    for count in frame_counts:
        span = Span(first / fps, (first + count) / fps)
        kind = "cut" if first else "start"
        shots.append(Shot(span, range(first, first + count), Transition(kind, first, first)))
        first += count
    return tuple(shots)
