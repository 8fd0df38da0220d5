"""Forest: mist between firs, sunbeams, a mushroom, a butterfly, a still lake, the canopy."""

from __future__ import annotations

from math import sin

import numpy as np
from PIL import Image, ImageChops

from storyscope_demo.canvas import (
    Painter,
    Size,
    colour,
    filled,
    gradient,
    grid,
    ink,
    mix,
    noise,
    scroll,
    shaded,
    smooth,
    stretched,
    to_image,
    to_mask,
    turned,
    window,
)
from storyscope_demo.props.mirror import Mirror
from storyscope_demo.props.plants import ferns, moss, reeds, trunks, wood
from storyscope_demo.props.undergrowth import (
    agaric,
    butterfly_body,
    butterfly_wings,
    flower,
    out_of_focus,
)
from storyscope_demo.sprites import Sprite

SHOTS = ("mist", "beams", "mushroom", "butterfly", "lake", "canopy")

GREENS = ("#b9d66a", "#7fae45", "#4f8a3c", "#dbe58a", "#2f6b35")
LEAVES = ((0.0, "#0f2a12"), (0.5, "#3f7d2c"), (1.0, "#c6e36a"))


def mist(size: Size, rng: np.random.Generator) -> Painter:
    """Firs behind firs behind firs, the camera tracking past them."""
    sky = to_image(gradient(size, (0.0, "#c4d6cf"), (0.5, "#e9eddc"), (1.0, "#f3efda")))
    strip = size.wider(1.6)
    rows = []
    for trees, height, ground, tint, fog, speed in (
        (46, 0.30, 0.52, "#a9c2b4", 0.85, 0.010),
        (34, 0.42, 0.64, "#7ba08c", 0.75, 0.022),
        (22, 0.60, 0.80, "#47745d", 0.60, 0.050),
        (9, 0.95, 0.97, "#17382a", 0.10, 0.120),
    ):
        mask = wood(strip, rng, trees=trees, height=height, ground=ground)
        _, y = grid(size)
        white = smooth(ground - 0.22, ground + 0.04, y) * fog
        rows.append((mask, to_image(mix(filled(size, tint), colour("#e6ecdf"), white)), speed))
    drift = noise(256, 1024, rng, roughness=1.7, stretch=2.5)
    veil = to_mask(stretched(0.6 * smooth(0.42, 0.8, drift), strip))

    def paint(seconds: float) -> Image.Image:
        frame = sky.copy()
        for depth, (mask, body, speed) in enumerate(rows):
            frame.paste(body, (0, 0), scroll(mask, size, speed * seconds * size.width))
            if depth == 2:
                passing = scroll(veil, size, -0.03 * seconds * size.width)
                frame.paste((238, 240, 228), (0, 0), passing)
        return frame

    return paint


def beams(size: Size, rng: np.random.Generator) -> Painter:
    """Sunbeams fall between mossy trunks; motes drift through them."""
    _, y = grid(size)
    glade = gradient(size, (0.0, "#dbe8a6"), (0.45, "#a8c46c"), (0.7, "#5c8a3f"), (1.0, "#1d3b1c"))
    leaves = stretched(noise(512, 1024, rng, roughness=1.35), size)
    crown = smooth(0.52, 0.30, y + 0.5 * (leaves - 0.5)) * smooth(0.40, 0.56, leaves)
    back = to_image(mix(glade, colour("#2f5a2a"), crown * 0.85))
    far = trunks(size.wider(1.4), rng, count=16, width=0.022, tint=("#4f6b3e", "#8aa860"))
    middle = trunks(size.wider(1.5), rng, count=8, width=0.045, tint=("#27351f", "#6d7f45"))
    close = trunks(size.wider(1.9), rng, count=4, width=0.095, tint=("#10180f", "#4a4a2c"))
    floor = ferns(size.wider(1.6), rng)
    rays = _sunbeams(size, rng)
    motes = rng.uniform(0, 1, (60, 3))

    def paint(seconds: float) -> Image.Image:
        frame = back.copy()
        across = seconds * size.width
        far.pass_by(frame, 0.012 * across)
        middle.pass_by(frame, 0.030 * across)
        frame = ImageChops.screen(frame, window(rays, size, x=0.5 + 0.5 * sin(0.5 * seconds)))
        floor.pass_by(frame, 0.050 * across)
        close.pass_by(frame, 0.075 * across)
        for mote_x, mote_y, bright in motes:
            left = int((mote_x - 0.02 * seconds * (0.5 + bright)) % 1.0 * size.width)
            top = int((mote_y + 0.015 * sin(seconds + 9 * mote_x)) % 1.0 * size.height)
            dot = int(1 + 1.5 * bright)
            frame.paste((250, 250, 200), (left, top, left + dot, top + dot))
        return frame

    return paint


def mushroom(size: Size, rng: np.random.Generator) -> Painter:
    """A fly agaric in the moss, very close."""
    large = size.wider(1.25, 1.25)
    base = gradient(large, (0.0, "#5d8a3c"), (0.5, "#386630"), (1.0, "#152c12"))
    picture = out_of_focus(base, rng, GREENS, discs=90, radius=0.16)
    far = agaric(round(large.height * 0.50), rng, blur=size.height * 0.008)
    near = agaric(round(large.height * 0.84), rng)
    far.onto(picture, large.width * 0.70 - far.mask.width / 2, large.height * 0.56)
    near.onto(picture, large.width * 0.40 - near.mask.width / 2, large.height * 0.30)
    moss(picture, rng)

    def paint(seconds: float) -> Image.Image:
        return window(picture, size, x=0.42, y=0.55 - 0.05 * seconds, zoom=1.0 + 0.04 * seconds)

    return paint


