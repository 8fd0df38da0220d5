"""The built world: towers, an avenue's facades, windows, a bridge, drops on a pane."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from storyscope_demo.canvas import (
    Size,
    colour,
    filled,
    grid,
    ink,
    mix,
    noise,
    smooth,
    stretched,
    to_image,
)
from storyscope_demo.sprites import Pen, shape

LAMPS = ("#ffd58a", "#ffe7b8", "#ffc46b", "#fff4dc", "#cfe4ff")


def towers(
    picture: Image.Image,
    rng: np.random.Generator,
    *,
    tall: float,
    wall: str,
    lit_part: float,
    brightness: float,
) -> None:
    """Build a row of towers along the foot of the picture, some of their windows lit."""
    draw = ImageDraw.Draw(picture)
    unit = picture.height / 230
    x = -10.0
    while x < picture.width:
        width = rng.uniform(20, 48) * unit
        top = picture.height * (1 - tall * rng.uniform(0.45, 1.0) ** 1.3)
        stone = _dimmed(colour(wall), rng.uniform(0.85, 1.15))
        draw.rectangle((x, top, x + width, picture.height), fill=stone)
        _crown(draw, x, top, width, unit, stone, rng.uniform())
        tint = colour(LAMPS[int(rng.integers(len(LAMPS)))])
        burning = rng.uniform(lit_part * 0.4, lit_part * 1.5)
        for row in np.arange(top + 3 * unit, picture.height - 2 * unit, 5.2 * unit):
            share = 1.0 if rng.uniform() < 0.06 else burning
            for column in np.arange(x + 2.5 * unit, x + width - 3 * unit, 4.0 * unit):
                if rng.uniform() < share:
                    lamp = _dimmed(tint, brightness * rng.uniform(0.55, 1.1))
                    box = (column, row, column + 1.6 * unit, row + 2.4 * unit)
                    draw.rectangle(box, fill=lamp)
        x += width * rng.uniform(0.72, 1.12)


def avenue(night: np.ndarray, size: Size, rng: np.random.Generator, vanish: float) -> np.ndarray:
    """Facades on both sides and wet asphalt, running to a point at height `vanish`."""
    x, y = grid(size)
    aside = np.abs(x - 0.5) + 1e-4
    depth, up = 0.50 / aside, (vanish - y) / aside
    block = np.floor(depth * 1.1 + np.where(x > 0.5, 3.3, 0.0)).astype(int) % 64
    roof, shade = rng.uniform(0.35, 2.1, 64)[block], rng.uniform(0.7, 1.3, 64)[block]
    facade = smooth(0.02, -0.02, up - roof) * (y < vanish + 0.52 * aside)
    cell = rng.uniform(0, 1, (256, 256))
    spot = cell[np.floor(depth * 13).astype(int) % 256, np.floor(up * 17 + 90).astype(int) % 256]
    inside = (depth * 13 % 1 > 0.25) & (up * 17 % 1 > 0.35) & (up > -0.45)
    tints = np.stack([colour(tint) for tint in LAMPS])[(spot * 997).astype(int) % len(LAMPS)]
    fade = np.clip(1.4 / (0.4 + 0.35 * depth), 0.15, 1.0) * (0.35 + 1.5 * np.abs(spot - 0.58))
    wall = colour("#12152c") * shade[..., None]
    wall = np.where((inside & (spot > 0.58))[..., None], tints * fade[..., None], wall)
    wall = mix(wall, colour("#6a4258"), np.clip(depth / 26, 0, 0.8))
    shop = (
        np.exp(-(((up + 0.62) / 0.16) ** 2))
        * rng.uniform(0.2, 0.6, 512)[(depth * 5).astype(int) % 512]
    )
    wall = wall + shop[..., None] * colour("#ffb066")
    street = mix(night, wall, facade)
    road = smooth(0.0, 0.004, y - vanish - 0.52 * aside) * (y > vanish)
    return mix(street, _asphalt(size, rng, vanish), road)


def window_pane(size: Size, rng: np.random.Generator, *, lit: bool) -> Image.Image:
    """One window of a near facade: dark, or a room with curtains and someone in it."""
    x, y = grid(size)
    if lit:
        tint = colour(LAMPS[int(rng.integers(len(LAMPS)))])
        glow = np.clip(1.05 - 0.75 * np.hypot(x - rng.uniform(0.3, 0.7), y - 0.25), 0.2, 1)
        pane = to_image(tint * glow[..., None])
        kind, place = rng.uniform(), rng.uniform(0.3, 0.7)
        pane.paste(ink("#2e1c18"), (0, 0), shape(size, lambda pen: _life(pen, kind, place)))
        reach = rng.uniform(0.10, 0.28)
        folds = 0.62 * (0.75 + 0.25 * np.sin(x * 60))
        drawn = to_image(255.0 * ((x < reach) | (x > 1 - reach)))
        pane.paste(to_image(tint * folds[..., None]), (0, 0), drawn)
    else:
        shine = np.clip(0.9 - x - y * 0.7, 0, 1)
        pane = to_image(mix(filled(size, "#0b0e22"), colour("#2a335e"), shine))
    draw = ImageDraw.Draw(pane)
    bar, wide, tall = max(1, size.width // 26), size.width, size.height
    for frame in (
        (0, 0, wide, bar),
        (0, 0, bar, tall),
        (wide - bar, 0, wide, tall),
        (wide // 2 - bar // 2, 0, wide // 2 + bar // 2, tall),
    ):
        draw.rectangle(frame, fill=ink("#22202e"))
    return pane


def cable(t: float) -> float:
    """Height of a suspension bridge's main cable at t of its length; 0 is the top."""
    if t < 0.25:
        return 0.16 + 0.64 * float((0.25 - t) / 0.25) ** 1.4
    if t > 0.75:
        return 0.16 + 0.64 * float((t - 0.75) / 0.25) ** 1.4
    return 0.16 + 0.56 * (1 - ((t - 0.5) / 0.25) ** 2)


