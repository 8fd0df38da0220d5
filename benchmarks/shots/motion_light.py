"""Footage in which light, air, water, lettering or the lens change: one take of a named kind."""

from __future__ import annotations

import cv2
import numpy as np

from benchmarks.shots.motion_camera import (
    SIZE,
    World,
    X,
    Y,
    blob,
    camera,
    clouds_of,
    journey,
    look,
    mirrored,
    moved,
    steady,
)
from benchmarks.shots.motion_things import crossing
from benchmarks.shots.shot_footage import HEIGHT, WIDTH, _smooth


def smoke(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """Smoke, fog or clouds that drift in front, thicken and thin out."""
    frames, one, two = steady(world, count, rng), clouds_of(rng), clouds_of(rng)
    colour, density = rng.uniform(20, 250) + rng.normal(0, 15, 3), rng.uniform(0.3, 1.0)
    drift = rng.normal(0, 2.5, (2, 2))
    thick = 0.5 + 0.5 * np.sin(np.arange(count) / rng.uniform(15, 80) + rng.uniform(0, 6))
    for i in range(count):
        fields = [
            cv2.remap(f, mirrored(X + d[0] * i, 512), mirrored(Y + d[1] * i, 288), cv2.INTER_LINEAR)
            for f, d in zip((one, two), drift, strict=True)
        ]
        cover = (density * thick[i] * np.clip(2.2 * fields[0] * fields[1] * 2, 0, 1))[..., None]
        frames[i] = frames[i] * (1 - cover) + np.clip(colour, 0, 255) * cover
    return frames


def water(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """Waves: a scene seen through ripples of several sizes that travel."""
    frames = camera(0.5 * rng.choice([0, 1]), 0.3 * rng.choice([0, 1]), (30, 150))(
        world, count, rng
    )
    waves = [
        (rng.uniform(8, 70), rng.uniform(0, 6.3), rng.uniform(0.05, 0.5), rng.uniform(1, 9))
        for _ in range(4)
    ]
    shine = rng.uniform(0, 60)
    for i in range(count):
        dx = dy = bright = np.zeros_like(X)
        for length, way, rate, depth in waves:
            phase = (X * np.cos(way) + Y * np.sin(way)) / length * 6.28 + rate * i
            dx, dy = (
                dx + depth * np.cos(way) * np.sin(phase),
                dy + depth * np.sin(way) * np.sin(phase),
            )
            bright = bright + np.cos(phase)
        seen = cv2.remap(
            frames[i],
            X + dx.astype(np.float32),
            Y + dy.astype(np.float32),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REFLECT,
        )
        frames[i] = np.clip(seen + (shine * np.clip(bright - 1.5, 0, 2))[..., None], 0, 255)
    return frames


def flicker(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """Light that flickers, breathes, or is switched on and off."""
    frames, t = steady(world, count, rng), np.arange(count)
    light = (
        1
        + _smooth(rng.normal(0, rng.uniform(0.02, 0.25), (count, 1)), int(rng.integers(1, 6)))[:, 0]
    )
    light += rng.uniform(0, 0.4) * np.sin(t / rng.uniform(3, 60))
    glow = np.clip(blob(rng, rng.uniform(80, 400), rng.uniform(80, 300), 1.0), 0, 1)[..., None]
    warm = rng.uniform(0, 90, 3)
    for i in range(count):
        frames[i] = np.clip(
            frames[i] * max(0.15, light[i]) + glow * warm * (light[i] - 0.8), 0, 255
        )
    return frames


def particles(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """Snow, rain, sparks, leaves or bubbles, near and far."""
    frames = steady(world, count, rng)
    number = int(rng.integers(20, 250))
    place, depth = rng.uniform(0, 1, (number, 2)), rng.uniform(0.2, 3, number)
    speed = (
        np.stack([rng.normal(0, 2, number), rng.uniform(-6, 9) + rng.normal(0, 1, number)], 1)
        * depth[:, None]
    )
    colour = np.clip(rng.uniform(0, 255) + rng.normal(0, 30, 3), 0, 255).tolist()
    size = rng.uniform(0.6, 5)
    for i in range(count):
        at = (place * (WIDTH + 40, HEIGHT + 40) + speed * i) % (WIDTH + 40, HEIGHT + 40) - 20
        frame = frames[i].copy()
        for (x, y), d in zip(at, depth, strict=True):
            cv2.circle(frame, (int(x), int(y)), max(1, int(size * d)), colour, -1, cv2.LINE_AA)
        frames[i] = frame
    return frames


def titles(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """Titles over a picture: they roll, crawl, slide in, or fade in and out."""
    frames, t = steady(world, count, rng), np.arange(count)
    card = np.zeros((3 * HEIGHT, WIDTH, 4), np.uint8)
    ink = np.clip(rng.choice([20, 245]) + rng.normal(0, 20, 3), 0, 255).tolist()
    size = rng.uniform(0.4, 1.6)
    for line in range(int(rng.integers(1, 14))):
        text = "".join(chr(c) for c in rng.integers(65, 123, int(rng.integers(4, 20))))
        cv2.putText(
            card,
            text,
            (int(rng.integers(0, 80)), int(40 + 30 * size * line)),
            cv2.FONT_HERSHEY_DUPLEX,
            size,
            [*ink, 255],
            2,
            cv2.LINE_AA,
        )
    box = rng.random() < 0.3
    if box:
        cv2.rectangle(card, (0, 0), (WIDTH, int(rng.uniform(20, 80))), [*ink, 255], -1)
    manner = str(rng.choice(["roll", "crawl", "slide", "fade"]))
    begin, length = rng.uniform(0, count / 2), rng.uniform(8, 40)
    came = np.clip((t - begin) / length, 0, 1) - np.clip(
        (t - begin - length - rng.uniform(20, 90)) / length, 0, 1
    )
    for i in range(count):
        x = {"crawl": WIDTH - 3.0 * i, "slide": (1 - came[i]) * WIDTH * 1.2}.get(manner, 0)
        y = {"roll": HEIGHT - size * 1.5 * i}.get(manner, 20)
        shift = np.array([[1, 0, x], [0, 1, y]], np.float32)
        seen = cv2.warpAffine(card, shift, SIZE)
        cover = seen[..., 3:] / 255 * (came[i] if manner == "fade" else 1)
        frames[i] = frames[i] * (1 - cover) + seen[..., :3] * cover
    return frames


def focus(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A lens that changes focus from something near to what is behind it."""
    frames = steady(world, count, rng)
    thing, mask = (
        look(world.picture(rng), 0, 0, 1.2),
        blob(rng, rng.uniform(60, 200), rng.uniform(80, 250)),
    )
    x = rng.uniform(-90, 90)
    thing, mask = moved(thing, x, 0), moved(mask, x, 0)
    sharp = np.clip(0.5 + journey(count, rng, reach=1, frames=(8, 40)), 0, 1)
    for i in range(count):
        back = cv2.GaussianBlur(frames[i], (0, 0), 0.3 + 9 * sharp[i])
        front = cv2.GaussianBlur(thing, (0, 0), 0.3 + 9 * (1 - sharp[i]))
        cover = cv2.GaussianBlur(mask, (0, 0), 0.3 + 9 * (1 - sharp[i]))[..., None]
        frames[i] = back * (1 - cover) + front * cover
    return frames


def underwater(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A diver's camera: blue haze that deepens downwards, caustics, bubbles and a slow roll."""
    move = camera(rng.uniform(0.3, 1.5), rng.uniform(0.2, 1), (15, 120), shake=0.01, zoom=0.4)
    frames = water(world, count, rng) if rng.random() < 0.3 else move(world, count, rng)
    sea, clouds = np.array([20, rng.uniform(60, 120), rng.uniform(110, 180)]), clouds_of(rng)
    level = journey(count, rng, reach=0.5, frames=(20, 90))
    bubbles = rng.uniform(0, 1, (60, 3))
    for i in range(count):
        thick = np.clip(0.35 + 0.4 * (Y / HEIGHT - 0.5) + 0.3 * level[i], 0.1, 0.9)[..., None]
        light = cv2.remap(
            clouds,
            mirrored(X * 1.5 + 2 * i, 512),
            mirrored(Y * 1.5 + np.float32(20 * np.sin(i / 9)), 288),
            cv2.INTER_LINEAR,
        )
        frame = (
            frames[i] * (1 - thick)
            + sea * thick
            + (80 * np.clip(light - 0.55, 0, 1) * (1 - Y / HEIGHT))[..., None] * 2
        )
        frame = np.clip(frame, 0, 255).astype(np.uint8)
        for x, y, s in bubbles:
            cv2.circle(
                frame,
                (
                    int(x * WIDTH + 6 * np.sin(i / 5 + 9 * s)),
                    int((y * 200 - (1 + 4 * s) * i) % 200) - 28,
                ),
                int(1 + 3 * s),
                (200, 220, 235),
                -1,
            )
        frames[i] = frame
    return frames


def strobe(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A dance floor: hard flashes in colour over people who move in the dark."""
    frames = crossing(world, count, rng)
    every, dark = int(rng.integers(2, 12)), rng.uniform(0.15, 0.6)
    for i in range(count):
        colour = (
            np.random.default_rng(i // every).uniform(0.3, 1.5, 3) if (i // every) % 2 else dark
        )
        frames[i] = np.clip(frames[i] * colour, 0, 255)
    return frames


def surf(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """Waves that break over the lens: water comes in with a ragged edge of foam, and runs off."""
    frames, sea, foam = steady(world, count, rng), world.picture(rng), clouds_of(rng)
    reach = np.clip(journey(count, rng, reach=1.2, frames=(8, 50)), -0.3, 1.4)
    tint, down = rng.uniform(0.3, 1, 3) * (0.6, 0.9, 1), rng.random() < 0.5
    ragged = 0.25 * (foam[:HEIGHT, :WIDTH] - 0.5)
    along = (Y / HEIGHT if down else X / WIDTH) + ragged
    for i in range(count):
        cover = np.clip((reach[i] - along) / 0.06, 0, 1)[..., None]
        crest = np.exp(-(((reach[i] - along) / 0.08) ** 2))[..., None]
        swell = 6 * np.sin(X / 30 + 0.4 * i)
        shift = reach[i] * (HEIGHT if down else WIDTH)
        x, y = (X, Y - shift + swell) if down else (X - shift, Y + swell)
        seen = cv2.remap(sea, mirrored(x, 640), mirrored(y, 360), cv2.INTER_LINEAR)
        frame = frames[i] * (1 - cover) + seen * tint * cover
        frames[i] = np.clip(frame + 160 * crest * foam[:HEIGHT, :WIDTH, None], 0, 255)
    return frames
