"""The logistic function, which turns log-odds into probabilities."""

from __future__ import annotations

import numpy as np


def sigmoid(log_odds: np.ndarray) -> np.ndarray:
    """Probabilities of log-odds, which are clipped at 50 to avoid overflow."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(log_odds, -50.0, 50.0))))
