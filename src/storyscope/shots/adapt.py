"""Learn from transitions that a person rejected: the second look becomes stricter where they lie.

Only the last layer of the second network changes, and no further from the one that ships than the
examples ask for:  minimise  sum of cross-entropies + STIFFNESS / 2 * |w - w0|^2
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from storyscope.core.logistic import sigmoid
from storyscope.shots.confirm import hidden
from storyscope.shots.weights import load_weights

STIFFNESS = 1.0
ROUNDS = 20


def adapt(examples: Sequence[tuple[np.ndarray, bool]]) -> dict[str, np.ndarray]:
    """The weights of the second network after training on examples: features, and whether each is a
    transition."""
    shipped = load_weights()
    h = np.stack([np.append(hidden(features, shipped), 1.0) for features, _ in examples])
    y = np.array([float(real) for _, real in examples])
    start = np.append(shipped["confirm_leave"][:, 0], shipped["confirm_leave_bias"])
    w = start.astype(float)
    for _ in range(ROUNDS):
        chance = sigmoid(h @ w)
        slope = h.T @ (chance - y) + STIFFNESS * (w - start)
        curve = (h.T * (chance * (1 - chance))) @ h + STIFFNESS * np.eye(len(w))
        step = np.linalg.solve(curve, slope)
        # If the network is very confident, a full Newton step can overshoot.
        lengths = [0.5**k for k in range(12)]
        w = min((w - length * step for length in lengths), key=lambda v: _cost(v, h, y, start))
    return {
        **_second_look(shipped),
        "confirm_leave": w[:-1, None].astype(np.float32),
        "confirm_leave_bias": w[-1:].astype(np.float32),
    }


def _cost(w: np.ndarray, h: np.ndarray, y: np.ndarray, start: np.ndarray) -> float:
    logits = h @ w
    entropy = np.logaddexp(0, logits) - y * logits
    return float(entropy.sum() + STIFFNESS / 2 * ((w - start) ** 2).sum())


def _second_look(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: value for name, value in weights.items() if name.startswith("confirm_")}
