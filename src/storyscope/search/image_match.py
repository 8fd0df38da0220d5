"""How well a text fits a picture, and the probability that it describes it.

A cosine alone says little: some pictures are close to every text. So a text is compared with the
thousand class names (does it fit this picture better than they do?), and the cosine by ConSE is
added:

    fit = cosine + CONTRAST (cosine - mean) / deviation + CLASSES class_cosine

with mean and deviation over those names. The weights, the threshold and the slope were chosen by a
grid search on tuning queries alone (`python -m benchmarks.search.fit_pictures` prints them);
`python -m benchmarks.search.photographs` measures them.
"""

from __future__ import annotations

import numpy as np

from storyscope.core.logistic import sigmoid

MIN_PROBABILITY = 0.16
"""Probability at the threshold of a match, equal to `scores.MIN_SCORE`."""
CONTRAST, CLASSES = 1 / 30, 0.1
MIN_FIT, SLOPE = 0.379, 24.0
"""The fit at the threshold, and the slope of the log-odds."""
NOT_ENCODED = -1.0
"""Probability of a picture that was not encoded by the image-text network."""


def background(pictures: np.ndarray, names: np.ndarray) -> np.ndarray:
    """float32 [pictures, 2]: mean and standard deviation of each picture's cosines with all names.

    Both are 0 for a row of zeros, which is a picture that was not encoded.
    """
    if not len(pictures):
        return np.zeros((0, 2), np.float32)
    cosines = pictures.astype(np.float32) @ names.T
    return np.stack([cosines.mean(axis=1), cosines.std(axis=1)], axis=1).astype(np.float32)


def match_probability(
    cosines: np.ndarray, backgrounds: np.ndarray, class_cosines: np.ndarray | float = 0.0
) -> np.ndarray:
    """Probability that a text describes each image; `NOT_ENCODED` for those without a vector."""
    mean, deviation = backgrounds[:, 0], backgrounds[:, 1]
    seen = deviation > 0
    stands_out = (cosines - mean) / np.where(seen, deviation, 1)
    fit = cosines + CONTRAST * stands_out + CLASSES * class_cosines
    log_odds = SLOPE * (fit - MIN_FIT) + np.log(MIN_PROBABILITY / (1 - MIN_PROBABILITY))
    return np.where(seen, sigmoid(log_odds), NOT_ENCODED)
