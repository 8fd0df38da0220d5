"""Quality of a frame from its pixels alone, each measure from 0 (worst) to 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SHARPNESS_REACH = 9
"""Number of pixels in the blur that measures sharpness."""
DARK, BRIGHT = 24, 232
"""Luma below and above which a pixel counts as black or white."""
FULL_SPREAD = 64.0
"""Luma range from the 5th to the 95th percentile of a frame that is not fog."""
ENTROPY_BINS = 64


@dataclass(frozen=True)
class Quality:
    """Technical quality of a frame, independent of its content."""

    sharpness: float
    """Share of detail that a blur removes; it is small if the frame is already blurred."""
    exposure: float
    """Share of pixels neither black nor white, reduced if the whole frame is one grey."""
    entropy: float
    """Entropy of the luma histogram."""
    variety: float
    """Share of pixels that differ from the frame's most common colour; low for text on a
    background."""


def measure_quality(rgb: np.ndarray) -> Quality:
    """Measure uint8 [height, width, 3]."""
    weights = np.array([0.299, 0.587, 0.114], np.float32)
    luma = (rgb.reshape(-1, 3).astype(np.float32) @ weights).reshape(rgb.shape[:2])
    return Quality(
        sharpness=min(_sharpness(luma[::2]), _sharpness(luma[:, ::2].T)),
        exposure=_exposure(luma[::2, ::2]),
        entropy=_entropy(luma[::2, ::2]),
        variety=_variety(rgb[::4, ::4]),
    )


def _sharpness(luma: np.ndarray) -> float:
    """Share of the differences between neighbours in a row that averaging the row removes.

    After Crete et al. 2007: comparing a picture with its own blur cancels out its content.
    """
    reach = SHARPNESS_REACH
    if luma.shape[1] <= reach + 1:
        return 0.0
    before = np.abs(np.diff(luma, axis=1))[:, reach // 2 : -(reach // 2)]
    # Neighbouring averages over `reach` pixels differ by what leaves and what enters.
    after = np.abs(luma[:, reach:] - luma[:, :-reach]) / reach
    lost = np.maximum(0, before - after)
    total = float(before.sum())
    # A frame without any differences is blank, not sharp.
    return float(lost.sum()) / total if total > 0.1 * before.size else 0.0


def _exposure(luma: np.ndarray) -> float:
    shown = float(((luma >= DARK) & (luma <= BRIGHT)).mean())
    low, high = np.percentile(luma, [5, 95])
    return shown * min(1.0, float(high - low) / FULL_SPREAD)


def _entropy(luma: np.ndarray) -> float:
    counts = np.bincount((luma.ravel() * (ENTROPY_BINS / 256)).astype(int), minlength=ENTROPY_BINS)
    shares = counts[counts > 0] / luma.size
    return float(-(shares * np.log2(shares)).sum() / np.log2(ENTROPY_BINS))


def _variety(rgb: np.ndarray) -> float:
    red, green, blue = np.ascontiguousarray(rgb.reshape(-1, 3).T).astype(np.int32) >> 4
    commonest = int(np.bincount((red << 8) + (green << 4) + blue).argmax())
    near = np.abs(red - (commonest >> 8)) <= 1
    near &= np.abs(green - (commonest >> 4 & 15)) <= 1
    near &= np.abs(blue - (commonest & 15)) <= 1
    return 1.0 - float(near.mean())
