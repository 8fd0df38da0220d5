"""How many stories a minute somebody tells, and what that says of one more video.

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
from storyscope.stories.similarity import Array

DOUBT = 0.2
"""Standard error of the logarithm of the number that the scores of a video expect."""

USUAL_SPREAD = 0.25
"""How much pace varies between videos as long as little is known; counts as one video."""

STRANGER = 1.0
"""The same between videos that have nothing to do with each other."""

STRONGEST = 8.0
"""No story's score is moved by more than this to reach a number of stories."""


@dataclass(frozen=True)
class Pace:
    """Stories a minute in videos that belong together."""

    rate: float
    spread: float
    """Standard deviation of the logarithm of one more video's rate."""

    @classmethod
    def of(cls, stories: Sequence[int], minutes: Sequence[float]) -> Pace:
        """The pace of annotated videos: how many stories each has, and how long it is."""
        rates = np.log(np.array(stories) / np.array(minutes))
        squares = ((rates - rates.mean()) ** 2).sum() + USUAL_SPREAD**2
        variance = squares / len(rates) * (1 + 1 / len(rates))
        return cls(float(np.exp(rates.mean())), math.sqrt(variance))

    def aim(self, minutes: float, expected: float) -> float:
        """The number of stories to tell in a video whose own scores expect so many."""
        apart = math.log(self.rate * minutes / expected)
        variance = DOUBT**2 + self.spread**2
        akin, strange = _density(apart, variance), _density(apart, STRANGER**2)
        weight = akin / (akin + strange) * DOUBT**2 / variance
        return expected * math.exp(weight * apart)


def told_in(scores: Array, stories: float) -> Array:
    """The scores with every story's moved alike, so that this number of stories is expected."""
    low, high = -STRONGEST, STRONGEST
    for _ in range(14):
        middle = (low + high) / 2
        if posterior(scores + middle).expected_count < stories:
            low = middle
        else:
            high = middle
    moved: Array = scores + (low + high) / 2
    return moved


def _density(value: float, variance: float) -> float:
    return math.exp(-(value**2) / (2 * variance)) / math.sqrt(variance)
