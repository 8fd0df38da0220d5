"""Trees, ferns and grasses."""

from __future__ import annotations

from math import pi, sin

import numpy as np
from PIL import Image

from storyscope_demo.canvas import (
    Size,
    colour,
    filled,
    ink,
    mix,
    noise,
    smooth,
    stretched,
    to_image,
    to_mask,
)
from storyscope_demo.sprites import Pen, Sprite, shape


def fir(height: float, rng: np.random.Generator, *, snow: bool = False) -> Image.Image:
    """The mask of a fir: tiers of drooping boughs; with `snow`, only their upper edges."""
    tiers = int(rng.integers(11, 15))
    lean = rng.uniform(-0.02, 0.02)

    def draw(pen: Pen) -> None:
        if not snow:
            pen.polygon([(0.48, 0.8), (0.52, 0.8), (0.53, 1.0), (0.47, 1.0)])
        for tier in range(tiers):
            for side in (-1, 1):
                bough = _bough(rng, tier, tiers, side, lean)
                if snow:
                    pen.polygon([(x, y - 0.012) for x, y in bough])
                    pen.polygon([(x, y + 0.022) for x, y in bough], 0.0)
                else:
                    pen.polygon(bough)

    return shape((height * 0.5, height), draw, finer=3)


def wood(
    size: Size,
    rng: np.random.Generator,
    *,
    trees: int,
    height: float,
    ground: float,
    uneven: float = 0.35,
) -> Image.Image:
    """The mask of a row of firs on rolling ground, its ends meeting; fractions of the height."""
    row = Image.new("L", size)
    kinds = [fir(size.height * height * rng.uniform(1 - uneven, 1.0), rng) for _ in range(6)]
    turn = rng.uniform(0, 2 * pi)

    def hill(place: np.ndarray) -> np.ndarray:
        return ground + 0.015 * np.sin(2 * pi * (2 * place) + turn)

    for place in np.sort(rng.uniform(0, 1, trees)):
        tree = kinds[int(rng.integers(len(kinds)))]
        foot = round(size.height * (float(hill(place)) + rng.uniform(0.0, 0.03)))
        for x in (round(place * size.width), round(place * size.width) - size.width):
            row.paste(255, (x - tree.width // 2, foot - tree.height), tree)
    across = np.linspace(0, 1, size.width)[None, :]
    down = np.linspace(0, 1, size.height)[:, None]
    row.paste(255, (0, 0), to_mask(smooth(-0.003, 0.003, down - hill(across))))
    return row


def trunks(
    strip: Size, rng: np.random.Generator, *, count: int, width: float, tint: tuple[str, str]
) -> Sprite:
    """Straight trunks, lit from the right, over a strip whose ends meet."""
    bark = stretched(noise(256, 512, rng, roughness=1.0, stretch=0.15), strip)
    x = np.arange(strip.width, dtype=np.float32)[None, :]
    y = np.arange(strip.height, dtype=np.float32)[:, None] / strip.height
    opacity, tone = np.zeros_like(bark), np.zeros_like(bark)
    for index in range(count):
        middle = (index + rng.uniform(0.2, 0.8)) / count * strip.width
        half = strip.height * width * rng.uniform(0.6, 1.3) * (0.85 + 0.35 * y**3)
        lean = rng.uniform(-0.04, 0.04) * strip.height * (1 - y)
        across = ((x - middle - lean + strip.width / 2) % strip.width - strip.width / 2) / half
        opacity = np.maximum(opacity, smooth(1.04, 0.96, np.abs(across)))
        tone = np.where(np.abs(across) < 1.05, 0.25 + 0.5 * across * np.abs(across), tone)
    light = np.clip(tone + 0.9 * (bark - 0.45), 0, 1)
    pixels = mix(filled(strip, tint[0]), colour(tint[1]), light)
    return Sprite(to_image(pixels), to_mask(opacity))


def ferns(strip: Size, rng: np.random.Generator) -> Sprite:
    """Ferns along the foot of the picture, over a strip whose ends meet."""
    picture, mask = Image.new("RGB", strip, ink("#142812")), Image.new("L", strip)
    fronds = [_frond(strip.height * length) for length in (0.30, 0.38, 0.46)]
    greens = [ink(tint) for tint in ("#264a1c", "#3e6e24", "#609630", "#183418")]
    for row in range(3):
        for _ in range(42):
            frond = fronds[int(rng.integers(3))].rotate(rng.uniform(-20, 75), expand=True)
            if rng.uniform() < 0.5:
                frond = frond.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
            left = int(rng.uniform(0, 1) * strip.width)
            top = int(strip.height * (0.62 + 0.10 * row + rng.uniform(0, 0.08)))
            green = greens[int(rng.integers(len(greens)))]
            for x in (left, left - strip.width):
                picture.paste(green, (x, top), frond)
                mask.paste(255, (x, top), frond)
    return Sprite(picture, mask)


def moss(picture: Image.Image, rng: np.random.Generator) -> None:
    """Grow blades of moss along the lower edge of a picture."""
    for row, tint in enumerate(("#466c24", "#2e521c", "#142c10")):

        def blades(pen: Pen, row: int = row) -> None:
            for _ in range(420):
                x, tall = rng.uniform(-0.02, 1.02), rng.uniform(0.04, 0.13)
                foot, bend = 0.90 + 0.035 * row + 0.03 * sin(9 * x + row), rng.uniform(-0.02, 0.02)
                tip = (x + bend, foot - tall)
                pen.polygon([(x - 0.003, foot + 0.2), tip, (x + 0.003, foot + 0.2)])

        picture.paste(ink(tint), (0, 0), shape(picture.size, blades, finer=2))


def reeds(size: Size, rng: np.random.Generator) -> Sprite:
    """Reeds and bulrushes at both lower corners of the picture."""

    def draw(pen: Pen) -> None:
        for number in range(70):
            x = rng.uniform(-0.02, 0.22) if number % 2 else rng.uniform(0.84, 1.02)
            tall, bend = rng.uniform(0.14, 0.42), rng.uniform(-0.03, 0.05)
            knee, tip = (x + bend * 0.4, 1 - tall * 0.6), (x + bend, 1 - tall)
            back = (knee[0] + 0.003, knee[1])
            pen.polygon([(x - 0.0035, 1.02), knee, tip, back, (x + 0.0035, 1.02)])
            if rng.uniform() < 0.3:
                pen.ellipse(x + bend * 0.9, 1 - tall, 0.006, 0.032)

    return Sprite.drawn(size, (draw, "#1a2c18"))


def _bough(
    rng: np.random.Generator, tier: int, tiers: int, side: int, lean: float
) -> list[tuple[float, float]]:
    """One side of one tier of a fir: a triangle with a torn lower edge."""
    low, high = 0.08 + 0.86 * (tier + 1) / tiers, 0.86 * tier / tiers
    half = 0.46 * ((tier + 1.2) / tiers) ** 0.85
    teeth = int(rng.integers(4, 7))
    edge = [(0.5 + lean, high)]
    for tooth in range(teeth):
        out = half * (1 - tooth / teeth) * rng.uniform(0.86, 1.1)
        drop = low - 0.05 * tooth / teeth - rng.uniform(0, 0.012)
        edge.append((0.5 + side * out, drop))
        edge.append((0.5 + side * out * 0.86, drop - rng.uniform(0.012, 0.03)))
    return [*edge, (0.5, high + (low - high) * 0.55)]


def _frond(length: float, *, droop: float = 0.25) -> Image.Image:
    """The mask of one fern frond, growing from the left to the right."""

    def spine(t: float) -> tuple[float, float]:
        return 0.03 + 0.94 * t, 0.55 - 0.9 * droop * sin(pi * t * 0.75) + 0.5 * droop * t * t

    def draw(pen: Pen) -> None:
        for step in range(1, 26):
            x, y = spine(step / 26)
            leaf = 0.17 * sin(pi * (1.0 - 0.88 * step / 26)) + 0.02
            for side in (-1, 1):
                middle, tip = (
                    (x + leaf * 0.08, y + side * leaf * 0.55),
                    (x + leaf * 0.3, y + side * leaf),
                )
                pen.polygon([(x - 0.012, y), middle, tip, (x + 0.024, y)])
        pen.line([spine(step / 29) for step in range(30)], 0.018)

    return shape((length, length * 0.62), draw, finer=3)
