"""Mountains in snow: a flight over the peaks, an eagle, firs, a snowflake, a tent, first sun."""

from __future__ import annotations

from math import pi, sin

import numpy as np
from PIL import Image, ImageFilter

from storyscope_demo.canvas import (
    Painter,
    Size,
    add_light,
    glow,
    gradient,
    grid,
    ink,
    noise,
    scroll,
    shaded,
    smooth,
    stretched,
    to_image,
    to_mask,
    window,
)
from storyscope_demo.props.alpine import Snowfall, alps, crystal, lit_tent, snow_bank
from storyscope_demo.props.birds import eagle as eagle_in_flight
from storyscope_demo.props.plants import fir
from storyscope_demo.sprites import Sprite
from storyscope_demo.terrain import Flight, lit

SHOTS = ("peaks", "eagle", "firs", "snowflake", "tent", "alpenglow")

SKY = ((0.0, "#1f5fa8"), (0.6, "#7db3de"), (1.0, "#dcebf4"))
SUNRISE = ((0.0, "#3a4f86"), (0.5, "#9d88ad"), (0.8, "#f0b7a0"), (1.0, "#fbd9b8"))
SNOW = ((0.0, "#22395c"), (0.35, "#5f86b4"), (0.6, "#a9c6e2"), (0.85, "#eef5fb"), (1.0, "#ffffff"))
ROSE = ((0.0, "#2a3560"), (0.35, "#5d6496"), (0.62, "#c08f9f"), (0.85, "#ffc79e"), (1.0, "#fff0cf"))
NIGHT = ((0.0, "#16264f"), (0.4, "#2c4d84"), (0.65, "#41699f"), (0.85, "#7fa2c9"), (1.0, "#b4cce4"))
ICE = ((0.0, "#3f7fb8"), (0.55, "#bfe0f5"), (1.0, "#ffffff"))
COLD = ((0.0, "#0d2b52"), (0.5, "#2f6aa3"), (1.0, "#9cc7e6"))


def peaks(size: Size, rng: np.random.Generator) -> Painter:
    """Flying between snowy peaks."""
    haze = "#cfe2f0"
    view = Flight(alps(rng, SNOW), size, haze, reach=1600, near=120, haze_from=0.15, haze_most=0.8)
    sky = to_image(gradient(size, *((place * 0.45, tint) for place, tint in SKY)))

    def paint(seconds: float) -> Image.Image:
        return view.look(
            sky,
            x=512.0 + 20 * seconds,
            y=700.0 - 48 * seconds,
            eye=262.0,
            heading=-0.35 + 0.07 * seconds,
            horizon=size.height * 0.26,
        )

    return paint


def eagle(size: Size, rng: np.random.Generator) -> Painter:
    """An eagle circles, the mountains far out of focus behind it."""
    large = size.wider(1.5)
    view = Flight(alps(rng, SNOW), large, "#cfe2f0", near=200, view=1.1, haze_from=0.0)
    sky = to_image(gradient(large, *((place * 0.7, tint) for place, tint in SKY)))
    back = view.look(sky, x=512.0, y=700.0, eye=215.0, heading=-0.5, horizon=large.height * 0.55)
    back = back.filter(ImageFilter.GaussianBlur(size.height * 0.006))
    beats = [eagle_in_flight(size.height * 0.72, step * pi / 12) for step in range(24)]

    def paint(seconds: float) -> Image.Image:
        frame = window(back, size, x=0.1 + 0.16 * seconds)
        moment = seconds % 2.4
        bird = beats[int(moment / 0.8 * 24) % 24 if moment < 1.6 else 0]
        x = size.width * (0.28 + 0.05 * sin(0.9 * seconds))
        y = size.height * (0.04 + 0.03 * sin(1.4 * seconds))
        bird.onto(frame, x, y, turn=9.0 * sin(0.8 * seconds))
        return frame

    return paint


def firs(size: Size, rng: np.random.Generator) -> Painter:
    """Snow falls on firs that already carry all they can."""
    large = size.wider(1.25)
    picture = to_image(gradient(large, (0.0, "#8fa9c6"), (0.55, "#c6d6e6"), (1.0, "#eef3f8")))
    for tall, foot, count, dark, white in (
        (0.35, 0.66, 26, "#8499b4", "#cddae8"),
        (0.55, 0.80, 13, "#4d6a86", "#dfe9f2"),
        (0.92, 1.0, 6, "#1c3a4c", "#f7fafd"),
    ):
        snow_bank(large, foot, rng).onto(picture, 0, 0)
        for place in np.linspace(0.02, 0.98, count) + rng.uniform(-0.03, 0.03, count):
            seed, height = int(rng.integers(2**31)), large.height * tall * rng.uniform(0.75, 1.05)
            tree = fir(height, np.random.default_rng(seed))
            load = fir(height, np.random.default_rng(seed), snow=True)
            left = round(place * large.width - tree.width / 2)
            top = round(large.height * (foot + 0.03) - tree.height)
            picture.paste(ink(dark), (left, top), tree)
            picture.paste(ink(white), (left, top), load)
    snow_bank(large, 0.95, rng).onto(picture, 0, 0)
    snowfall = Snowfall(rng)

    def paint(seconds: float) -> Image.Image:
        frame = window(picture, size, x=0.15 + 0.14 * seconds)
        snowfall.onto(frame, seconds)
        return frame

    return paint


