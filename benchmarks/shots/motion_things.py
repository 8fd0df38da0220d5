"""Footage in which only the camera and things move: one uncut take of a named kind."""

from __future__ import annotations

import cv2
import numpy as np

from benchmarks.shots.motion_camera import (
    SIZE,
    World,
    X,
    Y,
    blob,
    filmed,
    journey,
    look,
    mirrored,
    over,
    shaken,
    steady,
)
from benchmarks.shots.shot_footage import HEIGHT, WIDTH


def crossing(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """People and cars that cross the picture, or enter and stay."""
    frames, t = steady(world, count, rng), np.arange(count)
    for _ in range(int(rng.integers(1, 5))):
        width, height = rng.uniform(20, 120), rng.uniform(40, 160)
        thing, mask = look(world.picture(rng), 0, 0, rng.uniform(0.7, 2)), blob(rng, width, height)
        speed = rng.choice([-1, 1]) * np.exp(rng.uniform(np.log(1.5), np.log(18)))
        places = np.zeros((count, 3))
        places[:, 0] = speed * (t - rng.uniform(0, count))
        if rng.random() < 0.3:
            places[:, 0] = np.sign(speed) * np.minimum(
                np.sign(speed) * places[:, 0], rng.uniform(-60, 60)
            )
        places[:, 1] = rng.uniform(-20, 40) + rng.uniform(0, 5) * np.abs(np.sin(t / 4))
        places[:, 2] = rng.uniform(0.8, 1.2)
        frames = over(frames, thing, mask, places)
    return frames


def passing(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """Someone who walks past close to the lens and covers most or all of it."""
    frames, t, at = steady(world, count, rng), np.arange(count), rng.uniform(5, 60)
    while at < count:
        shade = rng.uniform(0.1, 0.9)
        thing = (look(world.picture(rng), 0, 0, rng.uniform(0.6, 1.5)) * shade).astype(np.uint8)
        thing = cv2.GaussianBlur(thing, (0, 0), rng.uniform(0.5, 6))
        width = rng.uniform(0.5, 1.6) * WIDTH
        mask = cv2.GaussianBlur(
            blob(rng, width, rng.uniform(1.5, 3) * HEIGHT), (0, 0), rng.uniform(0.5, 8)
        )
        speed = (WIDTH + width) / np.exp(rng.uniform(np.log(6), np.log(50)))
        places = np.zeros((count, 3))
        places[:, 0] = rng.choice([-1, 1]) * speed * (t - at)
        places[:, 2] = 1
        frames = over(frames, thing, mask, places)
        at += rng.uniform(30, 120)
    return frames


def turning(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A large head or ball that turns, tips and comes nearer."""
    frames, skin = steady(world, count, rng), world.picture(rng)
    radius = rng.uniform(30, 110)
    yaw = journey(count, rng, reach=rng.uniform(0.5, 2.5), frames=(6, 60))
    pitch = journey(count, rng, reach=rng.uniform(0, 0.8), frames=(6, 60))
    place = np.stack(
        [
            journey(count, rng, reach=60, frames=(8, 60)),
            journey(count, rng, reach=25, frames=(8, 60)),
        ],
        1,
    )
    near = np.exp(np.clip(journey(count, rng, reach=0.3, frames=(10, 60)), -0.6, 0.6))
    light = rng.uniform(0, 0.7)
    for i in range(count):
        r = radius * near[i]
        x, y = (
            (X - WIDTH / 2 - place[i, 0] % 200 + 100) / r,
            (Y - HEIGHT / 2 - place[i, 1]) / (1.25 * r),
        )
        inside = np.clip((1 - np.hypot(x, y)) * r / 2, 0, 1)[..., None]
        depth = np.sqrt(np.clip(1 - x * x - y * y, 0, 1))
        across = (np.arctan2(x, depth + 1e-3) + yaw[i]) / np.pi * 320 + 320
        down = (np.arcsin(np.clip(y, -1, 1)) + pitch[i]) / np.pi * 360 + 180
        face = cv2.remap(
            skin,
            across.astype(np.float32),
            down.astype(np.float32),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REFLECT,
        )
        shade = (1 - light + light * depth)[..., None]
        frames[i] = frames[i] * (1 - inside) + face * shade * inside
    return frames


def parallax(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A camera that moves past trunks, ridges and people at several depths."""
    path = (
        np.stack(
            [
                journey(count, rng, reach=rng.choice([0.3, 1, 2.5]), frames=(15, 150)),
                journey(count, rng, reach=rng.choice([0, 0.1, 0.5]), frames=(15, 150)),
            ],
            1,
        )
        + np.arange(count)[:, None] * rng.normal(0, 0.004, 2)
        + shaken(count, rng, 0.003)
    )
    far = world.picture(rng)
    depths = np.sort(rng.uniform(0.3, 3, int(rng.integers(1, 5))))
    layers = []
    for depth in depths:
        mask = np.zeros((360, 2048), np.float32)
        for _ in range(int(rng.integers(2, 9))):
            x, half = rng.uniform(0, 2048), rng.uniform(10, 70) * depth
            top = 0 if rng.random() < 0.5 else rng.uniform(60, 260)
            mask[int(top) :, max(0, int(x - half)) : int(x + half)] = 1
        texture = cv2.resize(world.picture(rng), (1024, 360))
        texture = np.concatenate([texture, texture[:, ::-1]], 1)
        layers.append((depth, texture, cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.8, 4))))

    def view(right: float, down: float) -> np.ndarray:
        frame = look(far, 0.15 * right, 0.15 * down).astype(np.float32)
        for depth, texture, mask in layers:
            shift = np.array(
                [[1.25, 0, (right * WIDTH * depth * 0.6) % 2048], [0, 1.25, 90 + down * 60 * depth]]
            )
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            cover = cv2.warpAffine(mask, shift, SIZE, flags=flags, borderMode=cv2.BORDER_WRAP)[
                ..., None
            ]
            frame = (
                frame * (1 - cover)
                + cv2.warpAffine(texture, shift, SIZE, flags=flags, borderMode=cv2.BORDER_WRAP)
                * cover
            )
        return frame

    return filmed(view, path, rng)


def flight(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A drone over a landscape with things standing on it: it flies, turns, tips and climbs."""
    ground, sky = world.picture(rng), world.picture(rng)
    t = np.arange(count)
    yaw = journey(count, rng, reach=rng.uniform(0.3, 2), frames=(20, 150)) + t * rng.normal(
        0, 0.006
    )
    pitch = rng.uniform(-0.1, 0.7) + np.clip(
        journey(count, rng, reach=0.3, frames=(20, 120)), -0.5, 0.5
    )
    height = np.exp(np.clip(journey(count, rng, reach=0.5, frames=(30, 150)), -0.8, 1.2))
    speed = rng.choice([0, 0.01, 0.03, 0.08])
    place = np.stack([np.cumsum(np.sin(yaw)), np.cumsum(np.cos(yaw))], 1) * speed
    stand = rng.uniform(-6, 6, (int(rng.integers(0, 25)), 2))
    looks = [look(world.picture(rng), 0, 0, 1.5) for _ in range(3)]
    haze, ray_x = rng.uniform(0, 0.5), (X - WIDTH / 2) / WIDTH * 1.4
    ray_y = (Y - HEIGHT / 2) / WIDTH * 1.4
    scale = rng.uniform(60, 240)
    frames = np.empty((count, HEIGHT, WIDTH, 3), np.uint8)
    for i in range(count):
        down, forth = (
            ray_y * np.cos(pitch[i]) + np.sin(pitch[i]),
            np.cos(pitch[i]) - ray_y * np.sin(pitch[i]),
        )
        far = height[i] / np.maximum(down, 1e-3)
        sin, cos = np.sin(yaw[i]), np.cos(yaw[i])
        gx = place[i, 0] + far * (ray_x * cos + forth * sin)
        gy = place[i, 1] + far * (forth * cos - ray_x * sin)
        land = cv2.remap(
            ground, mirrored(gx * scale, 640), mirrored(gy * scale, 360), cv2.INTER_LINEAR
        )
        azimuth = yaw[i] + np.arctan2(ray_x, np.maximum(forth, 1e-3))
        air = cv2.remap(
            sky, mirrored(azimuth * 300, 640), mirrored(180 + down * 300, 360), cv2.INTER_LINEAR
        )
        fog = (haze * np.clip(1 - 2.5 / np.maximum(far, 0.1), 0, 1))[..., None]
        land = land * (1 - fog) + 190 * fog
        horizon = np.clip(down * 150 + 0.5, 0, 1)[..., None]
        frame = air * (1 - horizon) + land * horizon
        for number, (sx, sy) in enumerate(stand):
            dx, dy = sx - place[i, 0], sy - place[i, 1]
            ahead, aside = dx * sin + dy * cos, dx * cos - dy * sin
            depth = ahead * np.cos(pitch[i]) + height[i] * np.sin(pitch[i])
            if depth < 0.3 or ahead < 0.2:
                continue
            px = WIDTH / 2 + aside / depth * WIDTH / 1.4
            py = (
                HEIGHT / 2
                + (height[i] * np.cos(pitch[i]) - ahead * np.sin(pitch[i])) / depth * WIDTH / 1.4
            )
            w, h = 22 / depth, 90 / depth
            x0, x1, y0, y1 = (
                int(np.clip(v, 0, m))
                for v, m in ((px - w, WIDTH), (px + w, WIDTH), (py - h, HEIGHT), (py, HEIGHT))
            )
            if x1 > x0 and y1 > y0:
                frame[y0:y1, x0:x1] = cv2.resize(looks[number % 3], (x1 - x0, y1 - y0))
        frames[i] = frame
    return frames


def room(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A camera that walks through a corridor and looks around: every ray meets a wall."""
    walls = [world.picture(rng) for _ in range(4)]
    yaw = (
        journey(count, rng, reach=rng.uniform(0.3, 2), frames=(12, 90))
        + shaken(count, rng, 0.01)[:, 0]
    )
    pitch = (
        np.clip(journey(count, rng, reach=0.3, frames=(15, 90)), -0.5, 0.5)
        + shaken(count, rng, 0.01)[:, 0]
    )
    along = journey(count, rng, reach=2, frames=(30, 150)) + np.arange(count) * rng.choice(
        [0, 0.01, 0.03]
    )
    frames = np.empty((count, HEIGHT, WIDTH, 3), np.uint8)
    rx, ry = (X - WIDTH / 2) / WIDTH * 1.4, (Y - HEIGHT / 2) / WIDTH * 1.4
    for i in range(count):
        dy, dz = ry * np.cos(pitch[i]) + np.sin(pitch[i]), np.cos(pitch[i]) - ry * np.sin(pitch[i])
        dx, dz = (
            rx * np.cos(yaw[i]) + dz * np.sin(yaw[i]),
            dz * np.cos(yaw[i]) - rx * np.sin(yaw[i]),
        )
        tx, ty = 1 / np.maximum(np.abs(dx), 1e-4), 0.7 / np.maximum(np.abs(dy), 1e-4)
        hit = np.minimum(tx, ty)
        px, py, pz = dx * hit, dy * hit, dz * hit + along[i]
        side = np.where(tx < ty, np.where(dx > 0, 0, 1), np.where(dy > 0, 2, 3))
        u = mirrored(pz * 200, 640)
        frame = np.zeros((HEIGHT, WIDTH, 3), np.float32)
        for number, wall in enumerate(walls):
            v = mirrored(180 + (py if number < 2 else px) * 180, 360)
            frame += cv2.remap(wall, u, v, cv2.INTER_LINEAR) * (side == number)[..., None]
        frames[i] = frame * np.clip(2.5 / (1 + hit), 0.2, 1)[..., None]
    return frames


def spinning(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A camera that rolls about its axis or circles something."""
    picture = world.picture(rng)
    path = np.zeros((count, 4))
    path[:, 3] = journey(count, rng, reach=rng.uniform(0.5, 3), frames=(15, 120))
    path[:, :2] = 0.4 * np.stack([np.cos(path[:, 3] * 1.3), np.sin(path[:, 3] * 1.3)], 1)
    path[:, 2] = np.exp(0.3 * np.sin(np.arange(count) / rng.uniform(10, 60)))
    return filmed(lambda *p: look(picture, *p), path, rng)


def crane(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A camera that rises or comes round behind a wall which fills part of the picture."""
    frames = parallax(world, count, rng)
    wall = look(world.picture(rng), 0, 0, rng.uniform(0.6, 1.2))
    way = journey(count, rng, reach=rng.choice([-1, 1]) * 1.3, frames=(12, 90))
    down = rng.random() < 0.5
    places = np.zeros((count, 3))
    places[:, 1 if down else 0] = (0.9 + way) * (HEIGHT if down else WIDTH)
    places[:, 2] = 1
    mask = np.ones((HEIGHT, WIDTH), np.float32)
    return over(frames, wall, mask, places)


def sliding(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A door, a bus or a wall that slides over all of the picture or off it, and stops there."""
    frames = steady(world, count, rng)
    thing = look(world.picture(rng), 0, 0, rng.uniform(0.6, 2))
    covered = np.clip(journey(count, rng, reach=1.2, frames=(6, 60)) + rng.choice([0, 1]), -0.1, 1)
    down, side = rng.random() < 0.3, rng.choice([-1, 1])
    places = np.zeros((count, 3))
    places[:, 1 if down else 0] = side * (1 - covered) * (HEIGHT if down else WIDTH)
    places[:, 2] = 1
    return over(frames, thing, np.ones((HEIGHT, WIDTH), np.float32), places)


def following(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A camera that keeps someone in the middle while the scene behind goes by."""
    path = np.zeros((count, 2))
    path[:, 0] = journey(count, rng, reach=rng.choice([1, 2, 4]), frames=(10, 90))
    path[:, 1] = journey(count, rng, reach=rng.choice([0, 0.2]), frames=(15, 90))
    scene, scale = world.picture(rng), rng.uniform(0.8, 2)
    frames = filmed(lambda x, y: look(scene, x, y, scale), path, rng)
    someone = look(world.picture(rng), 0, 0, rng.uniform(0.7, 2))
    mask = blob(rng, rng.uniform(60, 200), rng.uniform(90, 220))
    places = np.zeros((count, 3))
    places[:, :2] = rng.uniform(-40, 40, 2) + 150 * shaken(count, rng, 0.02)
    places[:, 2] = np.exp(np.clip(journey(count, rng, reach=0.2, frames=(20, 90)), -0.4, 0.4))
    return over(frames, someone, mask, places)


def doorway(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A camera that goes through one opening after another into the scene behind it."""
    depth = np.abs(journey(count, rng, reach=2.5, frames=(20, 120)))
    walls = [world.picture(rng) for _ in range(4)]
    sway = shaken(count, rng, 0.02)
    frames = np.empty((count, HEIGHT, WIDTH, 3), np.uint8)
    for i in range(count):
        first = int(depth[i])
        frame = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
        for number in (first + 2, first + 1, first):
            near = 1 / (number + 1.05 - depth[i])
            wall = look(walls[number % 4], sway[i, 0] * near, sway[i, 1] * near, 0.6 + 0.6 * near)
            wide, high = 45 * near, 40 * near
            opening = np.maximum(np.abs(X - WIDTH / 2) / wide, np.abs(Y - HEIGHT / 2) / high) < 1
            keep = opening if number < first + 2 else np.zeros_like(opening)
            frame = np.where(keep[..., None], frame, wall)
        frames[i] = frame
    return frames


def orbit(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A camera that circles a pillar close by while what lies behind goes the other way."""
    turn = journey(count, rng, reach=rng.uniform(0.5, 2), frames=(15, 120))
    far, near = world.picture(rng), world.picture(rng)
    path = np.stack([turn, shaken(count, rng, 0.01)[:, 0]], axis=1)
    frames = filmed(lambda x, y: look(far, -1.2 * x, y), path, rng)
    half = rng.uniform(30, 115)
    shift = 40 * np.sin(0.7 * turn)
    for i in range(count):
        x = (X - WIDTH / 2 - shift[i]) / half
        angle = np.arcsin(np.clip(x, -1, 1)) + turn[i]
        skin = cv2.remap(
            near, mirrored(angle / np.pi * 320 + 320, 640), mirrored(Y + 100, 360), cv2.INTER_LINEAR
        )
        shade = np.sqrt(np.clip(1 - x * x, 0, 1))[..., None]
        frames[i] = np.where((np.abs(x) < 1)[..., None], skin * (0.5 + 0.5 * shade), frames[i])
    return frames
