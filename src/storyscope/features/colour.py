"""Colour: histograms of the keyframes, averaged over the shot."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from storyscope.config import FeatureConfig
from storyscope.core import Features, Keyframes
from storyscope.features.extractor import Material
from storyscope.features.keyframes import rows_of_shots
from storyscope.features.pictures import small_from_jpeg

HUES = 180
COLOUR_BINS = (16, 4, 4)
REDUCED_HEIGHT = 64
"""Maximum number of pixels for histograms, which need no more."""


def hue(material: Material, config: FeatureConfig) -> Features | None:
    """Share of the pixels in each of 180 hues; grey counts as hue 0."""
    return _averaged(
        "hue", material, lambda hsv: np.bincount(hsv[:, 0] // 2 % HUES, minlength=HUES)
    )


def colour(material: Material, config: FeatureConfig) -> Features | None:
    """Joint histogram of hue, saturation and value, 16 x 4 x 4."""
    return _averaged("colour", material, _joint)


def keyframe_colours(keyframes: Keyframes) -> np.ndarray:
    """The joint histogram of every keyframe, [n, 256], each summing to one."""
    if not len(keyframes):
        return np.zeros((0, int(np.prod(COLOUR_BINS))), np.float32)
    return np.stack([_share(_joint(_hsv(small_from_jpeg(data)))) for data in keyframes.pictures])


def _averaged(
    name: str, material: Material, histogram: Callable[[np.ndarray], np.ndarray]
) -> Features | None:
    keyframes = material.keyframes
    if keyframes is None or not len(keyframes):
        return None
    pictures = np.stack(
        [_share(histogram(_hsv(small_from_jpeg(data)))) for data in keyframes.pictures]
    )
    vectors = np.zeros((len(material.shots), pictures.shape[1]), np.float32)
    for number, own in enumerate(rows_of_shots(keyframes, material.shots)):
        vectors[number] = pictures[own].mean(axis=0)
    return Features(name, vectors, f"{name} histogram 1")


def _joint(hsv: np.ndarray) -> np.ndarray:
    hues, saturations, values = COLOUR_BINS
    cell = (hsv[:, 0] * hues // 360 * saturations + hsv[:, 1] * saturations // 256) * values
    return np.bincount(cell + hsv[:, 2] * values // 256, minlength=hues * saturations * values)


def _share(counts: np.ndarray) -> np.ndarray:
    return np.asarray(counts / counts.sum(), np.float32)


def _hsv(rgb: np.ndarray) -> np.ndarray:
    """Hue in [0, 360), saturation and value in [0, 256), int32 [pixels, 3]."""
    step = max(1, rgb.shape[0] // REDUCED_HEIGHT)
    red, green, blue = rgb[::step, ::step].reshape(-1, 3).astype(np.int32).T
    value = np.maximum(np.maximum(red, green), blue)
    spread = value - np.minimum(np.minimum(red, green), blue)
    safe = np.maximum(spread, 1)
    turn = np.select(
        [spread == 0, value == red, value == green],
        [0, 60 * (green - blue) // safe % 360, 120 + 60 * (blue - red) // safe],
        240 + 60 * (red - green) // safe,
    )
    return np.stack([turn % 360, 255 * spread // np.maximum(value, 1), value], axis=1)
