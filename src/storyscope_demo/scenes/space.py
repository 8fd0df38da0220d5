"""Space: a station, the living planet, the moon's dust, rings, a nebula, a galaxy."""

from __future__ import annotations

from math import cos, sin

import numpy as np
from PIL import Image, ImageChops

from storyscope_demo.canvas import (
    Painter,
    Size,
    add_light,
    colour,
    filled,
    grid,
    mix,
    noise,
    shaded,
    smooth,
    stretched,
    to_image,
    window,
)
from storyscope_demo.props.craft import space_station
from storyscope_demo.props.planets import (
    Globe,
    bright_star,
    craters,
    living_planet,
    ringed_giant,
    small_moon,
    starry_sky,
)
from storyscope_demo.terrain import Flight, in_shadow, lit, terrain

SHOTS = ("station", "planet", "moon", "rings", "nebula", "galaxy")

DUST = ((0.0, "#08080a"), (0.4, "#4b4a4c"), (0.8, "#b3b0aa"), (1.0, "#efece4"))


def station(size: Size, rng: np.random.Generator) -> Painter:
    """A station sails over the oceans, its wings full of sun."""
    globe = Globe(size, radius=2.4, centre=(0.75, 2.68), sun=(-0.5, -0.5, 0.5), tilt=-0.3, detail=5)
    maps = living_planet(rng, poles=False)
    sky = to_image(starry_sky(size, rng, count=260))
    craft = space_station(size.height * 0.54)

    def paint(seconds: float) -> Image.Image:
        frame = globe.paint(sky, maps, turn=60.0 * seconds + 300, drift=68.0 * seconds)
        x, y = size.width * (0.10 + 0.075 * seconds), size.height * (0.12 + 0.012 * sin(seconds))
        craft.onto(frame, x, y, turn=-12 + 1.2 * seconds)
        return frame

    return paint


def planet(size: Size, rng: np.random.Generator) -> Painter:
    """The blue planet turns below, night creeping over it."""
    globe = Globe(size, radius=0.86, centre=(0.86, 1.02), sun=(-0.72, -0.38, 0.45), tilt=0.15)
    maps = living_planet(rng)
    sky = to_image(starry_sky(size, rng, count=420))

    def paint(seconds: float) -> Image.Image:
        return globe.paint(sky, maps, turn=14.0 * seconds + 560, drift=20.0 * seconds)

    return paint


def moon(size: Size, rng: np.random.Generator) -> Painter:
    """Low over the craters of the moon, the Earth hanging above."""
    heights = craters(1024, rng)
    light = lit(heights, (-1.0, 0.2, 0.42)) * (1 - 0.85 * in_shadow(heights, climb=0.38, steps=80))
    tone = 1.05 * light + 0.14 * (noise(1024, 1024, rng, roughness=1.0) - 0.5)
    land = terrain(heights, shaded(DUST, tone))
    view = Flight(land, size, "#101012", near=90, reach=1300, haze_from=0.5, haze_most=0.5)
    sky = to_image(starry_sky(size, rng, count=260))
    side = round(size.height * 0.30)
    globe = Globe(Size(side, side), radius=0.47, centre=(0.5, 0.5), sun=(-0.8, -0.2, 0.5), tilt=0.1)
    earth = globe.paint(Image.new("RGB", (side, side)), living_planet(rng), turn=120.0, drift=0.0)
    left, top = round(size.width * 0.64), round(size.height * 0.05)
    part = (left, top, left + side, top + side)
    sky.paste(ImageChops.lighter(sky.crop(part), earth), part)

    def paint(seconds: float) -> Image.Image:
        x, y = 100.0 + 10 * seconds, 900.0 - 42 * seconds
        return view.look(sky, x=x, y=y, eye=98.0, heading=0.15, horizon=size.height * 0.36)

    return paint


def rings(size: Size, rng: np.random.Generator) -> Painter:
    """A giant and its rings, a small moon passing before them."""
    picture = to_image(ringed_giant(size.wider(1.15, 1.1), rng))
    ball = small_moon(size.height * 0.045, "#cfc4b4")

    def paint(seconds: float) -> Image.Image:
        frame = window(picture, size, x=0.2 + 0.12 * seconds, y=0.4, zoom=1.0 + 0.012 * seconds)
        x, y = size.width * (0.12 + 0.14 * seconds), size.height * (0.62 - 0.05 * seconds)
        ball.onto(frame, x, y)
        return frame

    return paint


