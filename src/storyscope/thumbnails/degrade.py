"""Degrade a good frame, in ways that occur in films.

Pairs of a frame and a degraded copy train a ranker without human labels, and measure how often it
is wrong.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Degradation = Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]
"""(picture, another picture of the film, random generator) -> degraded picture; uint8 [height,
width, 3]."""


def degrade(
    rgb: np.ndarray, other: np.ndarray, kind: str, chance: np.random.Generator
) -> np.ndarray:
    """The picture, degraded in the way called `kind`; its size is unchanged."""
    return DEGRADATIONS[kind](rgb, other, chance)


def _blur(rgb: np.ndarray, other: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    from PIL import Image, ImageFilter

    radius = chance.uniform(0.012, 0.04) * rgb.shape[0]
    return np.asarray(Image.fromarray(rgb).filter(ImageFilter.GaussianBlur(radius)))


def _darkness(rgb: np.ndarray, other: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    return _bytes(rgb * chance.uniform(0.05, 0.35))


def _noise(rgb: np.ndarray, other: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    return _bytes(rgb + chance.normal(0, chance.uniform(20, 60), rgb.shape))


def _over_exposure(rgb: np.ndarray, other: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    return _bytes(rgb * chance.uniform(1.8, 3.0) + chance.uniform(40, 90))


def _bad_crop(rgb: np.ndarray, other: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """An enlarged corner of the frame: what was in the middle is cut or gone."""
    from PIL import Image

    height, width = rgb.shape[:2]
    share = chance.uniform(0.25, 0.4)
    high, wide = int(share * height), int(share * width)
    top, left = (
        int(chance.integers(2)) * (side - part) for side, part in ((height, high), (width, wide))
    )
    corner = Image.fromarray(rgb[top : top + high, left : left + wide])
    return np.asarray(corner.resize((width, height), Image.Resampling.BICUBIC))


def _mid_dissolve(rgb: np.ndarray, other: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    from PIL import Image

    size = (rgb.shape[1], rgb.shape[0])
    fitted = np.asarray(Image.fromarray(other).resize(size, Image.Resampling.BILINEAR))
    share = chance.uniform(0.35, 0.65)
    return _bytes((1 - share) * rgb + share * fitted)


def _motion_smear(rgb: np.ndarray, other: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    length = int(chance.uniform(0.05, 0.15) * rgb.shape[1])
    slope = chance.uniform(-0.4, 0.4)
    steps = np.arange(-(length // 2), length - length // 2)
    moved = (np.roll(rgb, (round(slope * step), step), axis=(0, 1)) for step in steps.tolist())
    total = np.zeros(rgb.shape)
    for picture in moved:
        total += picture
    return _bytes(total / length)


def _bytes(values: np.ndarray) -> np.ndarray:
    return np.asarray(np.clip(np.rint(values), 0, 255), np.uint8)


DEGRADATIONS: dict[str, Degradation] = {
    "blur": _blur,
    "darkness": _darkness,
    "noise": _noise,
    "over-exposure": _over_exposure,
    "bad crop": _bad_crop,
    "mid-dissolve": _mid_dissolve,
    "motion smear": _motion_smear,
}
