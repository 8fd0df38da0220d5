"""Snow: the range itself, banks, falling flakes, one crystal, a tent."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
from PIL import Image

from storyscope_demo.canvas import (
    Size,
    colour,
    filled,
    grid,
    mix,
    noise,
    shaded,
    smooth,
    stretched,
    to_image,
    to_mask,
)
from storyscope_demo.sprites import Pen, Sprite, shape
from storyscope_demo.terrain import Terrain, in_shadow, lit, terrain

STONE = ((0.0, "#20242f"), (1.0, "#8d8079"))
FABRIC = ((0.0, "#5b1f12"), (0.4, "#d4571c"), (0.75, "#ffa53a"), (1.0, "#ffe9a8"))


def alps(rng: np.random.Generator, colours: tuple[tuple[float, str], ...]) -> Terrain:
    """Sharp ridges: snow in the light, blue in the shade, rock where it is steep."""
    side = 1024
    broad, middle = noise(side, side, rng, roughness=2.9), noise(side, side, rng, roughness=2.3)
    fine = noise(side, side, rng, roughness=1.9)
    ridge = np.clip(1.0 - np.abs(2 * broad - 1.0) * 1.25, 0, 1)
    spur = 1.0 - np.abs(2 * middle - 1.0)
    heights = 120 * ridge**1.5 + 70 * spur**1.5 * (0.25 + ridge) + 16 * fine * (0.3 + ridge)
    heights -= heights.min()
    light = lit(heights, (-1.0, 0.5, 0.75)) * (1 - 0.6 * in_shadow(heights, climb=0.75))
    steep = 1.0 - lit(heights, (0.0, 0.0, 1.0))
    rock = smooth(0.36, 0.50, steep + 0.25 * (fine - 0.5))
    return terrain(
        heights, mix(shaded(colours, 0.24 + 0.85 * light), shaded(STONE, light), rock * 0.8)
    )


def snow_bank(
    size: Size,
    top: float,
    rng: np.random.Generator,
    tints: tuple[str, str] = ("#b9cbe0", "#f4f8fc"),
) -> Sprite:
    """A rounded bank of snow from `top` (a fraction of the height) down."""
    x, y = grid(size)
    edge = top + 0.025 * np.sin(5 * x + rng.uniform(0, 6)) + 0.012 * np.sin(13 * x + 2)
    soft = stretched(noise(256, 512, rng, roughness=1.9, stretch=2.0), size)
    tone = np.clip(0.95 - 1.6 * (y - edge) + 0.7 * (soft - 0.5), 0, 1)
    pixels = mix(filled(size, tints[0]), colour(tints[1]), tone)
    return Sprite(to_image(pixels), to_mask(smooth(-0.003, 0.003, y - edge)))


class Snowfall:
    """Flakes that sink and sway, the near ones larger and faster."""

    def __init__(self, rng: np.random.Generator, count: int = 170) -> None:
        self.flakes = rng.uniform(0, 1, (count, 4))
        self.dots = [
            shape((side, side), lambda pen: pen.ellipse(0.5, 0.5, 0.5, 0.5, 0.85))
            for side in (2, 3, 5, 8)
        ]

    def onto(self, frame: Image.Image, seconds: float) -> None:
        for x, y, near, phase in self.flakes:
            dot = self.dots[int(near**3 * 3.99)]
            sway = 0.03 * sin(seconds * 1.3 + 9 * phase) + 0.03 * seconds * (near - 0.3)
            left = int((x + sway) % 1.0 * frame.width)
            top = int((y + seconds * (0.10 + 0.30 * near)) % 1.05 * frame.height) - 8
            frame.paste((255, 255, 255), (left, top), dot)


def crystal(side: int, rng: np.random.Generator) -> Image.Image:
    """The mask of a snow crystal: one branched arm, drawn six times."""
    twigs = [
        (along, rng.uniform(0.07, 0.17) * (1.15 - along)) for along in np.arange(0.16, 0.9, 0.115)
    ]
    tilt = 0.26

    def draw(pen: Pen) -> None:
        for arm in range(6):
            _crystal_arm(pen, arm * pi / 3 + tilt, twigs)
        for radius, light in ((0.115, 1.0), (0.085, 0.35), (0.06, 1.0)):
            turns = [corner * pi / 3 + tilt for corner in range(6)]
            pen.polygon([(0.5 + radius * cos(t), 0.5 + radius * sin(t)) for t in turns], light)

    return shape((side, side), draw, finer=3)


def lit_tent(size: Size) -> Sprite:
    """A tent lit from within, in the lower left of the picture."""

    def body(pen: Pen) -> None:
        pen.curve(
            [(0.30, 0.885), (0.33, 0.80), (0.42, 0.725), (0.50, 0.79), (0.54, 0.885), (0.42, 0.895)]
        )

    def door(pen: Pen) -> None:
        pen.curve([(0.385, 0.885), (0.40, 0.80), (0.425, 0.76), (0.45, 0.80), (0.465, 0.885)], 0.55)

    x, y = grid(size)
    fabric = shaded(FABRIC, 1.15 - 5.0 * np.hypot(x - 0.425, (y - 0.855) * 0.9))
    left, right = x - 0.42 - 0.25 * (y - 0.725), x - 0.42 + 0.40 * (y - 0.725)
    seam = np.minimum(np.abs(left), np.abs(right))
    picture = to_image(mix(fabric, colour("#6b2410"), smooth(0.004, 0.001, seam) * 0.7))
    picture.paste((255, 240, 190), (0, 0), shape(size, door))
    return Sprite(picture, shape(size, body))


def _crystal_arm(pen: Pen, turn: float, twigs: list[tuple[float, float]]) -> None:
    c, s = 0.46 * cos(turn), 0.46 * sin(turn)

    def at(along: float, aside: float) -> tuple[float, float]:
        return 0.5 + along * c - aside * s, 0.5 + along * s + aside * c

    pen.line([(0.5, 0.5), at(1.0, 0)], 0.022)
    for along, length in twigs:
        for hand in (-1, 1):
            pen.line([at(along, 0), at(along + length, hand * length * 1.73)], 0.014)
            fork = along + length * 0.5
            pen.line([at(fork, hand * length * 0.86), at(fork + 0.07, hand * length * 0.86)], 0.010)
    pen.polygon([at(0.9, 0), at(0.96, 0.03), at(1.04, 0), at(0.96, -0.03)])
