"""Desert: dunes from the air, ripples, a caravan, wind on a crest and a dry lake."""

from __future__ import annotations

from math import pi, sin

import numpy as np
from PIL import Image

from storyscope_demo.canvas import (
    Painter,
    Size,
    add_light,
    colour,
    filled,
    glow,
    gradient,
    grid,
    mix,
    noise,
    shaded,
    smooth,
    stretched,
    to_image,
    to_mask,
    window,
)
from storyscope_demo.props.dunes import camel, crest_line, dune_field, ridge, to_two_nearest
from storyscope_demo.terrain import Flight, in_shadow, lit, terrain

SHOTS = ("dunes", "ripples", "caravan", "crest", "cracks")

SKY = ((0.0, "#4f86b8"), (0.5, "#a9c4d0"), (0.85, "#f0dcb8"), (1.0, "#f7e2bb"))
EVENING = ((0.0, "#6d5a86"), (0.35, "#c77f6a"), (0.7, "#f5a65b"), (1.0, "#ffd98a"))
SAND = ((0.0, "#4a2417"), (0.3, "#8f4c22"), (0.6, "#d08a42"), (0.85, "#efc077"), (1.0, "#fbe3ac"))
CLAY = ((0.0, "#2e1a12"), (0.4, "#8a5636"), (0.75, "#c9935f"), (1.0, "#ecc795"))


def dunes(size: Size, rng: np.random.Generator) -> Painter:
    """Flying low over a sea of dunes."""
    side = 1024
    heights = dune_field(side, rng)
    light = lit(heights, (-1.0, 0.35, 0.62)) * (1.0 - 0.55 * in_shadow(heights, climb=0.42))
    tone = 1.02 * light - 0.03 + 0.10 * (noise(side, side, rng, roughness=0.9) - 0.5)
    land = terrain(heights, shaded(SAND, tone))
    view = Flight(land, size, "#f0d9b0", near=110, haze_from=0.12)
    sky = to_image(gradient(size, *((place * 0.42, tint) for place, tint in SKY)))

    def paint(seconds: float) -> Image.Image:
        return view.look(
            sky,
            x=300.0 + 12 * seconds,
            y=900.0 - 55 * seconds,
            eye=118.0 + 4 * sin(0.7 * seconds),
            heading=0.25 + 0.05 * seconds,
            horizon=size.height * 0.30,
        )

    return paint


def ripples(size: Size, rng: np.random.Generator) -> Painter:
    """Close to the ground: ripples in raking light, grains blowing over them."""
    large = size.wider(1.25, 1.1)
    x, y = grid(large)
    depth = 1.0 / (0.16 + y)
    bend = noise(512, 512, rng, roughness=1.9)
    across, along = (x - 0.5) * depth * 2.2 + 8, depth * 3.0
    bent = bend[(along * 60).astype(int) & 511, (across * 60).astype(int) & 511]
    saw = ((along * 9.0 + 1.3 * across + 7.0 * bent) / (2 * pi) * 2.4) % 1.0
    light = np.where(saw < 0.72, 0.35 + 0.75 * saw / 0.72, 1.1 - 3.4 * (saw - 0.72))
    grain = noise(large.height, large.width, rng, roughness=0.35)
    pixels = shaded(SAND, 0.18 + 0.62 * light + 0.35 * (grain - 0.5))
    ground = to_image(mix(pixels, colour("#f2d29a"), smooth(0.18, 0.0, y) * 0.85))
    dust = noise(256, 1024, rng, roughness=1.3, stretch=6.0)
    blown = to_mask(stretched(smooth(0.5, 0.85, dust) * 0.7, size.wider(3.2)))

    def paint(seconds: float) -> Image.Image:
        frame = window(ground, size, x=0.1 + 0.16 * seconds, y=0.6 - 0.1 * seconds)
        left = blown.width - size.width - int(seconds * 0.9 * size.width) % (2 * size.width)
        gust = blown.crop((left, 0, left + size.width, size.height))
        frame.paste((250, 226, 176), (0, 0), gust)
        return frame

    return paint


def caravan(size: Size, rng: np.random.Generator) -> Painter:
    """Camels cross a ridge before the setting sun."""
    sky = to_image(gradient(size, *((place * 0.8, tint) for place, tint in EVENING)))
    sun = (size.width * 0.56, size.height * 0.44)
    add_light(sky, glow(size.height * 0.75, "#ff8a3c", strength=0.6), *sun)
    add_light(sky, glow(size.height * 0.15, "#ffdf9a", strength=1.4, falloff=0.35), *sun)
    ground = ridge(size, rng)
    stride = [camel(size.height * 0.26, step / 16) for step in range(16)]
    foal = [pose.scaled(0.72) for pose in stride]
    walkers = [(0.0, 0.0), (0.14, 0.3), (0.27, 0.62), (0.40, 0.1), (0.50, 0.5)]

    def paint(seconds: float) -> Image.Image:
        frame = sky.copy()
        for place, (behind, phase) in enumerate(walkers):
            poses = foal if place == len(walkers) - 1 else stride
            pose = poses[int((seconds * 0.75 + phase) * 16) % 16]
            x = 0.60 - behind + 0.035 * seconds
            foot = float(crest_line(np.array(x))) + 0.012
            left, top = x * size.width - pose.mask.width / 2, foot * size.height - pose.mask.height
            pose.onto(frame, left, top)
        frame.paste(ground.picture, (0, 0), ground.mask)
        return frame

    return paint


