"""Run the image network on keyframes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from storyscope.core import Keyframes, VisionOutput
from storyscope.features.backbone import Backbone
from storyscope.features.hypercolumns import hypercolumn_features
from storyscope.features.networks import CLASSES, SIZE
from storyscope.features.pictures import squared, squared_from_jpeg
from storyscope.progress import Report, Step, silent

BATCH = 4
"""Batch size: larger batches do not fit into a core's cache, and take longer per picture."""


def describe(
    keyframes: Keyframes, backbone: Backbone, *, full_map: bool = False, report: Report = silent
) -> VisionOutput:
    """Run every keyframe through the backbone."""
    return _joined(list(describe_parts(keyframes, backbone, full_map=full_map, report=report)))


def describe_parts(
    keyframes: Keyframes, backbone: Backbone, *, full_map: bool = False, report: Report = silent
) -> Iterator[VisionOutput]:
    """Run it on a few keyframes at a time, in order; yields at least one part."""
    pictures = (squared_from_jpeg(data, SIZE) for data in keyframes.pictures)
    return _described(pictures, len(keyframes), backbone, full_map, report)


def describe_pictures(
    pictures: Sequence[np.ndarray], backbone: Backbone, *, full_map: bool = False
) -> VisionOutput:
    """Run it on pictures in memory, uint8 [height, width, 3] each."""
    squares = (squared(rgb, SIZE) for rgb in pictures)
    return _joined(list(_described(squares, len(pictures), backbone, full_map, silent)))


def _described(
    squares: Iterator[np.ndarray], count: int, backbone: Backbone, full_map: bool, report: Report
) -> Iterator[VisionOutput]:
    if not count:
        yield _nothing(backbone, full_map)
    for done in range(0, count, BATCH):
        seen = backbone(np.stack(list(islice(squares, BATCH))))
        maps = seen.maps.reshape(len(seen.maps), -1) if full_map else seen.maps.mean(axis=(2, 3))
        yield VisionOutput(
            maps.astype(np.float16),
            seen.posteriors.astype(np.float16),
            hypercolumn_features(seen.columns).astype(np.float32),
            backbone.producer,
        )
        report(Step("vision", min(done + BATCH, count), count))


def _nothing(backbone: Backbone, full_map: bool) -> VisionOutput:
    width = backbone.channels * ((SIZE // 32) ** 2 if full_map else 1)
    return VisionOutput(
        np.zeros((0, width), np.float16),
        np.zeros((0, CLASSES), np.float16),
        np.zeros((0, 10), np.float32),
        backbone.producer,
    )


def _joined(parts: Sequence[VisionOutput]) -> VisionOutput:
    return VisionOutput(
        np.concatenate([part.maps for part in parts]),
        np.concatenate([part.posteriors for part in parts]),
        np.concatenate([part.hypercolumns for part in parts]),
        parts[0].producer,
    )