def nebula(size: Size, rng: np.random.Generator) -> Painter:
    """Drifting into a cloud where stars are born."""
    large = size.wider(1.35, 1.35)
    x, y = grid(large)
    bend, hue, dust = (stretched(noise(512, 1024, rng, roughness=1.75), large) for _ in range(3))
    band = np.exp(-(((y - 0.5 + 0.35 * (x - 0.5) + 0.5 * (hue - 0.5)) / 0.36) ** 2))
    gas = np.clip(band * (0.25 + 1.5 * smooth(0.25, 0.85, bend)), 0, 1)
    tint = mix(filled(large, "#b03a7c"), colour("#2f6fc8"), smooth(0.38, 0.62, hue))
    pixels = (
        starry_sky(large, rng, count=1500) + (gas**1.3 * (0.35 + dust))[..., None] * tint * 0.95
    )
    core = smooth(0.52, 0.80, bend) * smooth(0.45, 0.9, gas)
    pixels += core[..., None] * colour("#ffcf9a") * 0.4
    lanes = smooth(0.54, 0.40, dust) * smooth(0.2, 0.6, gas)
    picture = to_image(pixels * (1 - 0.75 * lanes[..., None]))
    for across, down, bright in rng.uniform(0, 1, (16, 3)):
        star = bright_star(size.height * (0.02 + 0.03 * bright))
        add_light(picture, star, across * large.width, down * large.height)

    def paint(seconds: float) -> Image.Image:
        return window(picture, size, x=0.35 + 0.06 * seconds, zoom=0.78 + 0.035 * seconds)

    return paint


def galaxy(size: Size, rng: np.random.Generator) -> Painter:
    """Two hundred thousand million suns, turning."""
    spiral = to_image(_spiral(round(size.height * 2.0), rng))
    sky = to_image(starry_sky(size, rng, count=500))
    flat, roll = 1.75, -0.35

    def paint(seconds: float) -> Image.Image:
        turn, zoom = 0.05 * seconds, 1.15 - 0.02 * seconds
        spin = np.array([[cos(turn), -sin(turn)], [sin(turn), cos(turn)]])
        tilt = np.array([[cos(roll), sin(roll)], [-sin(roll), cos(roll)]])
        way = spin @ np.diag([zoom, zoom * flat]) @ tilt
        middle = np.array([size.width / 2, size.height / 2])
        shift = spiral.width / 2 - way @ middle
        affine = (*way[0], shift[0], *way[1], shift[1])
        seen = spiral.transform(size, Image.Transform.AFFINE, affine, Image.Resampling.BILINEAR)
        frame = sky.copy()
        add_light(frame, seen, *middle)
        return frame

    return paint


def _spiral(side: int, rng: np.random.Generator) -> np.ndarray:
    """A galaxy seen from above: two arms wound around a warm core."""
    at = np.linspace(-1, 1, side, dtype=np.float32)
    far, angle = np.hypot(at[None, :], at[:, None]), np.arctan2(at[:, None], at[None, :])
    square = Size(side, side)
    grain = stretched(noise(512, 512, rng, roughness=1.1), square)
    cloud = stretched(noise(512, 512, rng, roughness=1.7), square)
    wound = 2 * angle - 9.0 * np.log(far + 0.08)
    arm = np.cos(wound + 2.2 * (cloud - 0.5)) * 0.5 + 0.5
    disc = np.exp(-far * 3.4) * smooth(1.0, 0.75, far)
    light = disc * (0.22 + 1.75 * arm**2.2 * (0.35 + 1.1 * grain))
    lanes = smooth(0.5, 0.75, np.cos(wound - 0.9) * 0.5 + 0.5) * smooth(0.45, 0.65, grain)
    tint = mix(filled(square, "#ffdca8"), colour("#8fb8ff"), smooth(0.08, 0.42, far))
    pixels = light[..., None] * tint * 2.1
    pixels *= 1 - 0.6 * (lanes * smooth(0.05, 0.2, far))[..., None]
    births = arm * disc * smooth(0.70, 0.82, grain) * smooth(0.15, 0.3, far)
    pixels += births[..., None] * colour("#ff6f9a") * 1.6
    pixels += np.exp(-((far / 0.11) ** 2))[..., None] * colour("#fff2d2")
    down, right = rng.integers(0, side, (2, 1600))
    pixels[down, right] += (210 * rng.uniform(0, 1, 1600) ** 6 + 24)[:, None]
    return pixels
