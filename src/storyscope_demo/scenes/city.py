"""Night city: the skyline over its river, an avenue, windows, rain on glass, a bridge."""

from __future__ import annotations

from math import copysign, sin

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from storyscope_demo.canvas import (
    Painter,
    Size,
    add_light,
    colour,
    filled,
    glow,
    gradient,
    noise,
    smooth,
    stretched,
    to_image,
    window,
)
from storyscope_demo.props import buildings
from storyscope_demo.props.buildings import cable, suspension_bridge, towers, window_pane
from storyscope_demo.props.mirror import Mirror
from storyscope_demo.sprites import Pen, shape

SHOTS = ("skyline", "avenue", "windows", "rain", "bridge")

NIGHT = ((0.0, "#060a1c"), (0.45, "#13204a"), (0.8, "#3a3566"), (1.0, "#7a4b6b"))
STREET = ("#ffcf7a", "#ff9a3c", "#ff4a30", "#7fd0ff", "#fff0c9", "#8cffb0")


def skyline(size: Size, rng: np.random.Generator) -> Painter:
    """Towers and their reflections, the camera gliding along the river."""
    shore = Size(round(size.width * 1.3), round(size.height * 0.64))
    picture = to_image(gradient(shore, *NIGHT))
    moon = (shore.width * 0.70, shore.height * 0.24)
    add_light(picture, glow(size.height * 0.30, "#8fa3d8", strength=0.5), *moon)
    disc = glow(size.height * 0.055, "#fff6df", strength=6.0, falloff=0.5)
    add_light(picture, disc, *moon)
    towers(picture, rng, tall=0.42, wall="#232a52", lit_part=0.28, brightness=0.45)
    towers(picture, rng, tall=0.66, wall="#141a38", lit_part=0.40, brightness=0.75)
    towers(picture, rng, tall=0.86, wall="#0a0d20", lit_part=0.46, brightness=1.0)
    river = Mirror(
        picture, size.height - shore.height, rng, depth_tint="#0c1230", glint="#33488a",
        chop=46, squeeze=1.35, smear=4,
    )  # fmt: skip

    def paint(seconds: float) -> Image.Image:
        return window(river.paint(seconds), size, x=0.1 + 0.12 * seconds)

    return paint


def avenue(size: Size, rng: np.random.Generator) -> Painter:
    """Down the middle of an avenue: white lights come, red lights go."""
    vanish = 0.40
    night = gradient(size, *((place * 0.6, tint) for place, tint in NIGHT))
    picture = to_image(buildings.avenue(night, size, rng, vanish))
    far = glow(size.height * 0.42, "#ff9a4a", strength=0.55)
    add_light(picture, far, size.width * 0.5, size.height * vanish)
    cars = [(rng.uniform(0, 1), lane) for lane in (-2, -1, 1, 2) for _ in range(9)]
    heads = _car_lights("#fff0cf", size.height * 0.10)
    tails = _car_lights("#ff2a1c", size.height * 0.08)

    def paint(seconds: float) -> Image.Image:
        frame = picture.copy()
        for start, lane in cars:
            lights, speed = (heads, 0.20) if lane < 0 else (tails, -0.13)
            near = 1.0 / (22.0 - 21.6 * ((start + speed * seconds) % 1.0))
            x = size.width * (0.5 + (lane - copysign(0.5, lane)) * 0.36 * near)
            y = size.height * (vanish + 0.50 * near)
            lamp, wet = lights[min(len(lights) - 1, int(13 * near**0.6))]
            for side in (-1, 1):
                at = x + side * size.width * 0.060 * near
                add_light(frame, lamp, at, y)
                add_light(frame, wet, at, y + size.height * 0.16 * near)
        return frame

    return paint


def windows(size: Size, rng: np.random.Generator) -> Painter:
    """One facade, close: each window a life; lights go on and off."""
    large = size.wider(1.0, 1.6)
    across, floors = 6, 6
    brick = stretched(noise(512, 1024, rng, roughness=1.2), large)
    dark = to_image(filled(large, "#23233d") * (0.7 + 0.6 * brick[..., None]))
    bright = dark.copy()
    wide, tall = large.width / across, large.height / floors
    pane = Size(round(wide * 0.66), round(tall * 0.70))
    for floor in range(floors):
        for place in range(across):
            left, top = round((place + 0.17) * wide), round((floor + 0.16) * tall)
            for wall, lit in ((dark, False), (bright, True)):
                sill = (left - 4, top + pane.height, left + pane.width + 4, top + pane.height + 6)
                ImageDraw.Draw(wall).rectangle(sill, fill=(58, 56, 80))
                wall.paste(window_pane(pane, rng, lit=lit), (left, top))
    on = rng.uniform(-4.0, 4.0, (floors, across))
    off = on + rng.uniform(3.0, 9.0, on.shape)

    def paint(seconds: float) -> Image.Image:
        frame = dark.copy()
        for floor, place in np.argwhere((on < seconds) & (off > seconds)):
            box = (place * wide, floor * tall, (place + 1) * wide, (floor + 1) * tall)
            cell = tuple(round(edge) for edge in box)
            frame.paste(bright.crop(cell), cell[:2])
        return window(frame, size, y=0.85 - 0.18 * seconds)

    return paint


