"""Kinds of motion that were written before the detector was trained, and scored once afterwards."""

from __future__ import annotations

import cv2
import numpy as np

from benchmarks.shots.motion_camera import (
    World,
    X,
    Y,
    clouds_of,
    journey,
    look,
    mirrored,
    shaken,
    steady,
)
from benchmarks.shots.shot_footage import HEIGHT, WIDTH


def _remapped(picture: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    height, width = picture.shape[:2]
    return cv2.remap(picture, mirrored(x, width), mirrored(y, height), cv2.INTER_LINEAR)


def curtain(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A curtain that is drawn before the scene or aside: its cloth gathers into folds."""
    frames, cloth = steady(world, count, rng), world.picture(rng)
    hung = np.clip(journey(count, rng, reach=1.0, frames=(12, 90)) + rng.choice([0, 0.9]), 0.08, 1)
    folds, both = rng.uniform(12, 40), rng.random() < 0.5
    x = np.abs(X - WIDTH / 2) if both else WIDTH - X if rng.random() < 0.5 else X
    outer = WIDTH / 2 if both else WIDTH
    for i in range(count):
        # Cloth hangs from the outer edge inwards, and is as long as the window is wide.
        inward = (outer - x) / (hung[i] * outer)
        sway = 0.02 * np.sin(Y / 40 + i / 9)
        phase = folds * (inward + sway)
        seen = _remapped(cloth, 400 * inward + 6 * np.sin(phase), Y + 60)
        shade = 1 - (1.1 - hung[i]) * 0.5 * (1 + np.cos(phase))
        cover = np.clip((1 + sway - inward) * 40, 0, 1)[..., None]
        frames[i] = frames[i] * (1 - cover) + seen * shade[..., None] * cover
    return frames


def page(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A book or magazine whose pages are turned: each bends over a moving fold."""
    sheets = [look(world.picture(rng), 0, 0, rng.uniform(0.7, 1.2)) for _ in range(5)]
    turned = np.clip(np.abs(journey(count, rng, reach=1.0, frames=(12, 60))), 0, 3.999)
    slant, radius = rng.uniform(-0.5, 0.5), rng.uniform(15, 45)
    sway = 20 * shaken(count, rng, 0.05)
    frames = np.empty((count, HEIGHT, WIDTH, 3), np.uint8)
    for i in range(count):
        number, part = int(turned[i]), turned[i] % 1
        fold = (1.35 - 1.7 * part) * WIDTH + slant * (Y - HEIGHT / 2)
        beyond = X - fold
        flat, below = sheets[number], sheets[number + 1]
        angle = np.arcsin(np.clip(beyond / radius, 0, 1))
        bent = _remapped(flat, fold + radius * angle, Y)
        back = _remapped(flat, fold + radius * (np.pi - angle), Y) * 0.25 + 150
        frame = np.where((beyond < 0)[..., None], flat, bent * np.cos(angle * 0.7)[..., None])
        on_roll = (beyond >= 0) & (beyond < radius)
        frame = np.where(on_roll[..., None], 0.5 * frame + 0.5 * back, frame)
        shadow = np.clip(0.5 + (beyond - radius) / 60, 0.5, 1)[..., None]
        frame = np.where((beyond >= radius)[..., None], below * shadow, frame)
        frames[i] = np.roll(np.clip(frame, 0, 255), int(sway[i, 0]), axis=0)
    return frames


def windscreen(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A windscreen in the rain: drops gather and blur the view, and a wiper sweeps them away."""
    frames, film = steady(world, count, rng), clouds_of(rng)[:HEIGHT, :WIDTH]
    period, left = rng.uniform(25, 110), rng.choice([-1, 1])
    pivot = WIDTH / 2 + left * rng.uniform(0, 90), HEIGHT * rng.uniform(1.05, 1.5)
    reach = rng.uniform(1.1, 1.6)
    place = np.arctan2(X - pivot[0], pivot[1] - Y)
    wet = np.ones((HEIGHT, WIDTH), np.float32)
    for i in range(count):
        blade = reach * np.sin(2 * np.pi * i / period)
        near = np.abs(place - blade)
        wet = np.clip(wet + rng.uniform(0.5, 1.5) / period, 0, 1) * np.clip((near - 0.02) * 9, 0, 1)
        clear = frames[i].astype(np.float32)
        soft = cv2.GaussianBlur(clear, (0, 0), 5) * 0.8 + 60 * film[..., None]
        seen = clear + wet[..., None] * (film[..., None] > 0.35) * (soft - clear)
        bar = np.clip(1.4 - near * 45, 0, 1)[..., None]
        frames[i] = np.clip(seen * (1 - bar) + 15 * bar, 0, 255)
    return frames


def lift(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """The view from a glass lift: rooms pass, and the dark slabs between their floors."""
    rooms = [look(world.picture(rng), 0, 0, rng.uniform(0.8, 1.3)) for _ in range(4)]
    rise = journey(count, rng, reach=1.6, frames=(15, 110)) + rng.uniform(0, 4)
    slab, rail = rng.uniform(0.1, 0.35), rng.uniform(0.1, 0.9) * WIDTH
    jolt = shaken(count, rng, 0.01)
    frames = np.empty((count, HEIGHT, WIDTH, 3), np.uint8)
    for i in range(count):
        height = rise[i] + jolt[i, 0] + Y / HEIGHT
        floor, inside = np.floor(height).astype(int), height % 1
        frame = np.zeros((HEIGHT, WIDTH, 3), np.float32)
        for number, room in enumerate(rooms):
            # What stands deep in a room moves less than its floor does.
            depth = (inside - slab) / (1 - slab) * HEIGHT * 0.8 + 0.2 * Y
            view = _remapped(room, X + 3 * jolt[i, 1], depth)
            frame += view * (floor % len(rooms) == number)[..., None]
        frame *= np.where(inside < slab, 0.12, 1)[..., None]
        frame[np.abs(X - rail) < 4] *= 0.3
        frames[i] = np.clip(frame, 0, 255)
    return frames


def carousel(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A roundabout close by: upright boards come round it, near ones large, and hide the rest."""
    frames = steady(world, count, rng)
    boards = [world.picture(rng) for _ in range(int(rng.integers(2, 6)))]
    turn = journey(count, rng, reach=2.5, frames=(20, 120)) + np.arange(count) * rng.choice(
        [0, 0.04]
    )
    far, half = rng.uniform(1.25, 1.8), rng.uniform(0.3, 0.8)
    for i in range(count):
        angles = turn[i] + np.arange(len(boards)) / len(boards) * 2 * np.pi
        for number in np.argsort(np.cos(angles)):
            depth, across = far - np.cos(angles[number]), np.sin(angles[number])
            size = WIDTH * 0.45 / depth
            middle = WIDTH / 2 + across * size
            wide = half * size * max(abs(np.cos(angles[number])), 0.05)
            u, v = (X - middle) / wide, (Y - HEIGHT / 2) / (0.6 * size)
            board = _remapped(boards[number], 320 + 200 * u, 180 + 110 * v)
            cover = np.clip(np.minimum(1 - np.abs(u), 1 - np.abs(v)) * 20, 0, 1)[..., None]
            lit = np.clip(board * (0.5 + 0.3 / depth**2), 0, 255)
            frames[i] = frames[i] * (1 - cover) + lit * cover
    return frames


def time_lapse(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A day in seconds: clouds race, shadows sweep, and the light goes from noon to night."""
    scene = look(world.picture(rng), 0, 0, rng.uniform(0.8, 1.3)).astype(np.float32)
    air, t = clouds_of(rng), np.arange(count)
    day = 0.55 + 0.45 * np.sin(t / rng.uniform(10, 60) + rng.uniform(0, 6))
    warm = np.array([1.0, 0.75, 0.5])
    rate, skyline = rng.uniform(1, 12), rng.uniform(0.2, 0.6) * HEIGHT
    frames = np.empty((count, HEIGHT, WIDTH, 3), np.uint8)
    for i in range(count):
        cloud = _remapped(air, X + rate * i, 0.7 * Y + 2 * np.sin(i / 7))[..., None]
        light = day[i] * (1 + (1 - day[i]) * (warm - 1))
        shaded = scene * light * (1 - 0.6 * np.clip(cloud * 3 - 1.4, 0, 1))
        sky = (255 * cloud * light + 30 * day[i]) * 0.9
        frames[i] = np.clip(np.where((skyline > Y)[..., None], sky, shaded), 0, 255)
    return frames


def tunnel(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A drive into a tunnel and out of it: its mouth grows, dark walls rush by, and day returns."""
    outside = [world.picture(rng) for _ in range(2)]
    wall = world.picture(rng)
    way = np.abs(journey(count, rng, reach=1.5, frames=(20, 90)) + rng.uniform(0, 1))
    sway, bore = shaken(count, rng, 0.01), rng.uniform(0.7, 1.4)
    frames = np.empty((count, HEIGHT, WIDTH, 3), np.uint8)
    for i in range(count):
        part = way[i] % 2
        u, v = (X - WIDTH / 2) / HEIGHT + sway[i, 0], (Y - HEIGHT / 2) / HEIGHT + sway[i, 1]
        radius = np.maximum(np.hypot(u, v), 0.02)
        walls = _remapped(wall, 90 / radius + 400 * way[i], 100 * np.arctan2(v, u) + 180)
        walls = walls * np.clip(radius, 0.05, 1)[..., None] * 0.45
        # The way in seen from before it, or the way out from inside.
        hole = 0.12 * bore * (1 / (1.03 - part % 1) - 0.97)
        zoom = 1 + 0.5 * part if part < 1 else 1.0
        day = look(outside[int((way[i] + 1) / 2) % 2], sway[i, 0], sway[i, 1], zoom)
        inner = np.clip((hole - radius) * 60, 0, 1)[..., None]
        near, beyond = (day, walls) if part < 1 else (walls, day)
        frames[i] = np.clip(near * (1 - inner) + beyond * inner, 0, 255)
    return frames


def flag(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A flag in the wind close to the lens: it billows across the scene and falls back."""
    frames, cloth = steady(world, count, rng), world.picture(rng)
    blown = np.clip(0.5 + journey(count, rng, reach=0.9, frames=(8, 50)), 0.05, 1.3)
    rate, length = rng.uniform(0.15, 0.7), rng.uniform(30, 120)
    left, low = rng.random() < 0.5, rng.uniform(0.7, 1.3)
    across = X if left else WIDTH - X
    for i in range(count):
        out = across / (blown[i] * WIDTH)
        wave = np.sin(across / length * 6.28 - rate * i + Y / 60)
        droop = (1 - blown[i]) * 60 * out
        seen = _remapped(cloth, 420 * out + 8 * wave, Y + 12 * wave * out - droop + 80)
        free = 1 + 0.06 * np.sin(Y / 25 - rate * i)
        inside = np.minimum(free - out, (low * HEIGHT + 10 * wave - Y + droop) / WIDTH)
        cover = np.clip(inside * 30, 0, 1)[..., None]
        frames[i] = (
            frames[i] * (1 - cover) + np.clip(seen * (1 + 0.3 * wave[..., None]), 0, 255) * cover
        )
    return frames
