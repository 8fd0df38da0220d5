"""The learned half of the fast detector: a small dilated network over measurements, in numpy.

    h_0 = relu(x W)        h_{i+1} = h_i + relu(h_i shifted by -d, 0, +d, times W_i)

with d doubling from layer to layer, so that each frame's scores see MARGIN frames either side.
Trained by `training/train_shots.py`; the weights are half floats beside this file.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import numpy as np

DILATIONS = (1, 2, 4, 8, 16)
MARGIN = sum(DILATIONS)
OUTPUTS = 4


def score(measurements: np.ndarray) -> np.ndarray:
    """Probabilities (n - 2 MARGIN) x (cut, gradual, fade, wipe) of n x CHANNELS measurements."""
    weights = _weights()
    h = np.maximum(measurements @ weights["enter"] + weights["enter_bias"], 0)
    for number, d in enumerate(DILATIONS):
        seen = np.concatenate([h[: -2 * d], h[d:-d], h[2 * d :]], axis=1)
        change = seen @ weights[f"layer{number}"] + weights[f"layer{number}_bias"]
        h = h[d:-d] + np.maximum(change, 0)
    logits = h @ weights["leave"] + weights["leave_bias"]
    return np.asarray(1 / (1 + np.exp(-logits.clip(-50, 50))), np.float32)


@cache
def _weights() -> dict[str, np.ndarray]:
    with (files("storyscope.shots") / "weights.npz").open("rb") as file, np.load(file) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}
