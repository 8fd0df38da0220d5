"""How C is chosen when nobody gives it."""

from __future__ import annotations

import math

import numpy as np

from storyscope.stories.cluster_path import Hull, story_pressure
from storyscope.stories.cluster_runs import Array

PAPER_STEP = 0.001

AUTO_FACTOR = 1.0


def paper_penalty(hull: Hull) -> float:
    """The smallest multiple of .001 that leaves fewer stories than rows.

    One story a row costs C g(n - 1) and leaves no scatter, so it loses to m change points as soon
    as C >= D[m] / (g(n - 1) - g(m)), and the smallest such C is the least of these ratios. Only
    corners of the hull can attain it: whenever anything beats one story a row, a corner does.
    """
    shots = hull.row_count
    if hull.corners[-1].m < shots - 1 or shots == 1:
        return PAPER_STEP
    all_apart = float(story_pressure(shots - 1, shots))
    while True:
        fewer = hull.corners[:-1]
        saved = all_apart - story_pressure(np.array([corner.m for corner in fewer]), shots)
        lowest = float((np.array([corner.scatter for corner in fewer]) / saved).min())
        # Whatever lowers the ratio is cheaper at this C than one story a row.
        if not hull.look_for_cheaper(lowest, than=lowest * all_apart * (1 - 1e-12)):
            return max(1, math.ceil(lowest / PAPER_STEP - 1e-9)) * PAPER_STEP


def auto_penalty(vectors: Array) -> float:
    """C in proportion to how much neighbouring shots differ."""
    steps = np.diff(vectors, axis=0)
    restless = 0.5 * np.einsum("ij,ij->i", steps, steps)
    restless = restless[restless > 0]
    return AUTO_FACTOR * float(np.median(restless)) if len(restless) else 0.0
