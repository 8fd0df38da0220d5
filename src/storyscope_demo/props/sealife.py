"""Those who live at the reef."""

from __future__ import annotations

from itertools import pairwise
from math import sin

import numpy as np
from PIL import Image, ImageFilter

from storyscope_demo.canvas import (
    Size,
    colour,
    filled,
    grid,
    mix,
    shaded,
    smooth,
    to_image,
    to_mask,
)
from storyscope_demo.sprites import Pen, Sprite, shape

AMBER = ((0.0, "#3f2a12"), (0.5, "#8a5a22"), (1.0, "#d99a3f"))
ORANGE = ((0.0, "#8f2a06"), (0.5, "#ee6a14"), (1.0, "#ffb04a"))

CLOWN_BODY = [
    (0.97, 0.48),
    (0.86, 0.32),
    (0.62, 0.20),
    (0.36, 0.28),
    (0.22, 0.44),
    (0.22, 0.58),
    (0.36, 0.72),
    (0.62, 0.80),
    (0.86, 0.66),
]
CLOWN_BANDS = [
    [(0.78, 0.22), (0.70, 0.22), (0.68, 0.50), (0.70, 0.80), (0.77, 0.78), (0.75, 0.5)],
    [(0.52, 0.18), (0.44, 0.20), (0.46, 0.50), (0.42, 0.78), (0.52, 0.82), (0.56, 0.5)],
    [(0.28, 0.36), (0.23, 0.40), (0.23, 0.60), (0.28, 0.66)],
]
SHELL = [
    (0.22, 0.50),
    (0.34, 0.36),
    (0.54, 0.31),
    (0.70, 0.38),
    (0.77, 0.50),
    (0.66, 0.60),
    (0.44, 0.63),
    (0.28, 0.58),
]
PLATES = [
    [(0.34, 0.46), (0.42, 0.38), (0.50, 0.38), (0.50, 0.50), (0.42, 0.54)],
    [(0.52, 0.37), (0.62, 0.38), (0.66, 0.47), (0.60, 0.53), (0.52, 0.50)],
    [(0.34, 0.50), (0.40, 0.56), (0.52, 0.57), (0.50, 0.53), (0.42, 0.56)],
    [(0.54, 0.53), (0.61, 0.55), (0.68, 0.50), (0.70, 0.54), (0.58, 0.60)],
    [(0.25, 0.50), (0.32, 0.42), (0.33, 0.50), (0.31, 0.56)],
]
TURTLE_HEAD = [
    (0.74, 0.44),
    (0.84, 0.38),
    (0.94, 0.40),
    (0.97, 0.46),
    (0.91, 0.51),
    (0.80, 0.52),
]


def fish(length: float, sway: float) -> Sprite:
    """A small fish swimming right, its tail at -1 to 1 of its sweep."""
    tail = 0.05 * sway

    def body(pen: Pen) -> None:
        back = [(0.98, 0.5), (0.80, 0.28), (0.52, 0.16), (0.28, 0.36)]
        pen.curve([*back, (0.28, 0.64), (0.52, 0.84), (0.80, 0.72)])
        pen.polygon([(0.34, 0.5), (0.02, 0.16 + tail), (0.10, 0.5 + tail), (0.02, 0.84 + tail)])

    def marks(pen: Pen) -> None:
        pen.ellipse(0.84, 0.44, 0.030, 0.055)
        pen.polygon([(0.66, 0.20), (0.72, 0.23), (0.69, 0.80), (0.64, 0.80)], 0.8)

    def shine(pen: Pen) -> None:
        pen.curve([(0.62, 0.30), (0.48, 0.26), (0.36, 0.40), (0.50, 0.36)], 0.7)

    wide = (length, length * 0.55)
    return Sprite.drawn(wide, (body, "#face3c"), (marks, "#283454"), (shine, "#fff4be"))


def clownfish(length: float, sway: float) -> Sprite:
    """A clownfish swimming right, its tail at -1 to 1 of its sweep."""
    tail = 0.07 * sway
    fins = [
        [(0.24, 0.50), (0.06, 0.30 + tail), (0.0, 0.50 + tail), (0.06, 0.72 + tail)],
        [(0.72, 0.22), (0.58, 0.06), (0.36, 0.12), (0.32, 0.30)],
        [(0.62, 0.78), (0.52, 0.95), (0.40, 0.90), (0.42, 0.74)],
    ]

    def body(pen: Pen) -> None:
        for outline in (*fins, CLOWN_BODY):
            pen.curve(outline)

    def bands(pen: Pen) -> None:
        for band in CLOWN_BANDS:
            pen.curve(band)

    def edges(pen: Pen) -> None:
        for fin in fins:
            for here, there in pairwise(fin[1:]):
                pen.line([here, there], 0.035)
        pen.ellipse(0.865, 0.44, 0.032, 0.052)

    wide = (length, length * 0.62)
    mask, white = shape(wide, body), shape(wide, bands)
    _, y = grid(Size(*mask.size))
    picture = to_image(shaded(ORANGE, 1.0 - 1.36 * np.abs(y - 0.32)))
    picture.paste((24, 20, 30), (0, 0), white.filter(ImageFilter.MaxFilter(5)))
    picture.paste((248, 248, 244), (0, 0), white)
    picture.paste((22, 18, 26), (0, 0), shape(wide, edges))
    return Sprite(picture, mask)


