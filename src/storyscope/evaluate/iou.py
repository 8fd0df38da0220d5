"""Mean intersection over union of two segmentations (`eq:iou` of the paper)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from storyscope.core import Segmentation
from storyscope.errors import AnnotationError


class BestOverlaps(NamedTuple):
    """For every story, the IoU of the story of the other segmentation that fits it best."""

    first: np.ndarray
    """One number for each story of the first segmentation."""
    second: np.ndarray
    """One number for each story of the second."""


def mean_iou(a: Segmentation, b: Segmentation) -> float:
    """Similarity of two segmentations of the same positions: 1 if equal, symmetric.

    (mean over a of max over b of IoU + mean over b of max over a of IoU) / 2
    """
    overlaps = best_overlaps(a, b)
    return float(overlaps.first.mean() + overlaps.second.mean()) / 2


def best_overlaps(a: Segmentation, b: Segmentation) -> BestOverlaps:
    """The best IoU of every story of `a` among those of `b`, and the other way round."""
    require_same_end(a, b)
    a_edges, b_edges = np.array(a.edges), np.array(b.edges)
    # Between two neighbouring edges of either, one story of each overlaps: only these
    # len(a) + len(b) - 1 pairs have an IoU above zero.
    edges = np.union1d(a_edges, b_edges)
    a_story = np.searchsorted(a_edges, edges[:-1], side="right") - 1
    b_story = np.searchsorted(b_edges, edges[:-1], side="right") - 1
    shared = np.diff(edges)
    iou = shared / (np.diff(a_edges)[a_story] + np.diff(b_edges)[b_story] - shared)
    return BestOverlaps(
        np.maximum.reduceat(iou, np.searchsorted(edges, a_edges[:-1])),
        np.maximum.reduceat(iou, np.searchsorted(edges, b_edges[:-1])),
    )


def require_same_end(a: Segmentation, b: Segmentation) -> None:
    """Raise an error for segmentations of different lengths."""
    if a.end != b.end:
        raise AnnotationError(
            f"two segmentations of the same video end at the same position, got {a.end} and "
            f"{b.end}; count both in the same unit, to the same end"
        )
