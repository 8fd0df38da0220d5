"""Train on far fewer numbers per shot, and get exactly the same network.

With N training shots of D > N numbers, X = R Q for the Cholesky factor R (N x N) of X X^T and a Q
with orthonormal rows. The first layer computes X W = R (Q W), so it can use W' = Q W on R instead:
gradients agree (Q X^T G = R^T G), and so do momentum and weight decay. The part of W outside the
span of the training shots gets no gradient; weight decay shrinks all of it by the same factor, and
it is restored at the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

JITTER = 1e-10
"""Share of the mean variance added to the diagonal, because repeated shots have no factor."""
BLOCK = 4096
"""Number of columns that are restored at once."""


@dataclass(frozen=True, eq=False)
class Shrunk:
    """Training rows in fewer columns, and the transformation back."""

    rows: np.ndarray
    """R, [shots, shots]."""
    basis: np.ndarray
    """Q, [shots, columns]; its rows are orthonormal."""

    def project(self, weight: np.ndarray) -> np.ndarray:
        """The part of a first layer [columns, neurons] that training can change."""
        projected: np.ndarray = self.basis @ weight
        return projected

    def restore(self, trained: np.ndarray, first: np.ndarray, decay: float) -> np.ndarray:
        """The first layer over all columns: the trained part, and the part that only decayed.

        Q' trained + decay (first - Q' Q first), written over `first`, which is the largest array.
        """
        change = trained - decay * self.project(first)
        for start in range(0, len(first), BLOCK):
            part = slice(start, start + BLOCK)
            first[part] *= decay
            first[part] += self.basis[:, part].T @ change
        return first


def shrink(rows: np.ndarray) -> Shrunk:
    """The Cholesky factor of X X^T, which replaces X."""
    products = rows @ rows.T
    jitter = JITTER * float(np.trace(products)) / len(rows)
    factor = np.linalg.cholesky(products + jitter * np.eye(len(rows)))
    return Shrunk(factor, np.linalg.solve(factor, rows))


def decay_outside_span(steps_at: list[float], *, weight_decay: float, momentum: float) -> float:
    """The factor by which SGD with momentum shrinks a weight that only weight decay acts on.

    v <- momentum v + weight_decay w; w <- w - rate v, for each learning rate in turn.
    """
    weight, speed = 1.0, 0.0
    for rate in steps_at:
        speed = momentum * speed + weight_decay * weight
        weight -= rate * speed
    return weight
