"""A video's keyframes put together shot by shot, and which story they belong to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from storyscope.core import Passages, Story
from storyscope.search.passages import TOP_CLASSES


def owner_of(seconds: np.ndarray, stories: Sequence[Story]) -> np.ndarray:
    """The number of the story that each time lies in, -1 for none."""
    starts = np.array([story.span.start for story in stories])
    ends = np.array([story.span.end for story in stories])
    found = np.searchsorted(starts, seconds, side="right") - 1
    if not len(ends):
        return found
    return np.where((found >= 0) & (seconds < ends[found]), found, -1)


def shot_classes(passages: Passages) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For every shot with pictures: when, its likeliest classes, and their mean shares."""
    shots, starts, counts = np.unique(passages.shots, return_index=True, return_counts=True)
    classes = np.zeros((len(shots), TOP_CLASSES), np.uint16)
    shares = np.zeros((len(shots), TOP_CLASSES), np.float16)
    if len(shots):
        rows, numbers, totals = _summed(passages, counts)
        best = np.lexsort((numbers, -totals, rows))
        rank = np.arange(len(best)) - np.searchsorted(rows[best], rows[best])
        best, rank = best[rank < TOP_CLASSES], rank[rank < TOP_CLASSES]
        classes[rows[best], rank] = numbers[best]
        shares[rows[best], rank] = totals[best] / counts[rows[best]]
    return passages.seconds[starts + counts // 2], classes, shares


def shot_looks(passages: Passages, dimensions: int) -> tuple[np.ndarray, np.ndarray]:
    """For every shot with pictures: where it lies in the image-text space, and its best rival.

    Nothing describes the shots of a video that was filed without that network, or with another.
    """
    shots, starts = np.unique(passages.shots, return_index=True)
    if not len(shots) or passages.looks.shape != (len(passages.shots), dimensions):
        return np.zeros((len(shots), dimensions), np.float32), np.full(len(shots), 2, np.float32)
    totals = np.add.reduceat(passages.looks.astype(np.float32), starts, axis=0)
    lengths = np.maximum(np.linalg.norm(totals, axis=1, keepdims=True), 1e-9)
    counts = np.diff([*starts, len(passages.shots)])
    return totals / lengths, np.add.reduceat(passages.best_rivals, starts) / counts


def _summed(passages: Passages, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each class that a shot's pictures have, once: the shot's row, the class, the sum of shares.

    `counts` are the pictures of each shot.
    """
    of_picture = np.repeat(np.arange(len(counts)), counts)
    rows = np.repeat(of_picture, passages.classes.shape[1])
    pairs = rows * (1 << 16) + passages.classes.ravel()
    order = np.argsort(pairs, kind="stable")
    pairs = pairs[order]
    starts = np.flatnonzero(np.diff(pairs, prepend=-1))
    totals = np.add.reduceat(passages.shares.ravel()[order].astype(float), starts)
    return pairs[starts] >> 16, pairs[starts] & 0xFFFF, totals
