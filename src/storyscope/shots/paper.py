"""The shot detector of the paper: Apostolidis and Mezaris (2014), on small frames.

The distance between neighbouring frames is half the distance of their HSV histograms and half the
share of local descriptors that find no match. A cut is a distance above a threshold; a gradual
transition is a hump in the distance's moving average: its derivative rises, then falls.

They match SURF points on full frames. A 48 x 27 frame is too small to find points in, so here a
SURF-like descriptor (sums of dx, |dx|, dy, |dy| over 3 x 3 cells) stands on every tile with some
texture, and may match any descriptor within two tiles of it in the next frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from storyscope.shots.sliding import sliding

CUT_DISTANCE = 0.45
HUMP_SLOPE = 0.005
AVERAGED = 21
"""Number of frames in the moving average."""
HUMP_REACH = 12
"""Number of frames from the inside of a gradual transition to where its hump rises and falls."""
REACH = AVERAGED // 2 + HUMP_REACH + 1
MATCH = 0.8
"""Cosine above which two descriptors match."""
TEXTURE = 12.0
"""Mean gradient, in grey levels, below which a tile has no descriptor."""
SEARCH = 2
BINS = 8 * 4 * 4


def score_frames(pixels: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    """Score every frame (cut, gradual, fade, wipe) as the paper's detector does."""
    return sliding(sliding(pixels, _distances, 1), _judge, REACH)


def _judge(distances: np.ndarray) -> np.ndarray:
    """Threshold the distance for cuts, and the slope of its moving average for gradual
    transitions."""
    count = len(distances) - 2 * REACH
    scores = np.zeros((count, 4), np.float32)
    scores[:, 0] = np.clip(distances[REACH : REACH + count] / (2 * CUT_DISTANCE), 0, 1)
    # A cut is a hump too: it is flattened here, so that it is not taken for a gradual one.
    quieter = np.minimum(np.roll(distances, 1), np.roll(distances, -1))
    calm = np.where(distances > CUT_DISTANCE, quieter, distances)
    average = np.convolve(calm, np.ones(AVERAGED) / AVERAGED, mode="valid")
    slope = np.diff(average)
    windows = np.lib.stride_tricks.sliding_window_view(slope, HUMP_REACH)
    rise, fall = windows.max(axis=1), windows.min(axis=1)
    inside = (rise[:count] > HUMP_SLOPE) & (fall[HUMP_REACH : HUMP_REACH + count] < -HUMP_SLOPE)
    scores[:, 1] = inside
    return scores


def _distances(rgb: np.ndarray) -> np.ndarray:
    """Distance of each frame to the one before it, for all but the first and the last."""
    histogram, (local, textured) = _histograms(rgb), _descriptors(rgb)
    colour = np.abs(np.diff(histogram, axis=0)).sum(axis=1) / 2
    unmatched = _unmatched(local, textured)
    return np.asarray((colour + unmatched) / 2, np.float32)[:-1]


def _histograms(rgb: np.ndarray) -> np.ndarray:
    """HSV histograms, 8 x 4 x 4 bins that sum to one."""
    n = len(rgb)
    pixels = rgb.reshape(n, -1, 3).astype(np.int32)
    value, low = pixels.max(axis=2), pixels.min(axis=2)
    chroma = value - low
    red, green, blue = pixels[..., 0], pixels[..., 1], pixels[..., 2]
    safe = np.maximum(chroma, 1)
    hue = np.where(
        value == red,
        (green - blue) / safe % 6,
        np.where(value == green, (blue - red) / safe + 2, (red - green) / safe + 4),
    )
    number = (hue * (8 / 6)).astype(np.int32) % 8
    number = number * 4 + np.minimum(chroma * 4 // np.maximum(value, 1), 3)
    number = number * 4 + value // 64
    number += (np.arange(n, dtype=np.int32) * BINS)[:, None]
    counts = np.bincount(number.ravel(), minlength=n * BINS).reshape(n, BINS)
    return np.asarray(counts / pixels.shape[1], np.float32)


def _descriptors(rgb: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit descriptors n x 7 x 14 x 36 of the inner tiles, and which tiles have texture."""
    grey = rgb.astype(np.float32).mean(axis=3)
    dy, dx = np.gradient(grey, axis=(1, 2))
    cells = np.stack([dx, np.abs(dx), dy, np.abs(dy)], axis=3)
    n = len(rgb)
    cells = cells.reshape(n, 9, 3, 16, 3, 4).sum(axis=(2, 4))
    around = [cells[:, y : y + 7, x : x + 14] for y in range(3) for x in range(3)]
    local = np.concatenate(around, axis=3)
    textured = (local[..., 1::4] + local[..., 3::4]).mean(axis=3) > TEXTURE
    return local / (np.linalg.norm(local, axis=3, keepdims=True) + 1e-6), textured


def _unmatched(local: np.ndarray, textured: np.ndarray) -> np.ndarray:
    """Share of a frame's descriptors without a match nearby in the frame before."""
    old = np.pad(local[:-1], ((0, 0), (SEARCH, SEARCH), (SEARCH, SEARCH), (0, 0)))
    new = local[1:]
    best = np.full(new.shape[:3], -1, np.float32)
    for y in range(2 * SEARCH + 1):
        for x in range(2 * SEARCH + 1):
            likeness = np.einsum("nyxd,nyxd->nyx", new, old[:, y : y + 7, x : x + 14])
            best = np.maximum(best, likeness)
    lost = ((best < MATCH) & textured[1:]).sum(axis=(1, 2))
    return np.asarray(lost / np.maximum(textured[1:].sum(axis=(1, 2)), 10), np.float32)