def butterfly(size: Size, rng: np.random.Generator) -> Painter:
    """A butterfly opens and closes its wings on a flower head."""
    base = gradient(size.wider(1.15), (0.0, "#a9cc63"), (0.6, "#5f9440"), (1.0, "#2c5a2a"))
    back = out_of_focus(base, rng, GREENS, discs=80, radius=0.22)
    plant = flower(size)
    wings = butterfly_wings(size.height * 0.52)
    body = butterfly_body(size.height * 0.36)

    def paint(seconds: float) -> Image.Image:
        frame = window(back, size, x=0.5 + 0.4 * sin(0.5 * seconds))
        sway = size.width * 0.012 * sin(1.1 * seconds)
        frame.paste(plant.picture, (round(sway), 0), plant.mask)
        spread = 0.22 + 0.78 * abs(sin(2.1 * seconds + 0.5)) ** 0.8
        wide = (max(2, round(wings.mask.width * spread)), wings.mask.height)
        right = Sprite(wings.picture.resize(wide), wings.mask.resize(wide))
        x, y = size.width * 0.5 + sway, size.height * (0.38 - 0.01 * spread)
        right.onto(frame, x, y - wide[1] / 2)
        right.flipped().onto(frame, x - wide[0], y - wide[1] / 2)
        body.onto(frame, x - body.mask.width / 2, y - body.mask.height * 0.55)
        return frame

    return paint


def lake(size: Size, rng: np.random.Generator) -> Painter:
    """The wood stands on its head in a still lake."""
    shore = Size(size.width, round(size.height * 0.52))
    picture = to_image(gradient(shore, (0.0, "#8fb6cf"), (0.6, "#d6e2da"), (1.0, "#f2ecd0")))
    for height, ground, trees, tint in (
        (0.42, 0.84, 60, "#86a796"),
        (0.55, 0.91, 44, "#4c7a5c"),
        (0.72, 0.97, 30, "#214a33"),
    ):
        mask = wood(shore, rng, trees=trees, height=height, ground=ground)
        picture.paste(ink(tint), (0, 0), mask)
    water = Mirror(
        picture, size.height - shore.height, rng, depth_tint="#16382f", glint="#eaf0e4", chop=34
    )
    bank = reeds(size, rng)

    def paint(seconds: float) -> Image.Image:
        frame = water.paint(seconds)
        frame.paste(bank.picture, (round(3.0 * sin(0.9 * seconds)), 0), bank.mask)
        return frame

    return paint


def canopy(size: Size, rng: np.random.Generator) -> Painter:
    """Straight up: trunks run together under a roof of leaves."""
    side = round((size.width**2 + size.height**2) ** 0.5)
    square = Size(side, side)
    x, y = grid(square)
    far, angle = np.hypot(x - 0.5, y - 0.5), np.arctan2(y - 0.5, x - 0.5)
    leaves = stretched(noise(512, 512, rng, roughness=1.15), square)
    clumps = stretched(noise(256, 256, rng, roughness=1.9), square)
    pixels = mix(filled(square, "#dff0f2"), colour("#9ccbe0"), smooth(0.0, 0.4, far))
    cover = smooth(0.42, 0.56, clumps * 0.62 + leaves * 0.38 + 0.55 * (far - 0.20))
    pixels = mix(pixels, shaded(LEAVES, 0.30 + 1.5 * (leaves - 0.42) - 0.5 * (far - 0.15)), cover)
    opacity, bark = np.zeros_like(far), np.zeros_like(far)
    for turn in np.sort(rng.uniform(0, 2 * np.pi, 13)):
        aside = ((angle - turn + np.pi) % (2 * np.pi) - np.pi) * far / (0.045 * far + 0.001)
        reach = rng.uniform(0.05, 0.16)
        trunk = smooth(0.7, 0.56, np.abs(aside)) * smooth(reach, reach + 0.03, far)
        bark = np.where(trunk > opacity, 0.35 + 0.5 * aside, bark)
        opacity = np.maximum(opacity, trunk)
    brown = shaded(((0.0, "#17130d"), (1.0, "#7a6447")), bark + 0.5 * (leaves - 0.5))
    picture = to_image(mix(pixels, brown, opacity))

    def paint(seconds: float) -> Image.Image:
        return turned(picture, size, 2.4 * seconds, zoom=1.0 + 0.02 * seconds)

    return paint


def _sunbeams(size: Size, rng: np.random.Generator) -> Image.Image:
    """Shafts of light fanning out from above the picture."""
    x, y = grid(size.wider(1.1))
    angle = np.arctan2(x - 0.62, y + 0.35)
    comb = noise(8, 512, rng, roughness=1.0)[0]
    bright = smooth(0.45, 0.85, comb[((angle + 1.6) * 170).astype(int) & 511])
    fade = smooth(1.0, 0.15, y) * smooth(0.9, 0.2, np.abs(x - 0.55))
    return to_image((bright * fade)[..., None] * colour("#fff3b0") * 0.78)
