"""Keyframes -> what the image network sees in each."""

from __future__ import annotations

import numpy as np

from storyscope.core import Keyframes, VisionOutput
from storyscope.features.backbone import Backbone
from storyscope.features.hypercolumns import hypercolumn_features
from storyscope.features.networks import CLASSES, SIZE
from storyscope.features.pictures import from_jpeg, squared
from storyscope.progress import Report, Step, silent

BATCH = 8


def describe(
    keyframes: Keyframes, backbone: Backbone, *, full_map: bool = False, report: Report = silent
) -> VisionOutput:
    """Run every keyframe through the backbone, a few at a time."""
    count = len(keyframes)
    width = backbone.channels * ((SIZE // 32) ** 2 if full_map else 1)
    maps = np.zeros((count, width), np.float16)
    posteriors = np.zeros((count, CLASSES), np.float16)
    hypercolumns = np.zeros((count, 10), np.float32)
    for start in range(0, count, BATCH):
        rows = slice(start, min(start + BATCH, count))
        seen = backbone(
            np.stack([squared(from_jpeg(data), SIZE) for data in keyframes.pictures[rows]])
        )
        maps[rows] = seen.maps.reshape(-1, width) if full_map else seen.maps.mean(axis=(2, 3))
        posteriors[rows] = seen.posteriors
        hypercolumns[rows] = hypercolumn_features(seen.columns)
        report(Step("vision", rows.stop, count))
    return VisionOutput(maps, posteriors, hypercolumns, backbone.producer)
