"""Ten numbers that describe how a picture activates the five resolutions of a network.

Each map M (s x s) is enlarged to l x l by bilinear interpolation and weighted by a Gaussian g g'
centred on the picture; its mean and standard deviation are the features (paper, "Thumbnail
selection"). Enlarging and weighting are both separable, W = A M A' with A = diag(g) R, so neither
needs the enlarged map:

    sum W   = a' M a        with a = A' 1
    sum W^2 = tr(K M K M')  with K = A' A
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

SIGMA = 0.3
"""sigma_b of the paper: width of the Gaussian as a share of the picture."""
ENLARGED = 224


def hypercolumn_features(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Mean and standard deviation of each map, [n, 2 * maps] float32; maps are [n, s, s]."""
    numbers = []
    for maps in columns:
        total, gram = _weights(maps.shape[-1])
        maps = maps.astype(np.float64)
        mean = np.einsum("i,nij,j->n", total, maps, total) / ENLARGED**2
        turned = gram @ maps @ gram
        square = (turned * maps).sum(axis=(1, 2)) / ENLARGED**2
        numbers += [mean, np.sqrt(np.maximum(square - mean**2, 0.0))]
    return np.stack(numbers, axis=1).astype(np.float32)


def gaussian(length: int) -> np.ndarray:
    """One side of the centred Gaussian, scaled so that its average over the picture is one."""
    offset = np.arange(length) - (length - 1) / 2
    values = np.exp(-0.5 * (offset / (SIGMA * length)) ** 2)
    return np.asarray(values / values.mean())


def bilinear(size: int, length: int) -> np.ndarray:
    """The matrix [length, size] that enlarges by bilinear interpolation, pixel centres aligned."""
    at = np.clip((np.arange(length) + 0.5) * size / length - 0.5, 0, size - 1)
    left = np.minimum(at.astype(int), max(size - 2, 0))
    matrix = np.zeros((length, size))
    rows = np.arange(length)
    matrix[rows, left] = 1 - (at - left)
    matrix[rows, np.minimum(left + 1, size - 1)] += at - left
    return matrix


@cache
def _weights(size: int) -> tuple[np.ndarray, np.ndarray]:
    side = gaussian(ENLARGED)[:, None] * bilinear(size, ENLARGED)
    return side.sum(axis=0), side.T @ side
