"""The minimum description length method finds planted stories and is optimal."""

import math
from itertools import combinations, pairwise

import numpy as np
import pytest

from storyscope.baselines.mdl import _scaled, shortest_description
from storyscope.core import Segmentation


def planted(lengths, *, seed, dimensions=12, noise=0.3):
    random = np.random.default_rng(seed)
    means = np.repeat(random.normal(size=(len(lengths), dimensions)), lengths, axis=0)
    return means + noise * random.normal(size=means.shape)


@pytest.mark.parametrize("seed", range(4))
def test_planted_stories_are_found(seed):
    lengths = [6, 9, 4, 12, 7]
    truth = Segmentation.from_cuts(np.cumsum(lengths)[:-1].tolist(), sum(lengths))
    assert shortest_description(planted(lengths, seed=seed)) == truth


def test_unrelated_shots_are_not_one_story_each():
    rows = np.random.default_rng(0).normal(size=(60, 40))
    assert len(shortest_description(rows)) < 5


@pytest.mark.parametrize("seed", range(3))
def test_no_other_way_takes_fewer_bits(seed):
    vectors = planted([3, 2, 3], seed=seed, dimensions=3, noise=0.6)
    rows = _scaled(vectors)
    count = len(rows)
    ways = (cuts for k in range(count) for cuts in combinations(range(1, count), k))
    best = min(ways, key=lambda cuts: bits(rows, cuts))
    assert shortest_description(vectors) == Segmentation.from_cuts(list(best), count)


def bits(rows, cuts):
    """The code length by the joint normal distribution of the shots of each story."""
    spread = np.maximum(rows.var(axis=0) - 1, 1e-9)
    total = 0.0
    for first, end in pairwise([0, *cuts, len(rows)]):
        total += math.log2(len(rows))
        for column, varies in zip(rows[first:end].T, spread, strict=True):
            covariance = np.eye(end - first) + varies
            distance = column @ np.linalg.solve(covariance, column)
            total += (np.linalg.slogdet(covariance)[1] + distance) / (2 * math.log(2))
    return total
