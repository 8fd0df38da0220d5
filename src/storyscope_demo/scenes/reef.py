"""The coral reef: its whole length, a turtle, an anemone, jellyfish, the surface from below."""

from __future__ import annotations

from math import pi, sin

import numpy as np
from PIL import Image, ImageChops, ImageDraw

from storyscope_demo.canvas import (
    Painter,
    Size,
    add_light,
    colour,
    gradient,
    grid,
    look_up,
    noise,
    pack,
    ramp,
    stretched,
    to_image,
    window,
)
from storyscope_demo.props import sealife
from storyscope_demo.props.corals import coral_bank
from storyscope_demo.props.light import Caustics, shafts

SHOTS = ("corals", "turtle", "anemone", "jellyfish", "surface")

WATER = ((0.0, "#58d0dc"), (0.25, "#1ea3c4"), (0.6, "#0a6a9c"), (1.0, "#063b6a"))
SUNLIT = ((0.0, "#8fe6e6"), (0.2, "#3fb8d0"), (0.65, "#0f78a8"), (1.0, "#0a4a7c"))
SURFACE = (
    (0.0, "#04305c"),
    (0.35, "#0d6fa3"),
    (0.6, "#2fb3cc"),
    (0.8, "#a8ecea"),
    (1.0, "#ffffff"),
)
ARMS = ("#ac7858", "#cc9c6e", "#e8c496")
TIPS = ("#d682be", "#f0a8d6", "#ffceec")


def corals(size: Size, rng: np.random.Generator) -> Painter:
    """Along the reef: fans and branches, a school of yellow fish, shafts of light."""
    water = to_image(gradient(size, *WATER))
    strip = size.wider(1.6)
    far_tints, near_tints = ("#2a7f9f", "#27708f", "#35859a"), ("#e0566a", "#f0a040", "#8f5fc0")
    middle_tints = ("#b0527a", "#c9803f", "#6a5fae", "#3f9a86")
    far = coral_bank(strip, rng, foot=0.80, tall=0.30, tints=far_tints, count=26)
    middle = coral_bank(strip, rng, foot=0.92, tall=0.36, tints=middle_tints, count=20)
    near = coral_bank(strip, rng, foot=1.08, tall=0.46, tints=(*near_tints, "#e9d36a"), count=13)
    light = shafts(size, rng)
    poses = [sealife.fish(size.height * 0.085, sway) for sway in (-1.0, 0.0, 1.0, 0.0)]
    sizes = [[pose.scaled(factor) for pose in poses] for factor in (0.55, 0.75, 1.0)]
    school = [
        (rng.uniform(0, 1), rng.normal(0.36, 0.12), sizes[number % 3], rng.uniform(0, 6))
        for number in range(34)
    ]

    def paint(seconds: float) -> Image.Image:
        frame = water.copy()
        across = seconds * size.width
        far.pass_by(frame, 0.02 * across)
        middle.pass_by(frame, 0.05 * across)
        for x, y, swimmer, phase in school:
            at = (x * 0.9 + 0.13 * seconds + 0.01 * sin(3 * seconds + phase)) % 1.2 - 0.1
            down = y + 0.02 * sin(1.3 * seconds + phase)
            pose = swimmer[int(seconds * 14 + phase * 3) % 4]
            pose.onto(frame, at * size.width, down * size.height)
        near.pass_by(frame, 0.11 * across)
        return ImageChops.screen(frame, window(light, size, x=0.5 + 0.5 * sin(0.6 * seconds)))

    return paint


def turtle(size: Size, rng: np.random.Generator) -> Painter:
    """A turtle rows through sunlit water."""
    water = to_image(gradient(size, *SUNLIT))
    light = shafts(size, rng)
    net = Caustics(size, rng)
    strokes = [sealife.turtle(size.height * 0.86, step * pi / 10) for step in range(20)]

    def paint(seconds: float) -> Image.Image:
        frame = ImageChops.screen(water, window(light, size, x=0.5 + 0.5 * sin(0.5 * seconds)))
        net.onto(frame, seconds)
        x = size.width * (0.08 + 0.075 * seconds)
        y = size.height * (0.14 + 0.025 * sin(2.1 * seconds))
        stroke = strokes[int(seconds * 2.1 / (2 * pi) * 20) % 20]
        stroke.onto(frame, x, y, turn=6 + 4 * sin(0.8 * seconds))
        return frame

    return paint


