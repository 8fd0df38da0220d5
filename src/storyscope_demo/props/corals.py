"""A bank of corals: branching, fans, brains and tubes."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
from PIL import Image, ImageFilter

from storyscope_demo.canvas import (
    Size,
    colour,
    grid,
    noise,
    smooth,
    stretched,
    to_image,
    to_mask,
)
from storyscope_demo.sprites import Pen, Sprite, shape

Coral = tuple[Image.Image, np.ndarray]
"""A mask, and the light of 0 to 1 on what it shows."""


def coral_bank(
    strip: Size,
    rng: np.random.Generator,
    *,
    foot: float,
    tall: float,
    tints: tuple[str, ...],
    count: int,
) -> Sprite:
    """Corals of several kinds on their bank, over a strip whose ends meet."""
    x, y = grid(strip)
    bumps = foot - 0.06 + 0.03 * np.sin(x * 2 * pi * 3) + 0.02 * np.sin(x * 2 * pi * 7 + 1)
    rough = stretched(noise(128, 512, rng, roughness=1.3), strip)
    picture = to_image(colour(tints[0]) * 0.55 * (0.6 + 0.8 * rough[..., None]))
    mask = to_mask(smooth(-0.003, 0.004, y - bumps))
    for place in rng.permutation(count):
        grow = (_branching, _fan, _brain, _tubes)[int(rng.integers(4))]
        outline, light = grow(strip.height * tall * rng.uniform(0.6, 1.1), rng)
        tint = colour(tints[int(rng.integers(len(tints)))]) * rng.uniform(0.85, 1.15)
        coral = to_image(tint * (0.45 + 0.75 * light[..., None]))
        middle = round((place + rng.uniform(0, 1)) / count * strip.width)
        top = round(strip.height * (foot - rng.uniform(0, 0.06)) - coral.height * 0.92)
        for left in (middle - coral.width // 2, middle - coral.width // 2 - strip.width):
            picture.paste(coral, (left, top), outline)
            mask.paste(255, (left, top), outline)
    return Sprite(picture, mask)


def _branching(side: float, rng: np.random.Generator) -> Coral:
    def grow(pen: Pen, x: float, y: float, lean: float, length: float, width: float) -> None:
        tip_x, tip_y = x + length * sin(lean), y - length * cos(lean)
        pen.line([(x, y), (tip_x, tip_y)], width)
        pen.ellipse(tip_x, tip_y, width / 2, width / 2)
        if length > 0.05:
            for turn in rng.uniform(0.25, 0.65, 2) * (-1, 1):
                shorter = length * rng.uniform(0.68, 0.84)
                grow(pen, tip_x, tip_y, lean + turn, shorter, max(0.016, width * 0.78))

    def draw(pen: Pen) -> None:
        for lean in (-0.4, 0.05, 0.45):
            grow(pen, 0.5, 1.0, lean, 0.27, 0.055)

    mask = shape((side, side), draw, finer=3)
    return mask, _light(mask)


def _fan(side: float, rng: np.random.Generator) -> Coral:
    def draw(pen: Pen) -> None:
        pen.line([(0.5, 1.0), (0.5, 0.7)], 0.03)
        for lean in np.linspace(-1.1, 1.1, 19):
            reach = 0.62 * rng.uniform(0.85, 1.0)
            tip = (0.5 + reach * sin(lean) * 0.8, 0.80 - reach * cos(lean))
            pen.line([(0.5, 0.82), ((0.54 + tip[0]) / 2, (0.8 + tip[1]) / 2), tip], 0.014)
        leans = np.linspace(-1.05, 1.05, 20)
        for ring in np.linspace(0.15, 0.60, 9):
            arc = [(0.5 + 0.8 * ring * sin(lean), 0.80 - ring * cos(lean)) for lean in leans]
            pen.line(arc, 0.009, 0.8)

    mask = shape((side, side), draw, finer=3)
    return mask, _light(mask) + 0.15


def _brain(side: float, rng: np.random.Generator) -> Coral:
    mask = shape((side, side * 0.62), lambda pen: pen.ellipse(0.5, 0.62, 0.48, 0.56))
    size = Size(*mask.size)
    x, y = grid(size)
    folds = stretched(noise(64, 64, rng, roughness=1.9), size)
    groove = smooth(0.0, 0.6, np.abs(np.sin(folds * 34)))
    light = np.clip(0.95 - 0.9 * np.hypot(x - 0.42, y - 0.2), 0, 1)
    return mask, np.clip(light * (0.45 + 0.6 * groove), 0, 1)


def _tubes(side: float, rng: np.random.Generator) -> Coral:
    heights = np.sort(rng.uniform(0.35, 0.9, 8))[::-1]
    tubes = [
        (float(x), float(1 - tall))
        for x, tall in np.column_stack([rng.uniform(0.12, 0.88, 8), heights])
    ]

    def bodies(pen: Pen) -> None:
        for x, top in tubes:
            foot = 0.25 + 0.5 * x
            pen.polygon([(foot - 0.04, 1), (x - 0.062, top), (x + 0.062, top), (foot + 0.04, 1)])
            pen.ellipse(x, top, 0.062, 0.03)

    def mouths(pen: Pen) -> None:
        for x, top in tubes:
            pen.ellipse(x, top, 0.045, 0.019)

    mask = shape((side, side), bodies, finer=3)
    dark = np.asarray(shape((side, side), mouths, finer=3), dtype=np.float32) / 255
    return mask, np.clip(_light(mask) - 0.45 * dark, 0, 1)


def _light(mask: Image.Image) -> np.ndarray:
    """Light on a soft body seen from the side: bright above, dark towards its edges."""
    blurred = mask.filter(ImageFilter.GaussianBlur(max(1.0, mask.width * 0.02)))
    soft = np.asarray(blurred, dtype=np.float32) / 255
    below = np.roll(soft, -max(2, mask.height // 40), 0)
    return np.clip(0.35 + 0.45 * soft + 1.4 * (below - soft), 0, 1)
