"""The learned part of the fast detector: a small dilated network over measurements, in numpy.

h_0 = relu(x W) and h_{i+1} = h_i + relu(h_i shifted by -d, 0, +d, times W_i), with d doubling from
layer to layer, so that each frame's scores depend on MARGIN frames on either side. It is trained by
`training/train_shots.py`; its weights are stored as half floats (see weights.py).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from storyscope.core.logistic import sigmoid
from storyscope.shots.weights import load_weights

DILATIONS = (1, 2, 4, 8, 16)
MARGIN = sum(DILATIONS)
OUTPUTS = 4


def score(measurements: np.ndarray, weights: Mapping[str, np.ndarray] | None = None) -> np.ndarray:
    """Probabilities (n - 2 MARGIN) x (cut, gradual, fade, wipe) of n x CHANNELS measurements.

    Training passes its own `weights`; by default those in the package are used.
    """
    weights = weights or load_weights()
    h = np.maximum(measurements @ weights["enter"] + weights["enter_bias"], 0)
    for number, d in enumerate(DILATIONS):
        seen = np.concatenate([h[: -2 * d], h[d:-d], h[2 * d :]], axis=1)
        change = seen @ weights[f"layer{number}"] + weights[f"layer{number}_bias"]
        h = h[d:-d] + np.maximum(change, 0)
    logits = h @ weights["leave"] + weights["leave_bias"]
    return sigmoid(logits).astype(np.float32)