def anemone(size: Size, rng: np.random.Generator) -> Painter:
    """Two clownfish at home among an anemone's arms."""
    blur = stretched(noise(128, 256, rng, roughness=2.0), size) - 0.5
    deep = gradient(size, (0.0, "#1f7f9f"), (0.5, "#145a78"), (1.0, "#0b2f4a"))
    back = to_image(deep + blur[..., None] * colour("#8a5f9a") * 1.2)
    arms = [
        (rng.uniform(0.02, 0.98), tall, rng.uniform(0, 2 * pi), int(rng.integers(3)))
        for tall in np.linspace(0.60, 0.36, 95)
    ]
    sways = np.sin(np.arange(8) * pi / 4)
    right = [sealife.clownfish(size.height * 0.36, float(sway)) for sway in sways]
    left = [pose.flipped() for pose in right]

    def paint(seconds: float) -> Image.Image:
        frame = back.copy()
        half = len(arms) // 2
        for arm in arms[:half]:
            _tentacle(frame, seconds, *arm, shade=0.62, width=0.026)
        beat = int(seconds * 9) % 8
        y = 0.20 + 0.02 * sin(1.6 * seconds)
        right[beat].onto(frame, size.width * (0.20 + 0.05 * seconds), size.height * y)
        y = 0.38 + 0.02 * sin(1.3 * seconds + 2)
        left[(beat + 3) % 8].onto(frame, size.width * (0.62 - 0.03 * seconds), size.height * y)
        for arm in arms[half:]:
            _tentacle(frame, seconds, *arm, shade=1.0, width=0.034)
        return frame

    return paint


def jellyfish(size: Size, rng: np.random.Generator) -> Painter:
    """Jellyfish pulse upwards through the blue."""
    x, y = grid(size)
    deep = gradient(size, (0.0, "#125a8a"), (0.5, "#0a376c"), (1.0, "#04183c"))
    sun = np.exp(-(((x - 0.5) / 0.5) ** 2) - (y / 0.6) ** 2)
    back = to_image(deep + sun[..., None] * colour("#2f8fb8") * 0.35)
    pulses = [sealife.jellyfish(round(size.height * 0.95), step * pi / 10) for step in range(20)]
    swarm = []
    for place, height, near, phase in (
        (0.18, 0.80, 0.30, 1.0),
        (0.82, 0.60, 0.38, 2.9),
        (0.68, 1.00, 0.22, 4.4),
        (0.45, 0.58, 1.00, 0.0),
    ):
        small = [pulse.reduce(max(1, round(1 / near))) for pulse in pulses]
        swarm.append((place, height, near, phase, small))
    motes = rng.uniform(0, 1, (70, 2))

    def paint(seconds: float) -> Image.Image:
        frame = back.copy()
        for mote_x, mote_y in motes:
            left = int(mote_x * size.width)
            top = int((mote_y - 0.02 * seconds) % 1.0 * size.height)
            frame.paste((120, 180, 214), (left, top, left + 1, top + 1))
        for place, height, near, phase, poses in swarm:
            beat = 3.0 * seconds + phase
            rise = (0.025 * seconds + 0.012 * sin(beat - 0.8)) * (0.5 + near)
            at = place + 0.01 * sin(0.7 * seconds + phase)
            pose = poses[int(beat / (2 * pi) * 20) % 20]
            add_light(frame, pose, at * size.width, (height - rise) * size.height)
        return frame

    return paint


def surface(size: Size, rng: np.random.Generator) -> Painter:
    """Looking up: the sun breaks in the waves, bubbles climb towards it."""
    net = Caustics(size, rng)
    x, y = grid(size)
    sun = 225 - 265 * np.hypot((x - 0.5) * 1.5, y - 0.35)
    table = pack(ramp(*SURFACE))
    largest = round(size.height * 0.16)
    spheres = {side: sealife.bubble(side) for side in range(3, largest + 1)}
    bubbles = [
        (rng.normal(0.5, 0.16), rng.uniform(0, 1), rng.uniform(0.008, 0.045), rng.uniform(0, 6))
        for _ in range(60)
    ]

    def paint(seconds: float) -> Image.Image:
        light = sun + 110 * (net.light(seconds) - 0.15)
        frame = look_up(table, np.clip(light, 0, 255).astype(np.int32))
        for place, start, radius, phase in bubbles:
            up = (start + seconds * (0.16 + 3.5 * radius)) % 1.15
            side = round(radius * (1.25 - 0.6 * up) * size.height * 2)
            sphere = spheres[min(largest, max(3, side))]
            at = 0.5 + (place - 0.5) * (1.15 - 0.5 * up) + 0.012 * sin(4 * seconds + phase)
            sphere.onto(frame, at * size.width, (1.05 - up) * size.height)
        return frame

    return paint


def _tentacle(
    frame: Image.Image,
    seconds: float,
    place: float,
    tall: float,
    phase: float,
    kind: int,
    *,
    shade: float,
    width: float,
) -> None:
    """One arm of the anemone, waving; `place` and `tall` are fractions of the frame."""
    points = []
    for step in range(7):
        t = step / 6
        bend = 0.05 * sin(1.5 * seconds + phase + 2.2 * t) * t * t + (place - 0.5) * 0.35 * t
        points.append(((place + bend) * frame.width, (1.02 - tall * t) * frame.height))
    skin, tip = (tuple(int(v) for v in colour(tint) * shade) for tint in (ARMS[kind], TIPS[kind]))
    draw = ImageDraw.Draw(frame)
    thick = max(2, round(frame.height * width))
    draw.line(points, fill=skin, width=thick, joint="curve")
    (x, y), reach = points[-1], thick * 0.62
    draw.ellipse((x - reach, y - reach, x + reach, y + reach), fill=tip)