def suspension_bridge(pen: Pen) -> None:
    """Draw towers, cables, hangers and deck across the whole width."""
    for tower in (0.25, 0.75):
        for leg in (tower - 0.016, tower + 0.016):
            top, foot = (
                [(leg - 0.006, 0.14), (leg + 0.006, 0.14)],
                [(leg + 0.008, 1), (leg - 0.008, 1)],
            )
            pen.polygon([*top, *foot])
        for bar in (0.18, 0.38, 0.60):
            left, right = tower - 0.018, tower + 0.018
            pen.polygon([(left, bar), (right, bar), (right, bar + 0.03), (left, bar + 0.03)])
    steps = [step / 120 for step in range(121)]
    pen.line([(t, cable(t)) for t in steps], 0.010)
    for t in steps[::2]:
        pen.line([(t, cable(t)), (t, 0.83)], 0.003, 0.8)
    pen.polygon([(0, 0.835), (1, 0.835), (1, 0.875), (0, 0.875)])


def _dimmed(tint: np.ndarray, part: float) -> tuple[int, int, int]:
    red, green, blue = (int(min(255.0, value * part)) for value in tint)
    return red, green, blue


def _crown(
    draw: ImageDraw.ImageDraw,
    x: float,
    top: float,
    width: float,
    unit: float,
    stone: tuple[int, int, int],
    kind: float,
) -> None:
    """What a tower ends in: a spire, a step, or nothing."""
    middle = x + width / 2
    if kind < 0.22:
        draw.polygon([(x, top), (middle, top - 14 * unit), (x + width, top)], fill=stone)
        draw.line([(middle, top - 14 * unit), (middle, top - 30 * unit)], fill=stone, width=1)
    elif kind < 0.5:
        draw.rectangle((x + width * 0.25, top - 8 * unit, x + width * 0.75, top), fill=stone)


def _asphalt(size: Size, rng: np.random.Generator, vanish: float) -> np.ndarray:
    x, y = grid(size)
    aside, below = np.abs(x - 0.5), np.maximum(y - vanish, 1e-3)
    grain = stretched(noise(256, 512, rng, roughness=1.0), size)
    wet = np.exp(-((aside / 0.22) ** 2)) * smooth(1.0, vanish, y)
    dashes = smooth(0.03, 0.01, np.abs(aside / below - 0.36)) * ((2.2 / below) % 1.0 < 0.5)
    light = 16 * grain[..., None] + wet[..., None] * colour("#c06a3a") * 0.6
    return colour("#0d0e1a") + light + 90 * dashes[..., None]


def _life(pen: Pen, kind: float, x: float) -> None:
    """Someone at home, a plant, a lamp, or nobody."""
    if kind < 0.35:
        pen.ellipse(x, 0.50, 0.075, 0.085)
        shoulders = [(x - 0.15, 0.66), (x, 0.60), (x + 0.15, 0.66)]
        pen.curve([(x - 0.17, 1.05), *shoulders, (x + 0.17, 1.05)])
    elif kind < 0.6:
        pen.polygon([(x - 0.08, 1.0), (x + 0.08, 1.0), (x + 0.10, 0.82), (x - 0.10, 0.82)])
        for lean in (-0.16, -0.06, 0.05, 0.15):
            left, right = (x + lean * 0.4 - 0.02, 0.7), (x + lean * 0.5 + 0.03, 0.7)
            pen.curve([(x, 0.84), left, (x + lean, 0.55), right])
    elif kind < 0.8:
        pen.line([(x, 0.0), (x, 0.22)], 0.015)
        pen.polygon([(x - 0.04, 0.22), (x + 0.04, 0.22), (x + 0.13, 0.36), (x - 0.13, 0.36)])