def turtle(length: float, beat: float) -> Sprite:
    """A turtle swimming right, at an angle of 0 to 2 pi of its stroke."""
    sweep = sin(beat)

    def limbs(pen: Pen) -> None:
        for flipper in _flippers(sweep):
            pen.curve(flipper)
        pen.curve(TURTLE_HEAD)
        pen.curve(SHELL)

    def plates(pen: Pen) -> None:
        for plate in PLATES:
            pen.polygon(plate)

    wide = (length, length * 0.75)
    mask = shape(wide, limbs)
    size = Size(*mask.size)
    x, y = grid(size)
    light = np.clip(1.15 - 0.9 * y, 0.35, 1.1)[..., None]
    spots = smooth(-0.35, 0.1, np.sin(x * 95) * np.sin(y * 80))
    picture = to_image(mix(filled(size, "#c9c27a"), colour("#4f6b4a"), spots) * light)
    shell = to_image(filled(size, "#b5975a") * light)
    picture.paste(shell, (0, 0), shape(wide, lambda pen: pen.curve(SHELL)))
    picture.paste(
        to_image(shaded(AMBER, 0.95 - 1.2 * np.abs(y - 0.36))), (0, 0), shape(wide, plates)
    )
    eye = shape(wide, lambda pen: pen.ellipse(0.90, 0.435, 0.010, 0.013))
    picture.paste((20, 22, 20), (0, 0), eye)
    return Sprite(picture, mask)


def jellyfish(side: int, beat: float) -> Image.Image:
    """A jellyfish as light on black, at an angle of 0 to 2 pi of its pulse."""
    squeeze = 0.5 + 0.5 * sin(beat)
    half, deep = 0.30 - 0.06 * squeeze, 0.24 + 0.04 * squeeze
    u, v = grid(Size(side, side))
    across, up = (u - 0.5) / half, (v - 0.32) / deep
    reach = np.hypot(across, up)
    hem = 0.32 + 0.035 * np.cos(across * 9)
    bell = smooth(1.0, 0.96, reach) * smooth(0.012, -0.006, v - hem)
    rim = np.exp(-(((reach - 0.95) / 0.06) ** 2))
    width = np.sqrt(np.clip(1 - np.clip(up, -1, 0) ** 2, 0.05, 1))
    ribs = (0.5 + 0.5 * np.cos(np.arcsin(np.clip(across / width, -1, 1)) * 14)) ** 3
    light = bell * (0.15 + 0.25 * ribs + 0.28 * smooth(0.2, 1.0, reach) + 0.6 * rim)
    organs = bell * np.exp(-(((np.abs(across) - 0.28) / 0.16) ** 2 + ((up + 0.30) / 0.22) ** 2))
    pixels = light[..., None] * colour("#e8c6ff") + organs[..., None] * colour("#ff7ab8") * 0.8

    def arms(pen: Pen) -> None:
        for number in range(15):
            thin = number % 3 != 0
            points = []
            for t in np.linspace(0, 1, 22):
                wave = 0.020 * sin(9 * t - beat + number) * (0.3 + t)
                spread = (number / 7 - 1) * 0.8 * half * (0.9 - (0.35 - 0.18 * squeeze) * t)
                points.append((0.5 + spread + wave, 0.31 + (0.58 if thin else 0.40) * t))
            pen.line(points, 0.004 if thin else 0.016, 0.40 if thin else 0.30)

    threads = np.asarray(shape((side, side), arms, finer=2), dtype=np.float32) / 255
    pixels += (threads * smooth(1.0, 0.35, v))[..., None] * colour("#f3b6e6")
    middle = (u - 0.5 - 0.02 * np.sin(18 * v - beat)) / (0.05 - 0.02 * v)
    frill = np.exp(-(middle**2)) * smooth(0.30, 0.36, v) * smooth(0.78, 0.45, v)
    frill *= 0.30 + 0.25 * np.sin(60 * v + 6 * np.sin(40 * u))
    return to_image(pixels + frill[..., None] * colour("#ffd2ea"))


def bubble(side: int) -> Sprite:
    """A bubble of air, bright at its rim."""
    at = np.linspace(-1, 1, side, dtype=np.float32)
    x, y = at[None, :], at[:, None]
    far = np.hypot(x, y)
    rim = smooth(0.5, 1.0, far)
    shine = smooth(0.35, 0.1, np.hypot(x + 0.35, y + 0.4))
    light = 0.55 + 0.45 * rim * (0.6 - 0.4 * y)
    pixels = light[..., None] * colour("#bff4f4") + shine[..., None] * 120
    mask = smooth(1.0, 0.86, far) * np.clip(0.18 + 0.75 * smooth(0.55, 0.98, far) + shine, 0, 1)
    return Sprite(to_image(pixels), to_mask(mask))


def _flippers(sweep: float) -> list[list[tuple[float, float]]]:
    return [
        [
            (0.68, 0.50),
            (0.66, 0.58 + 0.10 * sweep),
            (0.52, 0.78 + 0.16 * sweep),
            (0.44, 0.84 + 0.17 * sweep),
            (0.50, 0.70 + 0.10 * sweep),
            (0.58, 0.54),
        ],
        [
            (0.66, 0.40),
            (0.66, 0.30 - 0.04 * sweep),
            (0.58, 0.16 - 0.09 * sweep),
            (0.50, 0.10 - 0.10 * sweep),
            (0.54, 0.24 - 0.04 * sweep),
            (0.58, 0.38),
        ],
        [
            (0.28, 0.54),
            (0.18, 0.62 - 0.04 * sweep),
            (0.08, 0.68 - 0.05 * sweep),
            (0.14, 0.56),
            (0.24, 0.48),
        ],
        [
            (0.28, 0.46),
            (0.20, 0.40 + 0.04 * sweep),
            (0.12, 0.36 + 0.05 * sweep),
            (0.16, 0.46),
            (0.24, 0.52),
        ],
    ]
