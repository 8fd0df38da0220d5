"""Open sea: first light, a sail, gulls, the surf and a lighthouse."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
from PIL import Image

from storyscope_demo.canvas import (
    Painter,
    Size,
    add_light,
    glow,
    grid,
    look_up,
    noise,
    pack,
    ramp,
    shaded,
    smooth,
    stretched,
    to_image,
    to_mask,
    window,
)
from storyscope_demo.props import coast
from storyscope_demo.props.birds import gull
from storyscope_demo.props.skies import cloudy_sky, cumulus
from storyscope_demo.props.swell import SunlitSea

SHOTS = ("dawn", "sail", "gulls", "surf", "lighthouse")

DAWN_SKY = (
    (0.0, "#23507e"),
    (0.35, "#5d8fae"),
    (0.62, "#d9b48f"),
    (0.85, "#ffcf8a"),
    (1.0, "#ffe3ae"),
)
DAWN_WATER = (
    (0.0, "#0a2437"),
    (0.35, "#1b4c66"),
    (0.6, "#5f8794"),
    (0.8, "#e0b583"),
    (1.0, "#fff3cf"),
)
DAY_SKY = ((0.0, "#2f74b5"), (0.55, "#7fb4dc"), (1.0, "#dcecf3"))
DAY_WATER = (
    (0.0, "#04243f"),
    (0.4, "#0f4f78"),
    (0.68, "#3584ac"),
    (0.88, "#9fcfe2"),
    (1.0, "#ffffff"),
)
SAND = ((0.0, "#b08d5f"), (0.5, "#d9bd8c"), (1.0, "#f0dfb8"))
SHALLOWS = (
    (0.0, "#d9cfa6"),
    (0.12, "#86cfc4"),
    (0.35, "#2fa3b5"),
    (0.7, "#12708f"),
    (1.0, "#0a4a70"),
)


def dawn(size: Size, rng: np.random.Generator) -> Painter:
    """First light on the swell, the camera drifting towards the sun."""
    horizon = 0.46
    sky = cloudy_sky(size, rng, DAWN_SKY, clouds="#fff0cf", shade="#8a7f92", horizon=horizon)
    sun = (size.width * 0.6, size.height * 0.405)
    add_light(sky, glow(size.height * 0.55, "#ff9c4a", strength=0.8), *sun)
    add_light(sky, glow(size.height * 0.10, "#fff2c4", strength=1.6, falloff=0.7), *sun)
    water = SunlitSea(size, rng, DAWN_WATER, horizon=horizon, haze="#f5c48a", sun_at=0.6)

    def paint(seconds: float) -> Image.Image:
        frame = sky.copy()
        water.onto(frame, seconds, forward=-14.0 * seconds)
        return frame

    return paint


def sail(size: Size, rng: np.random.Generator) -> Painter:
    """A yawl leans into the wind and crosses the picture."""
    horizon = 0.55
    sky = cumulus(size.wider(1.2), rng, DAY_SKY, clouds="#ffffff", shade="#9db8d0")
    water = SunlitSea(size, rng, DAY_WATER, horizon=horizon, haze="#a9cfe0", sun_at=0.2)
    boat = coast.yawl(size.height * 0.74)
    foam = stretched(noise(64, 256, rng, roughness=1.2, stretch=3.0), size.wider(0.6, 0.10))
    x, y = grid(size.wider(0.6, 0.10))
    wake = to_mask(
        smooth(0.45, 0.7, foam + 0.2) * smooth(0.0, 0.6, x) * smooth(1.0, 0.94, x)
        * np.sin(pi * np.clip(y, 0, 1)) * 0.9
    )  # fmt: skip

    def paint(seconds: float) -> Image.Image:
        frame = window(sky, size, x=0.1 + 0.06 * seconds, y=1.0)
        water.onto(frame, seconds, sideways=30.0 * seconds)
        left = size.width * (0.16 + 0.05 * seconds)
        top = size.height * (0.01 + 0.010 * sin(1.7 * seconds))
        stern = round(left + boat.mask.width * 0.80 - wake.width)
        frame.paste((226, 240, 244), (stern, round(top + boat.mask.height * 0.83)), wake)
        boat.onto(frame, left, top, turn=-6.0 + 2.5 * sin(1.3 * seconds))
        return frame

    return paint


def gulls(size: Size, rng: np.random.Generator) -> Painter:
    """Gulls ride the wind under summer clouds, the camera panning with them."""
    sky = cumulus(size.wider(1.5, 1.15), rng, DAY_SKY, clouds="#ffffff", shade="#9fb9d2")
    beats = [gull(size.height * 0.40, turn * pi / 8) for turn in range(16)]
    places = [
        (rng.uniform(0, 1), rng.uniform(0.02, 0.7), size_of, rng.uniform(0, 6))
        for size_of in np.geomspace(0.22, 1.0, 10)
    ]
    flock = [(*place, [bird.scaled(place[2]) for bird in beats]) for place in places]

    def paint(seconds: float) -> Image.Image:
        frame = window(sky, size, x=0.1 + 0.1 * seconds, y=0.7 - 0.1 * seconds)
        for x, y, near, phase, poses in flock:
            beat = int((seconds * (7.5 - 2.5 * near) + phase * 3) * 16 / (2 * pi)) % 16
            left = ((x + (0.05 + 0.09 * near) * seconds) % 1.3 - 0.2) * size.width
            top = (y + 0.02 * sin(seconds * 1.1 + phase)) * size.height
            poses[beat].onto(frame, left, top)
        return frame

    return paint


def surf(size: Size, rng: np.random.Generator) -> Painter:
    """From above: waves run up a beach and draw back."""
    x, y = grid(size)
    bend = stretched(noise(256, 512, rng, roughness=1.7), size)
    lace = noise(512, 512, rng, roughness=1.1)
    grain = noise(size.height, size.width, rng, roughness=0.6)
    shore = (x * 0.95 - y * 0.38 - 0.42) + 0.26 * (bend - 0.5)
    damp = 1.0 - 0.32 * smooth(-0.10, -0.02, -shore)
    beach = to_image(shaded(SAND, 0.45 + 0.9 * (grain - 0.5) + 0.6 * shore) * damp[..., None])
    water = pack(ramp(*SHALLOWS))
    rows, columns = np.mgrid[0 : size.height, 0 : size.width].astype(np.int32)

    def paint(seconds: float) -> Image.Image:
        depth = 0.05 * sin(1.25 * seconds) + 0.01 - shore
        web = lace[(rows + int(9 * seconds)) & 511, (columns + int(22 * seconds)) & 511]
        fine = lace[(rows * 2 - int(7 * seconds)) & 511, (columns * 2 + int(30 * seconds)) & 511]
        cells = np.clip(1.35 - np.abs(web + 0.6 * fine - 0.8) * 5.0, 0.0, 1.0)
        tone = np.clip(depth * 330 + 26 * (web - 0.5), 0, 255).astype(np.int32)
        wet = smooth(0.0, 0.015, depth) * np.clip(0.35 + depth * 8, 0, 1)
        frame = beach.copy()
        frame.paste(look_up(water, tone), (0, 0), to_mask(wet))
        crest = (depth * 5.2 - 0.55 * seconds + 0.5 * (bend - 0.5)) % 1.0
        breaker = np.exp(-(((crest - 0.5) * 9.0) ** 2)) * smooth(0.0, 0.10, depth)
        edge = np.exp(-(((depth - 0.012) * 62) ** 2))
        trail = 0.55 * np.exp(-(((depth - 0.07) * 20) ** 2)) * smooth(0, 0.02, depth)
        foam = (1.1 * (edge + trail) + 0.95 * breaker * smooth(0.62, 0.2, depth)) * cells
        frame.paste((253, 254, 251), (0, 0), to_mask(foam))
        return frame

    return paint


def lighthouse(size: Size, rng: np.random.Generator) -> Painter:
    """A lighthouse on its headland, the swell running past below."""
    horizon = 0.6
    sky = cloudy_sky(
        size, rng, DAWN_SKY, clouds="#ffe7c4", shade="#7d8399", horizon=horizon, cover=0.5
    )
    water = SunlitSea(size, rng, DAWN_WATER, horizon=horizon, haze="#f3c795", sun_at=0.18)
    headland = coast.lighthouse(size, rng)
    beam = glow(size.height * 0.42, "#ffe9b0", strength=0.75, falloff=2.6)

    def paint(seconds: float) -> Image.Image:
        frame = sky.copy()
        water.onto(frame, seconds, forward=-5.0 * seconds)
        frame.paste(headland.picture, (0, 0), headland.mask)
        turn = 0.25 + 0.75 * max(0.0, cos(2.4 * seconds - 0.6)) ** 3
        lamp = beam.point(lambda value: int(value * turn))
        add_light(frame, lamp, size.width * 0.735, size.height * 0.165)
        return frame

    return paint
