"""Volcano: the cone at dusk, a fountain, moving lava, ash and lightning, the crater."""

from __future__ import annotations

from math import pi, sin

import numpy as np
from PIL import Image

from storyscope_demo.canvas import (
    Painter,
    Size,
    add_light,
    colour,
    glow,
    gradient,
    grid,
    look_up,
    mix,
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
from storyscope_demo.props.dunes import to_two_nearest
from storyscope_demo.props.smoke import (
    Billows,
    Sparks,
    cone_line,
    fire_below,
    lightning,
    plume_body,
)

SHOTS = ("cone", "fountain", "lava", "ash", "crater")

FIRE = (
    (0.0, "#0d0708"),
    (0.30, "#2a0d0a"),
    (0.52, "#8a1a08"),
    (0.72, "#e8480c"),
    (0.88, "#ffb52e"),
    (1.0, "#fff6c8"),
)
DUSK = ((0.0, "#191730"), (0.45, "#4b2a4c"), (0.75, "#a5473f"), (1.0, "#ef8a4a"))
SMOKE = ((0.0, "#1a1420"), (0.45, "#4d3a44"), (0.75, "#8a655c"), (1.0, "#e0a078"))


def cone(size: Size, rng: np.random.Generator) -> Painter:
    """The mountain smokes against the last light; lava runs down its flank."""
    picture = to_image(_mountain(size.wider(1.12, 1.06), rng))
    half = Size(size.width // 2, size.height // 2)
    smoke = Billows(size, rng, plume_body(half, at=0.5, top=0.36), SMOKE)
    light = fire_below(half, at=0.36, reach=0.16)
    mouth = glow(size.height * 0.26, "#ff6a1c", strength=0.9)

    def paint(seconds: float) -> Image.Image:
        frame = window(picture, size, y=0.6, zoom=1.0 + 0.01 * seconds)
        smoke.onto(frame, seconds, rise=26, drift=10, fire=light)
        flicker = 0.75 + 0.25 * sin(7 * seconds) * sin(3.1 * seconds + 1)
        hot = mouth.point(lambda value: int(value * flicker))
        add_light(frame, hot, size.width * 0.5, size.height * 0.33)
        return frame

    return paint


def fountain(size: Size, rng: np.random.Generator) -> Painter:
    """Lava thrown high into the night, falling back in arcs."""
    x, y = grid(size)
    rough = stretched(noise(256, 512, rng, roughness=1.7), size)
    night = gradient(size, (0.0, "#0b0a16"), (0.6, "#2a1420"), (1.0, "#5e1c16"))
    away = np.abs(x - 0.5)
    rim = 0.80 + 0.30 * away**1.1 + 0.02 * np.exp(-((away / 0.08) ** 2)) + 0.05 * (rough - 0.5)
    glowing = 0.75 - 2.2 * away + 0.8 * (rough - 0.5) - 1.2 * (y - rim)
    rock = shaded(((0.0, "#050406"), (0.6, "#3b120c"), (1.0, "#d4470f")), glowing)
    base = to_image(mix(night, rock, smooth(-0.004, 0.004, y - rim)))
    half = Size(size.width // 2, size.height // 2)
    smoke = Billows(size, rng, plume_body(half, at=0.5, top=0.8) * 0.8, SMOKE)
    light = fire_below(half, at=0.9, reach=0.7)
    sparks = Sparks(size, rng, count=1200, mouth=0.80)
    halo = glow(size.height * 0.55, "#ff5a14", strength=0.8, falloff=1.8)
    jet = glow(size.height * 0.30, "#ffcf6a", strength=1.1, falloff=1.6)
    jet = jet.resize((jet.width // 6, jet.height))

    def paint(seconds: float) -> Image.Image:
        frame = base.copy()
        smoke.onto(frame, seconds, rise=20, drift=6, fire=light)
        beat = 0.8 + 0.2 * sin(2.2 * seconds)
        warm = halo.point(lambda value: int(value * beat))
        add_light(frame, warm, size.width * 0.5, size.height * 0.62)
        add_light(frame, jet, size.width * 0.5, size.height * (0.58 - 0.03 * beat))
        sparks.onto(frame, seconds)
        return frame

    return paint


def lava(size: Size, rng: np.random.Generator) -> Painter:
    """Close: the crust breaks and drifts, and the light comes from between."""
    side, plates = 1024, 15
    corners = np.mgrid[0:plates, 0:plates].reshape(2, -1).T
    places = (corners + rng.uniform(0, 1, (plates**2, 2))) * (side // 2) / plates
    nearest, second = to_two_nearest(places, side // 2)
    edge = stretched((second - nearest) * 2, Size(side, side))
    bend = (70 * noise(side, side, rng, roughness=1.9)).astype(np.int32)
    rows, columns = np.mgrid[0:side, 0:side].astype(np.int32)
    edge = edge[(rows + bend) & (side - 1), (columns + np.roll(bend, 300, 1)) & (side - 1)]
    crust = noise(side, side, rng, roughness=1.1)
    heat = 0.9 * np.exp(-edge / 8.5) + 0.3 * np.exp(-edge / 26) + 0.3 * (crust - 0.5)
    heat = np.clip(heat, 0, 1).astype(np.float32)
    pulse = stretched(noise(256, 256, rng, roughness=2.0), Size(side, side))
    table = pack(ramp(*FIRE))
    x, y = grid(size)
    depth = 1.0 / (0.45 + 0.75 * y)
    across, along = (x - 0.5) * depth * 520 + 512, depth * 420

    def paint(seconds: float) -> Image.Image:
        row = (along - 34 * seconds).astype(np.int32) & (side - 1)
        column = (across + 8 * seconds).astype(np.int32) & (side - 1)
        cell = row * side + column
        later = (cell + int(14 * seconds) * side) & (side * side - 1)
        glowing = np.take(heat, cell) * (0.80 + 0.75 * np.take(pulse, later))
        return look_up(table, np.clip(glowing * 255, 0, 255).astype(np.int32))

    return paint


def ash(size: Size, rng: np.random.Generator) -> Painter:
    """The column of ash boils upwards; lightning runs inside it."""
    back = gradient(size, (0.0, "#12111f"), (0.55, "#3a2438"), (1.0, "#93402f"))
    half = Size(size.width // 2, size.height // 2)
    x, y = grid(half)
    spread = 0.20 + 0.30 * (1 - y) ** 1.3
    column = 1.15 * np.exp(-(((x - 0.5 - 0.10 * np.sin(3 * y)) / spread) ** 2))
    smoke = Billows(size, rng, column, SMOKE)
    light = fire_below(half, at=1.05, reach=0.55)
    sky = to_image(back)
    bolts = [lightning(size, rng) for _ in range(3)]
    flash = glow(size.height * 0.54, "#b9a4e8", strength=0.55, falloff=1.6)

    def paint(seconds: float) -> Image.Image:
        frame = sky.copy()
        smoke.onto(frame, seconds, rise=34, fire=light)
        if (seconds + 0.5) % 1.3 < 0.17:
            add_light(frame, flash, size.width * 0.5, size.height * 0.4)
            frame.paste((255, 244, 236), (0, 0), bolts[int((seconds + 0.5) / 1.3) % 3])
        return frame

    return paint


def crater(size: Size, rng: np.random.Generator) -> Painter:
    """Straight down into the crater: a lake of fire, its skin folding."""
    x, y = grid(size)
    right, down = (x - 0.5) * size.width / size.height, (y - 0.5) * 1.1
    rough = stretched(noise(512, 512, rng, roughness=1.6), size)
    broad = stretched(noise(256, 256, rng, roughness=2.2), size)
    far = np.hypot(right, down) + 0.30 * (broad - 0.5)
    turn = np.arctan2(down, right)
    beyond = np.clip(far - 0.34, 0, 1)
    ledges = 0.10 * np.sin(beyond * 60 + 8 * (broad - 0.5)) * np.exp(-beyond * 3)
    slope = 0.20 + 0.45 * beyond + ledges + 1.1 * (rough - 0.5) - 0.22 * np.sin(turn + 0.7)
    rock = shaded(((0.0, "#0a0708"), (0.5, "#43302e"), (1.0, "#a97d63")), slope)
    near = np.exp(-beyond / 0.055)[..., None]
    rock = rock * (1 - 0.3 * near) + colour("#ff5a12") * near * 0.75
    shore, outside = to_image(rock), to_mask(smooth(-0.004, 0.010, far - 0.34))
    skin = [noise(512, 512, rng, roughness=1.9) for _ in range(2)]
    rows, columns = np.mgrid[0 : size.height, 0 : size.width].astype(np.int32)
    table = pack(ramp(*FIRE))
    steam = noise(256, 512, rng, roughness=1.9)
    steam_mask = to_mask(stretched(0.5 * smooth(0.52, 0.85, steam), size.wider(1.6, 1.6)))

    def paint(seconds: float) -> Image.Image:
        one = skin[0][(rows * 2 + int(14 * seconds)) & 511, (columns * 2 + int(22 * seconds)) & 511]
        two = skin[1][(rows * 2 - int(11 * seconds)) & 511, (columns * 2 - int(9 * seconds)) & 511]
        fold = np.clip(1.0 - np.abs(one + two - 1.0) * 5.0, 0, 1)
        heat = 0.44 + 0.14 * (one - 0.5) + 0.50 * fold * fold
        frame = look_up(table, np.clip(heat * 255, 0, 255).astype(np.int32))
        frame.paste(shore, (0, 0), outside)
        wind = window(steam_mask, size, x=0.2 + 0.12 * seconds, y=0.9 - 0.18 * seconds)
        frame.paste((206, 186, 178), (0, 0), wind)
        return frame

    return paint


def _mountain(size: Size, rng: np.random.Generator) -> np.ndarray:
    x, y = grid(size)
    pixels = gradient(size, *((place * 0.8, tint) for place, tint in DUSK))
    rough = stretched(noise(512, 512, rng, roughness=1.6), size)
    gully = stretched(noise(256, 1024, rng, roughness=1.2, stretch=0.35), size)
    body = smooth(-0.003, 0.003, y - cone_line(x, rough))
    tone = 0.42 - 0.75 * (x - 0.30) - 0.35 * (y - 0.3) + 0.9 * (gully - 0.5) + 0.5 * (rough - 0.5)
    pixels = mix(pixels, shaded(((0.0, "#0b0910"), (0.5, "#3c2832"), (1.0, "#b0604a")), tone), body)
    stream = np.zeros_like(x)
    for place, lean, width in ((0.515, 0.05, 0.010), (0.50, -0.10, 0.006), (0.525, 0.16, 0.005)):
        wind = 0.03 * np.sin(y * 21 + place * 40) * smooth(0.3, 0.6, y)
        middle = place + lean * (y - 0.3) * 1.6 + wind
        flow = np.exp(-(((x - middle) / (width * (0.6 + y))) ** 2)) * smooth(1.05, 0.35, y)
        stream = np.maximum(stream, flow * body)
    halo = np.exp(-(((x - 0.52) / 0.07) ** 2)) * smooth(0.95, 0.3, y) * body
    pixels = pixels + halo[..., None] * colour("#5a1606") * 0.9
    pixels = mix(pixels, shaded(FIRE, 0.5 + 0.5 * stream), smooth(0.15, 0.6, stream))
    front = y - 0.93 - 0.06 * (rough - 0.5) - 0.02 * np.sin(3.5 * pi * x)
    return mix(pixels, colour("#07060a"), smooth(-0.004, 0.004, front))
