"""Prior knowledge of the lengths and of the number of stories.

Lengths around the typical one are a little more probable than others: where the scores say nothing,
stories are about equally long. That leaves the expected number of stories as it is, unless the pace
of a series is known from annotated videos.

Then two things speak of the number of stories: the pace, and the scores of the video, under which
some number is expected. Both are off by some factor, so their logarithms have a normal error. The
target is their mean, each weighted by its precision:

    log target = log expected + w (log(rate * minutes) - log expected),
    w = p DOUBT^2 / (DOUBT^2 + spread^2).

p is the probability that the video belongs to the series at all: a half a priori, and less the
further the two numbers are apart, since a video of another kind may have any pace.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from storyscope.stories.posterior import Posterior, posterior
from storyscope.stories.relations import Rhythm
from storyscope.stories.similarity import Array

DOUBT = 0.2
"""Standard error of the logarithm of the number of stories expected from the scores of a video."""

USUAL_SPREAD = 0.25
"""Prior variation of pace between videos of a series; counts as one video."""

UNRELATED_SPREAD = 1.0
"""Variation of pace between unrelated videos."""

LENGTH_SPREAD = 1.2
"""Standard deviation of the logarithm of a story's length around the typical one.

Of annotated stories it is .8 to 1.3 within a video, and the scores explain most of that themselves.
"""

TYPICAL_LENGTH = math.exp(-0.2)
"""The typical length of a story relative to the mean length."""

TOLERANCE = 0.005
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

    def target(self, minutes: float, expected: float) -> float:
        """The target number of stories of a video, given the number expected from its scores."""
        apart = math.log(self.rate * minutes / expected)
        variance = DOUBT**2 + self.spread**2
        related, unrelated = _density(apart, variance), _density(apart, UNRELATED_SPREAD**2)
        weight = related / (related + unrelated) * DOUBT**2 / variance
        return expected * math.exp(weight * apart)


def with_priors(found: Posterior, rhythm: Rhythm, pace: Pace | None) -> Posterior:
    """The posterior with the prior of lengths, and with the number of stories that the pace
    suggests."""
    count = found.expected_count
    if pace:
        count = pace.target(rhythm.minutes, count)
    return with_count(found.scores + length_prior(found.scores.shape, rhythm, count), count)


def length_prior(shape: tuple[int, int], rhythm: Rhythm, stories: float) -> Array:
    """Log-probability, up to a constant, of each story's length given the number of stories:
    [shots, lengths]."""
    edges, stop = rhythm.edges, np.arange(shape[0])[:, None] + np.arange(shape[1]) + 1
    length = edges[np.minimum(stop, len(rhythm))] - edges[:-1, None]
    typical = TYPICAL_LENGTH * (edges[-1] - edges[0]) / stories
    apart = np.log(np.maximum(length, 1e-3) / typical)
    logs: Array = -(apart**2) / (2 * LENGTH_SPREAD**2)
    return logs


def with_count(scores: Array, stories: float) -> Posterior:
    """The posterior after a constant is added to all scores, so that this number is expected."""
    # The secant method, with limited steps where the number hardly depends on the scores.
    slope = 0.6
    found = posterior(scores)
    excess = math.log(found.expected_count / stories)
    for _ in range(20):
        if abs(excess) < TOLERANCE:
            break
        step = float(np.clip(-excess / slope, -2.0, 2.0))
        found = posterior(found.scores + step)
        before, excess = excess, math.log(found.expected_count / stories)
        slope = float(np.clip((excess - before) / step, 0.15, 2.0))
    return found


def _density(value: float, variance: float) -> float:
    return math.exp(-(value**2) / (2 * variance)) / math.sqrt(variance)
