"""What is met at the coast: a boat under sail, a headland, a lighthouse."""

from __future__ import annotations

import numpy as np

from storyscope_demo.canvas import (
    Size,
    colour,
    grid,
    mix,
    noise,
    shaded,
    smooth,
    to_image,
    to_mask,
)
from storyscope_demo.sprites import Pen, Sprite

ROCK = ((0.0, "#2b2a33"), (0.5, "#6b5a55"), (1.0, "#c79f7c"))


def yawl(height: float) -> Sprite:
    """A two-masted boat, bow to the right."""

    def hull(pen: Pen) -> None:
        pen.polygon([(0.10, 0.80), (0.91, 0.765), (0.80, 0.865), (0.22, 0.87)])
        pen.line([(0.52, 0.05), (0.52, 0.80)], 0.010)
        pen.line([(0.22, 0.34), (0.22, 0.80)], 0.008)
        pen.line([(0.86, 0.775), (0.99, 0.74)], 0.008)
        pen.polygon([(0.36, 0.80), (0.37, 0.765), (0.60, 0.76), (0.63, 0.79)])

    def sails(pen: Pen) -> None:
        pen.polygon([(0.51, 0.07), (0.50, 0.72), (0.24, 0.74), (0.36, 0.45), (0.46, 0.2)])
        pen.polygon([(0.54, 0.10), (0.97, 0.72), (0.78, 0.70), (0.60, 0.73), (0.55, 0.45)])
        pen.polygon([(0.21, 0.36), (0.205, 0.75), (0.06, 0.76), (0.14, 0.55)])

    def shade(pen: Pen) -> None:
        pen.polygon([(0.51, 0.07), (0.50, 0.72), (0.40, 0.725), (0.47, 0.4)], 0.8)
        pen.polygon([(0.54, 0.10), (0.72, 0.70), (0.60, 0.73), (0.55, 0.45)], 0.7)

    def stripe(pen: Pen) -> None:
        pen.polygon([(0.115, 0.812), (0.895, 0.782), (0.885, 0.795), (0.125, 0.825)])

    return Sprite.drawn(
        (height, height),
        (sails, "#faf6ec"),
        (shade, "#bccad6"),
        (hull, "#26323f"),
        (stripe, "#b8503c"),
    )


def lighthouse(size: Size, rng: np.random.Generator) -> Sprite:
    """A headland from the right edge down to the water, and the lighthouse upon it."""
    headland = _headland(size, rng)
    tower = Sprite.drawn(
        size,
        (_lamp, "#ffe8aa"),
        (_white, "#f6eee2"),
        (_red, "#b0342c"),
        (_dark, "#2c2a32"),
        (_shaded_side, "#6a6280"),
    )
    headland.picture.paste(tower.picture, (0, 0), tower.mask)
    headland.mask.paste(255, (0, 0), tower.mask)
    return headland


def _headland(size: Size, rng: np.random.Generator) -> Sprite:
    x, y = grid(size)
    rough = noise(512, 1024, rng, roughness=1.5)[: size.height, : size.width]
    strata = noise(512, 1024, rng, roughness=1.2, stretch=0.25)[: size.height, : size.width]
    top = 0.80 - 0.42 * smooth(0.40, 0.72, x) + 0.10 * (rough[0] - 0.5)[None, :]
    foot = 0.83 + 0.12 * x + 0.02 * (rough[-1] - 0.5)[None, :]
    mask = smooth(-0.003, 0.003, y - top) * smooth(0.004, -0.004, y - foot)
    deep = np.clip((y - top) / 0.4, 0, 1)
    light = 0.75 - 0.6 * deep + 1.5 * (strata - 0.5) + 0.7 * (rough - 0.5)
    pixels = shaded(ROCK, light)
    grass = smooth(0.10, 0.03, y - top + 0.08 * (rough - 0.5))
    pixels = mix(pixels, colour("#5d6b3c") * (0.6 + 0.8 * rough[..., None]), grass * 0.9)
    foam = smooth(0.025, 0.0, foot - y + 0.03 * (rough - 0.5))
    return Sprite(to_image(mix(pixels, colour("#f3e6d2"), foam * 0.85)), to_mask(mask))


def _lamp(pen: Pen) -> None:
    pen.polygon([(0.727, 0.145), (0.743, 0.145), (0.743, 0.195), (0.727, 0.195)])


def _white(pen: Pen) -> None:
    pen.polygon([(0.722, 0.20), (0.748, 0.20), (0.758, 0.47), (0.712, 0.47)])
    pen.polygon([(0.758, 0.40), (0.83, 0.40), (0.83, 0.47), (0.758, 0.47)])


def _red(pen: Pen) -> None:
    for high, low in ((0.25, 0.31), (0.37, 0.43)):
        top, foot = (0.013 + 0.010 * (level - 0.20) / 0.27 for level in (high, low))
        pen.polygon(
            [(0.735 - top, high), (0.735 + top, high), (0.735 + foot, low), (0.735 - foot, low)]
        )
    pen.polygon([(0.75, 0.405), (0.795, 0.36), (0.84, 0.405)])
    pen.polygon([(0.722, 0.145), (0.735, 0.115), (0.748, 0.145)])


def _dark(pen: Pen) -> None:
    pen.polygon([(0.717, 0.193), (0.753, 0.193), (0.753, 0.205), (0.717, 0.205)])
    pen.polygon([(0.724, 0.145), (0.728, 0.145), (0.728, 0.195), (0.724, 0.195)])
    pen.polygon([(0.742, 0.145), (0.746, 0.145), (0.746, 0.195), (0.742, 0.195)])
    pen.polygon([(0.785, 0.425), (0.80, 0.425), (0.80, 0.47), (0.785, 0.47)])


def _shaded_side(pen: Pen) -> None:
    pen.polygon([(0.738, 0.20), (0.748, 0.20), (0.758, 0.47), (0.742, 0.47)], 0.35)
