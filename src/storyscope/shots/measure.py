"""What is measured about every frame, from its small picture and its neighbours'.

Write x_t for frame t as 16 x 9 coloured tiles, z_t for its brightness alone with mean and
contrast taken out, h_t for its colour histogram. All numbers come from distances between frames
`lag` apart, centred on t, and from how far x_t lies off the midpoint of x_{t-k} and x_{t+k}:

    cut       every distance across t is large, none beside it
    dissolve  x_t is the midpoint, whatever k
    wipe      squared distance grows with the lag, where a dissolve's grows with its square
    fade      x_t loses its contrast
    motion    x changes, h hardly; light changes, z hardly
"""

from __future__ import annotations

import numpy as np

TILE_LAGS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
LAGS = (1, 2, 4, 8, 16, 32)
MIDPOINTS = (1, 2, 4, 8, 12, 16, 24)
SPARSE_LAGS = (1, 2, 8)
REACH = 24
"""Number of frames on either side that a frame's measurements depend on."""

CHANNELS = len(TILE_LAGS) + 2 * len(LAGS) + len(MIDPOINTS) + len(SPARSE_LAGS) + 5

TILE_COUNT, BINS = 16 * 9, 512
LUMA = np.array([0.299, 0.587, 0.114], np.float32)

# A sketch is a frame reduced to one row of numbers; these are its parts.
TILES = slice(0, 432)
"""Mean colours in [0, 1]."""
SHAPE = slice(432, 576)
"""Brightness of the tiles minus its mean, over its contrast, at unit length."""
HISTOGRAM = slice(576, 1088)
"""Square roots of colour frequencies."""
BRIGHTNESS, CONTRAST, COLOUR = 1088, 1089, 1090
SKETCH = 1091


def sketch(rgb: np.ndarray) -> np.ndarray:
    """Reduce frames to sketches: uint8 n x 27 x 48 x 3 to float32 n x SKETCH."""
    n = len(rgb)
    out = np.empty((n, SKETCH), np.float32)
    tiles = _tile_sums(rgb) * np.float32(1 / (9 * 255))
    luma = tiles @ LUMA
    mean = luma.mean(axis=1)
    luma -= mean[:, None]
    contrast = np.sqrt(np.einsum("ij,ij->i", luma, luma) / TILE_COUNT)
    out[:, TILES] = tiles.reshape(n, -1)
    # Below the noise of a dark picture there is no meaningful shape.
    out[:, SHAPE] = luma / ((contrast + 0.01) * np.float32(TILE_COUNT**0.5))[:, None]
    out[:, HISTOGRAM] = _histogram(rgb)
    out[:, BRIGHTNESS] = mean
    out[:, CONTRAST] = contrast
    red, green, blue = np.moveaxis(tiles, 2, 0)
    most, least = np.maximum(red, green), np.minimum(red, green)
    out[:, COLOUR] = (np.maximum(most, blue) - np.minimum(least, blue)).mean(axis=1)
    return out


def _tile_sums(rgb: np.ndarray) -> np.ndarray:
    """Three rows and then three columns added explicitly: `sum` takes three times as long."""
    rows = rgb.reshape(len(rgb), 9, 3, 144)
    rows = rows[:, :, 0].astype(np.uint16) + rows[:, :, 1] + rows[:, :, 2]
    columns = rows.reshape(len(rgb), TILE_COUNT, 3, 3)
    return np.asarray(columns[:, :, 0] + columns[:, :, 1] + columns[:, :, 2])


def _histogram(rgb: np.ndarray) -> np.ndarray:
    n = len(rgb)
    bins = rgb >> 5
    number = bins[..., 0].astype(np.int32) << 6
    number |= bins[..., 1].astype(np.int32) << 3
    number |= bins[..., 2]
    number = number.reshape(n, -1) + (np.arange(n, dtype=np.int32) * BINS)[:, None]
    counts = np.bincount(number.ravel(), minlength=n * BINS).reshape(n, BINS)
    return np.asarray(np.sqrt(counts / np.float32(number.shape[1])), np.float32)


def measure(sketches: np.ndarray) -> np.ndarray:
    """Measure the frames that have REACH neighbours on both sides: (n - 2 REACH) x CHANNELS."""
    count = len(sketches) - 2 * REACH
    tiles, now = sketches[:, TILES], sketches[REACH : REACH + count]
    steps = {lag: _distances(tiles, lag, count) for lag in TILE_LAGS}
    columns = [np.log(step + 0.004) + 3 for step in steps.values()]
    for part in (SHAPE, HISTOGRAM):
        columns += [np.log(_unlikeness(sketches[:, part], k, count) + 0.004) + 3 for k in LAGS]
    columns += [_off_midpoint(tiles, k, count) for k in MIDPOINTS]
    columns += [_sparseness(tiles, lag, steps[lag], count) for lag in SPARSE_LAGS]
    columns += [now[:, BRIGHTNESS] * 4 - 2, np.log(now[:, CONTRAST] + 0.01) + 2]
    columns += [now[:, COLOUR] * 4 - 1]
    columns += [_contrast_dip(sketches[:, CONTRAST], k, count) for k in (8, 20)]
    return np.stack(columns, axis=1)


def _pair(vectors: np.ndarray, lag: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """For each measured frame t, the frame before and the frame after that are `lag` apart.

    An odd lag leans back, so that lag 1 compares t-1 with t: the two sides of a cut at t.
    """
    before, after = REACH - (lag + 1) // 2, REACH + lag // 2
    return vectors[before : before + count], vectors[after : after + count]


def _distances(vectors: np.ndarray, lag: int, count: int) -> np.ndarray:
    """Root mean square difference across every frame."""
    before, after = _pair(vectors, lag, count)
    change = after - before
    squared = np.einsum("ij,ij->i", change, change)
    return np.asarray(np.sqrt(squared / vectors.shape[1]), np.float32)


def _unlikeness(vectors: np.ndarray, lag: int, count: int) -> np.ndarray:
    """Half the squared difference: one minus the cosine if both have unit length."""
    before, after = _pair(vectors, lag, count)
    change = after - before
    return np.asarray(np.einsum("ij,ij->i", change, change) / 2, np.float32)


def _off_midpoint(tiles: np.ndarray, k: int, count: int) -> np.ndarray:
    """|x_t - (x_{t-k} + x_{t+k}) / 2| over |x_{t+k} - x_{t-k}|; a cut gives 0.5."""
    before, after = _pair(tiles, 2 * k, count)
    now = tiles[REACH : REACH + count]
    off, span = 2 * now - before - after, after - before
    ratio = np.einsum("ij,ij->i", off, off) / (np.einsum("ij,ij->i", span, span) + 0.02)
    return np.asarray(np.sqrt(np.minimum(ratio, 16)) - 1, np.float32)


def _sparseness(tiles: np.ndarray, lag: int, rms: np.ndarray, count: int) -> np.ndarray:
    """Mean change over root mean square change: 1 if all tiles change alike, less if few do."""
    before, after = _pair(tiles, lag, count)
    mean = np.abs(after - before).mean(axis=1)
    return np.asarray(4 * mean / (rms + 0.003) - 2.5, np.float32)


def _contrast_dip(contrast: np.ndarray, k: int, count: int) -> np.ndarray:
    before, after = _pair(contrast, 2 * k, count)
    now = contrast[REACH : REACH + count]
    return np.asarray(np.log((now + 0.01) / (np.minimum(before, after) + 0.01)), np.float32)
