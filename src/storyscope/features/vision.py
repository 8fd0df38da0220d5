"""Keyframes -> what the image network sees in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from storyscope.core import Keyframes, VisionOutput
from storyscope.features.backbone import Backbone
from storyscope.features.hypercolumns import hypercolumn_features
from storyscope.features.networks import CLASSES, SIZE
from storyscope.features.pictures import from_jpeg, squared
from storyscope.progress import Report, Step, silent

BATCH = 4
"""More pictures at once no longer fit into a core's cache, and take longer each."""


def describe(
    keyframes: Keyframes, backbone: Backbone, *, full_map: bool = False, report: Report = silent
) -> VisionOutput:
    """Run every keyframe through the backbone, a few at a time."""
    pictures = (from_jpeg(data) for data in keyframes.pictures)
    return _described(pictures, len(keyframes), backbone, full_map=full_map, report=report)


def describe_pictures(
    pictures: Sequence[np.ndarray], backbone: Backbone, *, full_map: bool = False
) -> VisionOutput:
    """The same for pictures in memory, uint8 [height, width, 3] each."""
    return _described(iter(pictures), len(pictures), backbone, full_map=full_map, report=silent)


def _described(
    pictures: Iterator[np.ndarray],
    count: int,
    backbone: Backbone,
    *,
    full_map: bool,
    report: Report,
) -> VisionOutput:
    width = backbone.channels * ((SIZE // 32) ** 2 if full_map else 1)
    maps = np.zeros((count, width), np.float16)
    posteriors = np.zeros((count, CLASSES), np.float16)
    hypercolumns = np.zeros((count, 10), np.float32)
    for start in range(0, count, BATCH):
        rows = slice(start, min(start + BATCH, count))
        seen = backbone(np.stack([squared(rgb, SIZE) for rgb in islice(pictures, BATCH)]))
        maps[rows] = seen.maps.reshape(-1, width) if full_map else seen.maps.mean(axis=(2, 3))
        posteriors[rows] = seen.posteriors
        hypercolumns[rows] = hypercolumn_features(seen.columns)
        report(Step("vision", rows.stop, count))
    return VisionOutput(maps, posteriors, hypercolumns, backbone.producer)