def crest(size: Size, rng: np.random.Generator) -> Painter:
    """One great dune, half in light and half in shade, sand smoking from its crest."""
    picture = to_image(_great_dune(size.wider(1.2, 1.1), rng))
    veil = Size(size.width, round(size.height * 0.5))
    x, y = grid(veil)
    streak = np.exp(-(((y - 0.45 - 0.5 * (x - 0.64)) / (0.02 + 0.4 * np.abs(x - 0.64))) ** 2))
    fade = 0.95 * smooth(0.64, 0.66, x) * smooth(1.0, 0.72, x) * streak
    wisps = stretched(noise(128, 512, rng, roughness=1.5, stretch=3.0), veil.wider(2.0))

    def paint(seconds: float) -> Image.Image:
        frame = window(picture, size, x=0.35 + 0.05 * seconds, y=0.3, zoom=1.0 + 0.012 * seconds)
        left = size.width - int(seconds * size.width * 0.22) % size.width
        smoke = smooth(0.35, 0.7, wisps[:, left : left + size.width]) * fade
        frame.paste((255, 236, 196), (0, 0), to_mask(smoke))
        return frame

    return paint


def cracks(size: Size, rng: np.random.Generator) -> Painter:
    """A lake bed that dried long ago, the camera gliding over its tiles."""
    side = 512
    points = (np.mgrid[0:9, 0:9].reshape(2, -1).T + rng.uniform(0.1, 0.9, (81, 2))) * side / 9
    nearest, second = to_two_nearest(points, side)
    edge = second - nearest
    curl = noise(side, side, rng, roughness=1.2)
    tiles = smooth(1.0, 9.0, edge + 6 * (curl - 0.5))
    heights = 4.0 * tiles + 1.6 * smooth(5, 22, 30 - edge) + 2.4 * curl
    shade = 0.55 * smooth(6.0, 1.0, edge + 4 * (curl - 0.5))
    land = terrain(heights, shaded(CLAY, 0.25 + 0.75 * lit(heights, (-1.0, 0.5, 0.8)) - shade))
    view = Flight(land, size, "#f2dcb4", near=30, steps=220, haze_from=0.1)
    sky = to_image(gradient(size, *((place * 0.3, tint) for place, tint in SKY)))

    def paint(seconds: float) -> Image.Image:
        return view.look(
            sky,
            x=40.0 * seconds,
            y=500.0 - 22 * seconds,
            eye=64.0,
            heading=0.3,
            horizon=size.height * 0.16,
        )

    return paint


def _great_dune(size: Size, rng: np.random.Generator) -> np.ndarray:
    x, y = grid(size)
    pixels = gradient(size, *((place * 0.62, tint) for place, tint in SKY))
    far_top = 0.60 + 0.05 * np.sin(x * 7 + 1) + 0.02 * np.sin(x * 17)
    far = shaded(((0, "#b57f4c"), (1, "#e0b884")), 0.3 + 0.7 * np.sin(x * 9 + y * 6) ** 2)
    hazy = far * 0.55 + filled(size, "#efd7ae") * 0.45
    pixels = mix(pixels, hazy, smooth(0, 0.006, y - far_top))
    peak_x, peak_y = 0.60, 0.24
    away = np.abs(x - peak_x)
    top = peak_y + np.where(x < peak_x, 0.95 * away**1.25, 0.9 * away**1.12)
    bend = 0.07 * np.sin((y - peak_y) * 7.5) * smooth(0.2, 0.5, y)
    spine = peak_x - 0.26 * smooth(0.0, 1.0, (y - peak_y) / 0.8) + bend
    lee = smooth(-0.004, 0.006, x - spine)
    grain = noise(size.height, size.width, rng, roughness=0.5) - 0.5
    wavy = np.sin((y * 90 + x * 40) * (1 + 0.06 * np.sin(9 * x))) * 0.05 * smooth(0.4, 0.9, y)
    bright = 0.80 - 0.22 * (y - top) + wavy + 0.16 * grain
    dark = 0.36 - 0.10 * (x - spine) + 0.10 * grain
    tone = bright * (1 - lee) + dark * lee
    return mix(pixels, shaded(SAND, tone), smooth(-0.003, 0.003, y - top))
