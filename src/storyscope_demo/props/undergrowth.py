"""What is small in the forest: a mushroom, a flower, a butterfly, and the blur behind them."""

from __future__ import annotations

from itertools import pairwise
from math import cos, pi, sin

import numpy as np
from PIL import Image, ImageFilter

from storyscope_demo.canvas import (
    Size,
    colour,
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

STEM = ((0.0, "#7d7458"), (0.6, "#e3dabc"), (1.0, "#fffbe8"))
CAP = ((0.0, "#5e0d0a"), (0.45, "#c3261b"), (0.8, "#ee5a3a"), (1.0, "#ffc0a0"))
MONARCH = ((0.0, "#b4480f"), (0.6, "#ee8a1d"), (1.0, "#f9b648"))

FORE_WING = [
    (0.0, 0.46),
    (0.20, 0.22),
    (0.55, 0.06),
    (0.92, 0.03),
    (0.99, 0.12),
    (0.88, 0.34),
    (0.60, 0.50),
    (0.20, 0.54),
]
HIND_WING = [
    (0.0, 0.50),
    (0.35, 0.50),
    (0.68, 0.56),
    (0.72, 0.76),
    (0.52, 0.94),
    (0.28, 0.88),
    (0.08, 0.70),
]


def out_of_focus(
    base: np.ndarray, rng: np.random.Generator, tints: tuple[str, ...], *, discs: int, radius: float
) -> Image.Image:
    """What lies far behind: soft discs of light over `base`; the radius in picture heights."""
    picture = to_image(base)
    for _ in range(discs):
        side = max(4.0, picture.height * radius * rng.uniform(0.4, 1.2))
        strength = rng.uniform(0.10, 0.42)

        def disc(pen: Pen, strength: float = strength) -> None:
            pen.ellipse(0.5, 0.5, 0.5, 0.5, strength)
            pen.ellipse(0.5, 0.5, 0.44, 0.44, strength * 0.8)

        tint = np.minimum(colour(tints[int(rng.integers(len(tints)))]) * rng.uniform(0.8, 1.1), 255)
        spot = (
            int(rng.uniform(-0.05, 1) * picture.width),
            int(rng.uniform(-0.1, 0.95) * picture.height),
        )
        picture.paste(tuple(int(v) for v in tint), spot, shape((side, side), disc, finer=3))
    return picture.filter(ImageFilter.GaussianBlur(picture.height * 0.006))


def agaric(side: int, rng: np.random.Generator, *, blur: float = 0.0) -> Sprite:
    """A fly agaric: a red cap with white warts on a pale stem."""
    u, v = grid(Size(side, side))
    u = u - 0.5
    grain = stretched(noise(256, 256, rng, roughness=1.2), Size(side, side)) - 0.5
    half = 0.075 + 0.05 * smooth(0.6, 1.0, v) + 0.012 * smooth(0.40, 0.5, v)
    stem = smooth(1.03, 0.95, np.abs(u) / half) * smooth(0.33, 0.36, v)
    pixels = shaded(STEM, 0.75 + 2.2 * u - 0.5 * smooth(0.52, 0.36, v) + 0.4 * grain)
    ring = smooth(0.016, 0.008, np.abs(v - 0.50 - 1.2 * u**2)) * smooth(0.13, 0.12, np.abs(u))
    pixels = mix(pixels, colour("#f7f0d8"), ring)
    gills = smooth(1.0, 0.96, np.hypot(u / 0.44, (v - 0.375) / 0.055))
    pixels = mix(pixels, colour("#cdbd96"), gills)
    dome = smooth(1.005, 0.985, np.hypot(u / 0.46, (v - 0.385) / 0.345))
    dome = dome * smooth(0.40, 0.388, v - 0.16 * u**2)
    light = np.clip(0.80 - 1.1 * np.hypot(u - 0.12, v - 0.16) + 0.25 * grain, 0, 1)
    red = shaded(CAP, light)
    for _ in range(34):
        wart_u, wart_v = rng.uniform(-0.42, 0.42), rng.uniform(0.05, 0.375)
        flat = max(0.25, 1 - (wart_u / 0.48) ** 2 - ((wart_v - 0.385) / 0.36) ** 2)
        rx = 0.032 * rng.uniform(0.6, 1.3) * (0.5 + 0.5 * flat)
        ry = 0.026 * rng.uniform(0.6, 1.2) * (0.6 + 0.4 * flat)
        wart = smooth(1.15, 0.8, np.hypot((u - wart_u) / rx, (v - wart_v) / ry) + 0.8 * grain)
        red = mix(red, colour("#fff6e2") * (0.72 + 0.35 * light[..., None]), wart)
    mask = np.maximum.reduce([stem, gills, dome, ring])
    soft = ImageFilter.GaussianBlur(blur)
    return Sprite(to_image(mix(pixels, red, dome)).filter(soft), to_mask(mask).filter(soft))


def flower(size: Size) -> Sprite:
    """A flower head on its stem, in the middle of the picture."""

    def stem(pen: Pen) -> None:
        pen.polygon([(0.492, 0.6), (0.508, 0.6), (0.512, 1.0), (0.486, 1.0)])
        pen.curve([(0.50, 0.92), (0.56, 0.80), (0.66, 0.76), (0.60, 0.88)])
        pen.curve([(0.49, 0.97), (0.44, 0.86), (0.35, 0.83), (0.40, 0.95)])

    def petals(pen: Pen, narrow: float = 1.0, light: float = 1.0) -> None:
        for number in range(22):
            turn = number * pi / 11
            tip = (0.5 + 0.155 * cos(turn), 0.65 + 0.105 * sin(turn))
            middle = ((0.5 + tip[0]) / 2 + 0.01, (0.6 + tip[1]) / 2)
            aside, down = 0.021 * narrow * sin(turn), 0.030 * narrow * cos(turn)
            left, right = (
                (middle[0] + aside, middle[1] - down),
                (middle[0] - aside, middle[1] + down),
            )
            pen.curve([(0.5, 0.60), left, tip, right], light)

    return Sprite.drawn(
        size,
        (stem, "#3a682c"),
        (petals, "#b8509c"),
        (lambda pen: petals(pen, 0.45, 0.6), "#f0a6d8"),
        (lambda pen: pen.ellipse(0.5, 0.60, 0.052, 0.055), "#d89a2c"),
        (lambda pen: pen.ellipse(0.495, 0.59, 0.036, 0.035), "#f6cc62"),
    )


def butterfly_wings(height: float) -> Sprite:
    """The right wings of a monarch, seen from above, hinged at the left edge."""

    def outline(pen: Pen) -> None:
        pen.curve(FORE_WING)
        pen.curve(HIND_WING)

    def cells(pen: Pen) -> None:
        for wing, hinge in ((FORE_WING, (0.02, 0.49)), (HIND_WING, (0.02, 0.52))):
            pen.curve(_inside(wing, 0.80))
            for tip in wing[2:]:
                pen.line([hinge, tip], 0.016, 0.0)

    def spots(pen: Pen) -> None:
        for wing in (FORE_WING, HIND_WING):
            for (ax, ay), (bx, by) in pairwise(_inside(wing, 0.9)[2:]):
                for t in (0.15, 0.5, 0.85):
                    pen.ellipse(ax + (bx - ax) * t, ay + (by - ay) * t, 0.014, 0.013)

    wide = (height * 0.95, height)
    wings = Sprite.drawn(wide, (outline, "#1a1210"))
    x, _ = grid(Size(*wings.mask.size))
    wings.picture.paste(to_image(shaded(MONARCH, x)), (0, 0), shape(wide, cells))
    wings.picture.paste((250, 244, 232), (0, 0), shape(wide, spots))
    return wings


def butterfly_body(height: float) -> Sprite:
    """Body, head and feelers of a butterfly, head up."""

    def draw(pen: Pen) -> None:
        pen.ellipse(0.5, 0.58, 0.10, 0.38)
        pen.ellipse(0.5, 0.24, 0.11, 0.06)
        pen.line([(0.5, 0.22), (0.30, 0.02)], 0.012)
        pen.line([(0.5, 0.22), (0.70, 0.02)], 0.012)

    return Sprite.drawn((height * 0.5, height), (draw, "#1c1614"))


def _inside(wing: list[tuple[float, float]], part: float) -> list[tuple[float, float]]:
    """The outline drawn in towards its middle."""
    middle_x = sum(x for x, _ in wing) / len(wing)
    middle_y = sum(y for _, y in wing) / len(wing)
    return [(middle_x + (x - middle_x) * part, middle_y + (y - middle_y) * part) for x, y in wing]
