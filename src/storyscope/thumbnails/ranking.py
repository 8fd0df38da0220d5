"""A linear ranking SVM: from pairs of (better, worse) to one weight per feature.

    min over w of 1/2 |w - w0|^2 + sum over pairs of C max(0, 1 - w . x),   x = better - worse

w0 is zero for a first training (the paper's `eq:svm-rank`) and the old weights when it is refined
by a person's choices. It is solved exactly in its dual, one pair at a time (Hsieh et al. 2008): w =
w0 + sum a x with every a in [0, C], until the two objectives meet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

TOLERANCE = 1e-4
"""Relative gap between the objectives at which the training stops."""
MOST_ROUNDS = 2000


@dataclass(frozen=True, eq=False)
class Fit:
    """The weights, and a bound on their distance from the optimum."""

    weights: np.ndarray
    objective: float
    gap: float
    """The optimum is at most this far below `objective`."""


def fit_ranking(
    better: np.ndarray,
    worse: np.ndarray,
    *,
    cost: float | np.ndarray = 1.0,
    start: np.ndarray | None = None,
    tolerance: float = TOLERANCE,
    seed: int = 0,
) -> Fit:
    """Weights that rank each row of `better` above its row of `worse`, if that is possible.

    `cost` is the C of every pair, or of each.
    """
    pairs = np.asarray(better, np.float64) - np.asarray(worse, np.float64)
    origin = np.zeros(pairs.shape[1]) if start is None else np.asarray(start, np.float64)
    weights = origin.copy()
    duals, most = np.zeros(len(pairs)), np.broadcast_to(cost, len(pairs))
    lengths = np.maximum((pairs**2).sum(axis=1), 1e-12)
    chance = np.random.default_rng(seed)
    for _ in range(MOST_ROUNDS):
        for pair in chance.permutation(len(pairs)).tolist():
            row = pairs[pair]
            wanted = duals[pair] + (1.0 - float(row @ weights)) / lengths[pair]
            moved = min(max(wanted, 0.0), most[pair]) - duals[pair]
            if moved:
                duals[pair] += moved
                weights += moved * row
        objective = ranking_objective(weights, pairs, cost=cost, start=origin)
        gap = objective - _dual(duals, pairs, origin)
        if gap <= tolerance * max(objective, 1e-12):
            break
    return Fit(weights, objective, gap)


def ranking_objective(
    weights: np.ndarray,
    pairs: np.ndarray,
    *,
    cost: float | np.ndarray,
    start: np.ndarray | None = None,
) -> float:
    """The objective; `pairs` are the differences better - worse."""
    origin = np.zeros(len(weights)) if start is None else start
    slack = np.maximum(0.0, 1.0 - pairs @ weights)
    return float(0.5 * ((weights - origin) ** 2).sum() + (cost * slack).sum())


def swapped_share(better: np.ndarray, worse: np.ndarray) -> float:
    """Share of pairs in the wrong order; a tie counts as half."""
    if not len(better):
        return 0.0
    wrong = (better < worse).sum() + 0.5 * (better == worse).sum()
    return float(wrong) / len(better)


def _dual(duals: np.ndarray, pairs: np.ndarray, origin: np.ndarray) -> float:
    moved = duals @ pairs
    return float(duals.sum() - moved @ origin - 0.5 * moved @ moved)