def snowflake(size: Size, rng: np.random.Generator) -> Painter:
    """One crystal, six arms alike, turning in cold light."""
    side = round(size.height * 0.95)
    mask = crystal(side, rng)
    raised = np.asarray(mask.filter(ImageFilter.GaussianBlur(1.6)), dtype=np.float32) / 22
    relief = lit(raised, (-1, -1, 0.9))
    ice = Sprite(
        to_image(shaded(ICE, relief)),
        to_mask(np.asarray(mask, dtype=np.float32) / 255 * (0.55 + 0.45 * relief)),
    )
    shade = mask.filter(ImageFilter.GaussianBlur(side * 0.012)).point(lambda value: value // 3)
    x, y = grid(size)
    cloud = stretched(noise(180, 320, rng, roughness=2.0), size)
    back = to_image(shaded(COLD, 0.75 - 0.8 * np.hypot(x - 0.62, y - 0.35) + 0.5 * (cloud - 0.5)))
    snowfall = Snowfall(rng, count=40)

    def paint(seconds: float) -> Image.Image:
        frame = back.copy()
        left, top = (size.width - side) / 2, (size.height - side) / 2
        below = shade.rotate(7.0 * seconds, Image.Resampling.BILINEAR)
        frame.paste(ink("#0a1e3c"), (round(left) + 8, round(top) + 10), below)
        ice.onto(frame, left, top, turn=7.0 * seconds)
        snowfall.onto(frame, seconds)
        return frame

    return paint


def tent(size: Size, rng: np.random.Generator) -> Painter:
    """Blue hour: a lit tent below the wall, and the first stars."""
    large = size.wider(1.1, 1.1)
    view = Flight(alps(rng, NIGHT), large, "#5f86b8", reach=1100, near=300, view=0.6, haze_most=0.6)
    sky = gradient(large, (0.0, "#0c1a3d"), (0.45, "#37588f"), (0.7, "#8aa5c8"), (1.0, "#8aa5c8"))
    for x, y, bright in rng.uniform(0, 1, (160, 3)):
        sky[int(y * 0.4 * large.height), int(x * large.width)] += 190 * bright**3
    horizon = large.height * 0.42
    picture = view.look(to_image(sky), x=715.0, y=459.0, eye=176.0, heading=2.7, horizon=horizon)
    snow_bank(large, 0.76, rng, ("#3b5f95", "#93b1d4")).onto(picture, 0, 0)
    pool = glow(size.height * 0.52, "#ff9a3c", strength=0.85, falloff=2.4)
    pool = pool.resize((pool.width, pool.height // 3))
    add_light(picture, pool, large.width * 0.42, large.height * 0.86)
    shelter = lit_tent(large)
    picture.paste(shelter.picture, (0, 0), shelter.mask)
    lamp = glow(size.height * 0.20, "#ffb454", strength=0.5)
    snowfall = Snowfall(rng, count=70)

    def paint(seconds: float) -> Image.Image:
        frame = window(picture, size, y=0.8 - 0.1 * seconds, zoom=1.0 + 0.015 * seconds)
        flicker = 0.75 + 0.25 * sin(11 * seconds) * sin(4.3 * seconds)
        light = lamp.point(lambda value: int(value * flicker))
        add_light(frame, light, size.width * 0.41, size.height * (0.80 + 0.01 * seconds))
        snowfall.onto(frame, seconds)
        return frame

    return paint


def alpenglow(size: Size, rng: np.random.Generator) -> Painter:
    """First sun on the summits, a sea of cloud flowing below."""
    large = size.wider(1.15)
    view = Flight(
        alps(rng, ROSE), large, "#c9a9b4", reach=1300, near=220, steps=600, view=0.85,
        haze_from=0.1, haze_most=0.75,
    )  # fmt: skip
    sky = to_image(gradient(large, *((place * 0.6, tint) for place, tint in SUNRISE)))
    horizon = large.height * 0.42
    picture = view.look(sky, x=475.0, y=227.0, eye=165.0, heading=-0.5, horizon=horizon)
    _, down = grid(size.wider(1.8))
    layers = []
    for low, tint, speed in ((0.74, "#e2c4c8", 0.016), (0.88, "#f6e2dc", 0.034)):
        field = stretched(noise(256, 1024, rng, roughness=1.6, stretch=1.8), size.wider(1.8))
        cover = smooth(0.0, 0.22, down - low + 0.42 * (field - 0.5)) * (0.72 + 0.28 * field)
        layers.append((to_mask(cover), ink(tint), speed))

    def paint(seconds: float) -> Image.Image:
        frame = window(picture, size, x=0.2 + 0.1 * seconds)
        for mask, tint, speed in layers:
            frame.paste(tint, (0, 0), scroll(mask, size, speed * seconds * size.width))
        return frame

    return paint
