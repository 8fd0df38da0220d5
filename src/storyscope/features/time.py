"""Time: when a shot is, and how long."""

from __future__ import annotations

import numpy as np

from storyscope.config import FeatureConfig
from storyscope.core import Features
from storyscope.features.extractor import Material


def time(material: Material, config: FeatureConfig) -> Features | None:
    """Middle and length of the shot, in seconds."""
    rows = [(shot.span.middle, shot.span.length) for shot in material.shots]
    return Features("time", np.array(rows, np.float32).reshape(-1, 2), "middle and length 1")
