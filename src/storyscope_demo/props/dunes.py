"""Sand, dry clay and those who cross it."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np

from storyscope_demo.canvas import Size, grid, noise, shaded, smooth, to_image, to_mask
from storyscope_demo.sprites import Pen, Sprite

DUSKY_SAND = ((0.0, "#2a120f"), (0.35, "#6a2f1c"), (0.7, "#c46f34"), (1.0, "#ffc873"))


def dune_field(side: int, rng: np.random.Generator) -> np.ndarray:
    """Heights of long dunes with sharp crests, gentle to windward and steep to lee."""
    y, x = np.mgrid[0:side, 0:side].astype(np.float32) / side
    bend, swell = noise(side, side, rng, roughness=3.0), noise(side, side, rng, roughness=2.8)
    small = noise(side, side, rng, roughness=2.2)
    great = _sawtooth(5.0 * x + 2.0 * y + 2.0 * bend)
    little = _sawtooth(13 * x - 3 * y + 2.6 * swell)
    return great**1.2 * (14 + 66 * swell) + little * 8 * (1 - great) + 6 * small


def to_two_nearest(points: np.ndarray, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Distance of each cell of a repeating square to its nearest and second nearest point."""
    nearest = np.full((side, side), np.inf, np.float32)
    second = nearest.copy()
    cells = np.arange(side, dtype=np.float32)
    for point in (points % side).astype(np.float32):
        down, across = (np.abs(cells - place) for place in point)
        down, across = np.minimum(down, side - down), np.minimum(across, side - across)
        distance = np.hypot(down[:, None], across[None, :])
        second = np.minimum(second, np.maximum(nearest, distance))
        nearest = np.minimum(nearest, distance)
    return nearest, second


def crest_line(x: np.ndarray) -> np.ndarray:
    """Height of the ridge the camels walk on: fraction of the picture, over its width."""
    return 0.70 + 0.05 * np.sin(3.2 * x + 0.4) + 0.016 * np.sin(11 * x)


def ridge(size: Size, rng: np.random.Generator) -> Sprite:
    """That ridge, its face already dark, its edge still in the sun."""
    x, y = grid(size)
    below = y - crest_line(x)
    grain = noise(size.height, size.width, rng, roughness=0.9, stretch=3.0)
    sweep = np.sin(18 * below + 9 * x + 2 * grain)
    tone = 0.46 - 0.9 * below + 0.05 * sweep + 0.12 * (grain - 0.5)
    tone += 0.55 * np.exp(-((below / 0.012) ** 2)) * np.exp(-(((x - 0.56) / 0.3) ** 2))
    return Sprite(to_image(shaded(DUSKY_SAND, tone)), to_mask(smooth(-0.002, 0.003, below)))


def camel(height: float, phase: float) -> Sprite:
    """A loaded camel walking to the right, at a phase of 0 to 1 of its stride."""
    nod = 0.012 * sin(4 * pi * phase)

    def draw(pen: Pen) -> None:
        for outline in _camel_outlines(nod):
            pen.curve(outline)
        pen.polygon([(0.80, 0.20 + nod), (0.815, 0.15 + nod), (0.83, 0.19 + nod)])
        pen.polygon([(0.33, 0.30), (0.56, 0.30), (0.62, 0.50), (0.30, 0.50)])
        pen.line([(0.23, 0.46), (0.18, 0.58), (0.185, 0.64)], 0.018)
        for hip, turn in ((0.29, 0.0), (0.33, 0.5), (0.60, 0.25), (0.64, 0.75)):
            swing = 2 * pi * (phase + turn)
            knee = (hip + 0.045 * sin(swing), 0.75)
            foot = (hip + 0.10 * sin(swing - 0.5), 0.985 - 0.035 * max(0.0, cos(swing)))
            pen.line([(hip, 0.50), knee], 0.055)
            pen.line([knee, foot], 0.034)
            pen.ellipse(foot[0] + 0.012, foot[1], 0.026, 0.015)

    return Sprite.drawn((height * 1.1, height), (draw, "#341a14"))


def _camel_outlines(nod: float) -> list[list[tuple[float, float]]]:
    back = [
        (0.22, 0.46),
        (0.30, 0.34),
        (0.40, 0.20),
        (0.47, 0.21),
        (0.55, 0.34),
        (0.66, 0.40),
        (0.70, 0.50),
        (0.60, 0.58),
        (0.42, 0.60),
        (0.27, 0.58),
    ]
    neck = [
        (0.62, 0.42),
        (0.72, 0.50),
        (0.80, 0.44),
        (0.84, 0.26 + nod),
        (0.80, 0.22 + nod),
        (0.77, 0.36),
        (0.72, 0.42),
    ]
    head = [
        (0.79, 0.20 + nod),
        (0.85, 0.18 + nod),
        (0.95, 0.24 + nod),
        (0.94, 0.275 + nod),
        (0.86, 0.29 + nod),
        (0.80, 0.27 + nod),
    ]
    return [back, neck, head]


def _sawtooth(phase: np.ndarray) -> np.ndarray:
    """0 to 1: a long rise to windward, a short fall to lee."""
    saw = phase % 1.0
    return np.where(saw < 0.62, saw / 0.62, (1.0 - saw) / 0.38)
