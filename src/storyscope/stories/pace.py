"""What is usual of stories beside what a video itself says: how even they are, and how many.

Lengths around the usual one are a little more probable than others: where the scores say nothing,
stories are about as long as each other. That leaves the number of stories as it is. Where the pace
of a series is known, it counts too.

Two things speak of the number of stories in a video: the pace of the annotated videos, and the
scores of the video itself, under which some number is expected. Both are off by some factor, so
their logarithms have a normal error. The number to aim for is their mean, each weighted by how
sure it is:

    log aim = log expected + w (log(rate * minutes) - log expected),
    w = b DOUBT^2 / (DOUBT^2 + spread^2).

b is how probable it is that the video belongs with the annotated ones at all: evens before looking,
and less the farther the two numbers are apart, since a video of another kind may have any pace. So
a documentary of the same series is told at the pace of the series, and a dialogue film is not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from storyscope.stories.posterior import posterior
from storyscope.stories.relations import Rhythm
from storyscope.stories.similarity import Array

DOUBT = 0.2
"""Standard error of the logarithm of the number of stories expected from the scores of a video."""

USUAL_SPREAD = 0.25
"""Prior variation of pace between videos while little is known; counts as one video."""

STRANGER = 1.0
"""Variation of pace between unrelated videos."""

UNEVEN = 1.2
"""Standard deviation of the logarithm of a story's length beside the usual one.

Of annotated stories it is .8 to 1.3 within a video, and the scores know most of that themselves.
"""

SHORTER = 0.2
"""Difference between the logarithms of the usual length and the mean length."""

CLOSE = 0.005
"""Relative tolerance for the number of stories."""


@dataclass(frozen=True)
class Pace:
    """Stories per minute in related videos."""

    rate: float
    spread: float
    """Standard deviation of the logarithm of another video's rate."""

    @classmethod
    def of(cls, stories: Sequence[int], minutes: Sequence[float]) -> Pace:
        """The pace of annotated videos, from their numbers of stories and their durations."""
        rates = np.log(np.array(stories) / np.array(minutes))
        squares = ((rates - rates.mean()) ** 2).sum() + USUAL_SPREAD**2
        variance = squares / len(rates) * (1 + 1 / len(rates))
        return cls(float(np.exp(rates.mean())), math.sqrt(variance))

    def aim(self, minutes: float, expected: float) -> float:
        """The target number of stories of a video, given the number expected from its scores."""
        apart = math.log(self.rate * minutes / expected)
        variance = DOUBT**2 + self.spread**2
        akin, strange = _density(apart, variance), _density(apart, STRANGER**2)
        weight = akin / (akin + strange) * DOUBT**2 / variance
        return expected * math.exp(weight * apart)


def evenness(shape: tuple[int, int], rhythm: Rhythm, stories: float) -> Array:
    """Log-probability, up to a constant, of each story's length given the number of stories:
    [shots, lengths]."""
    start, step = np.indices(shape)
    edges = rhythm.edges
    length = edges[np.minimum(start + step + 1, len(rhythm))] - edges[start]
    usual = (edges[-1] - edges[0]) / stories
    apart = np.log(np.maximum(length, 1e-3) / usual) + SHORTER
    logs: Array = -(apart**2) / (2 * UNEVEN**2)
    return logs


def told_in(scores: Array, stories: float) -> Array:
    """The scores with a constant added to every story, so that this number of stories is
    expected."""

    def excess(moved: float) -> float:
        return math.log(posterior(scores + moved).expected_count / stories)

    # The secant method, with limited steps where the number hardly depends on the scores.
    moved, slope = 0.0, 0.6
    found = excess(moved)
    for _ in range(20):
        if abs(found) < CLOSE:
            break
        step = float(np.clip(-found / slope, -2.0, 2.0))
        before, found = found, excess(moved + step)
        moved, slope = moved + step, float(np.clip((found - before) / step, 0.15, 2.0))
    nearer: Array = scores + moved
    return nearer


def _density(value: float, variance: float) -> float:
    return math.exp(-(value**2) / (2 * variance)) / math.sqrt(variance)