def rain(size: Size, rng: np.random.Generator) -> Painter:
    """Through a wet pane: the street is only coloured discs."""
    base = to_image(gradient(size, (0.0, "#0a0d22"), (0.6, "#1d1c3c"), (1.0, "#2a1c2e")))
    discs = [_disc(size.height * radius, tint) for tint in STREET for radius in (0.05, 0.08, 0.12)]
    lights = [
        (rng.uniform(0, 1), rng.beta(4, 3), discs[int(rng.integers(len(discs)))], drift)
        for drift in rng.uniform(-0.10, 0.10, 46)
    ]
    still = [(rng.uniform(0, 1), rng.uniform(0, 1), rng.uniform(0.006, 0.024)) for _ in range(110)]
    running = [(rng.uniform(0, 1), rng.uniform(0, 1), rng.uniform(0.1, 0.32)) for _ in range(9)]
    lens = {side: shape((side, side), _drop_outline) for side in range(3, size.height // 12 + 4)}

    def drop(frame: Image.Image, street: Image.Image, x: float, y: float, radius: float) -> None:
        side = max(3, min(max(lens), round(radius * size.height * 2)))
        left, top = int(x * size.width - side / 2), int(y * size.height - side / 2)
        seen_x = int(x % 1.0 * (street.width - side))
        seen_y = int(y % 1.0 * max(1, street.height - side))
        view = street.crop((seen_x, seen_y, seen_x + side, seen_y + side))
        frame.paste(view, (left, top), lens[side])

    def paint(seconds: float) -> Image.Image:
        frame = base.copy()
        for x, y, disc, drift in lights:
            at = (x + drift * seconds) % 1.1 - 0.05
            add_light(frame, disc, at * size.width, y * size.height)
        street = frame.resize((size.width // 4, size.height // 4), Image.Resampling.BOX)
        street = street.transpose(Image.Transpose.ROTATE_180).point(lambda v: min(255, v + 30))
        for x, y, radius in still:
            drop(frame, street, x, y, radius)
        for x, y, speed in running:
            wobble = 0.004 * sin(9 * y + 5 * seconds)
            drop(frame, street, x + wobble, (y + speed * seconds) % 1.1, 0.022)
        return frame

    return paint


def bridge(size: Size, rng: np.random.Generator) -> Painter:
    """A lit bridge; the traffic crosses it as two strings of beads."""
    shore = Size(round(size.width * 1.15), round(size.height * 0.68))
    picture = to_image(gradient(shore, *NIGHT))
    towers(picture, rng, tall=0.30, wall="#1a2145", lit_part=0.35, brightness=0.5)
    picture.paste((14, 16, 32), (0, 0), shape(shore, suspension_bridge, finer=3))
    for tower in (0.25, 0.75):
        flood = glow(size.height * 0.25, "#ffb35c", strength=0.42)
        add_light(picture, flood, shore.width * tower, shore.height * 0.55)
    lamp = glow(size.height * 0.022, "#ffdf9c", strength=1.5)
    for step in range(61):
        add_light(picture, lamp, step / 60 * shore.width, cable(step / 60) * shore.height)
    river = Mirror(
        picture, size.height - shore.height, rng, depth_tint="#0c1230", glint="#33488a",
        chop=40, squeeze=1.5, smear=5,
    )  # fmt: skip
    head = glow(size.height * 0.016, "#fff2d0", strength=2.2)
    tail = glow(size.height * 0.014, "#ff3a24", strength=2.0)
    cars = rng.uniform(0, 1, (2, 26))

    def paint(seconds: float) -> Image.Image:
        frame = river.paint(seconds)
        for lane, light, speed in ((0, head, 0.060), (1, tail, -0.048)):
            for start in cars[lane]:
                at = (start + speed * seconds) % 1.0
                add_light(frame, light, at * shore.width, shore.height * (0.818 + 0.012 * lane))
        return window(frame, size, x=0.9 - 0.2 * seconds)

    return paint


def _car_lights(tint: str, largest: float) -> list[tuple[Image.Image, Image.Image]]:
    """A lamp from far to near, each with its reflection on wet asphalt."""
    lights = []
    for radius in np.geomspace(2, largest, 14):
        lamp = glow(float(radius), tint, strength=1.7, falloff=1.5)
        wet = lamp.resize((max(1, lamp.width // 2), lamp.height * 2))
        lights.append((lamp, wet.point(lambda value: int(value * 0.35))))
    return lights


def _disc(radius: float, tint: str) -> Image.Image:
    """A point of light out of focus: a flat disc with a brighter rim."""
    side = max(5, round(radius) * 2 + 1)
    at = np.linspace(-1.05, 1.05, side, dtype=np.float32)
    far = np.hypot(at[:, None], at[None, :])
    light = (0.42 + 0.25 * smooth(0.7, 0.96, far)) * smooth(1.03, 0.97, far)
    return to_image(light[..., None] * colour(tint) * 0.8).filter(ImageFilter.BoxBlur(0.6))


def _drop_outline(pen: Pen) -> None:
    pen.ellipse(0.5, 0.5, 0.47, 0.5, 0.85)
