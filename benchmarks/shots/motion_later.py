"""Kinds of motion that were written when an earlier detector was finished, and not trained on."""

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
    filmed,
    journey,
    look,
    over,
    shaken,
    steady,
)
from benchmarks.shots.shot_footage import HEIGHT, WIDTH


def waterline(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A camera that dips below the surface of the sea and comes up again."""
    above = camera(0.2, 0.1, (30, 120), shake=0.01)(world, count, rng)
    below = camera(0.4, 0.3, (20, 120), shake=0.01)(world, count, rng)
    murk = np.array([20, 90, 120]) + rng.uniform(-20, 40, 3)
    level = journey(count, rng, reach=1.3, frames=(8, 60)) + rng.choice([-0.2, 0.5, 1.2])
    waves = [(rng.uniform(20, 200), rng.uniform(0.05, 0.4), rng.uniform(2, 14)) for _ in range(3)]
    thick = rng.uniform(0.4, 0.8)
    for i in range(count):
        line = level[i] * HEIGHT + sum(
            a * np.sin(X / length * 6.28 + rate * i) for length, rate, a in waves
        )
        wet = np.clip((Y - line) / rng.uniform(2, 6), 0, 1)[..., None]
        water = (1 - thick) * cv2.GaussianBlur(below[i], (0, 0), 2) + thick * murk
        above[i] = np.clip(above[i] * (1 - wet) + water * wet, 0, 255)
    return above


def door(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A door that swings open or shut before the camera, hinged at one side."""
    frames = steady(world, count, rng)
    leaf = look(world.picture(rng), 0, 0, rng.uniform(0.7, 1.6))
    swing = journey(count, rng, reach=1.5, frames=(8, 70)) + rng.choice([0.1, 1.4])
    swing = np.abs((swing + 1.5) % 3 - 1.5)
    left = rng.random() < 0.5
    corners = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]], np.float32)
    for i in range(count):
        free, nearer = WIDTH * np.cos(swing[i]), 0.35 * HEIGHT * np.sin(swing[i])
        seen = np.array([[0, 0], [free, -nearer], [free, HEIGHT + nearer], [0, HEIGHT]], np.float32)
        if not left:
            seen = np.stack([WIDTH - seen[:, 0], seen[:, 1]], axis=1)
        turn = cv2.getPerspectiveTransform(corners, seen.astype(np.float32))
        cover = cv2.warpPerspective(np.ones((HEIGHT, WIDTH), np.float32), turn, SIZE)[..., None]
        shade = 0.5 + 0.5 * np.cos(swing[i])
        frames[i] = frames[i] * (1 - cover) + shade * cv2.warpPerspective(leaf, turn, SIZE) * cover
    return frames


def train(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """The view from a train: the land goes by, and posts, trees and walls close to the window."""
    land = world.picture(rng)
    speed = rng.choice([-1, 1]) * rng.uniform(0.005, 0.05)
    path = np.zeros((count, 2))
    path[:, 0] = speed * np.arange(count)
    path[:, 1] = shaken(count, rng, 0.01)[:, 0]
    frames = filmed(lambda x, y: look(land, x, y, 1.1), path, rng)
    at = rng.uniform(0, 40)
    while at < count:
        thing = look(world.picture(rng), 0, 0, rng.uniform(0.5, 1.5)) * rng.uniform(0.2, 1)
        thing = cv2.GaussianBlur(thing.astype(np.uint8), (0, 0), rng.uniform(0.5, 8))
        wide = WIDTH * np.exp(rng.uniform(np.log(0.1), np.log(2)))
        mask = (np.abs(X - WIDTH / 2) < wide / 2).astype(np.float32)
        mask[: int(rng.choice([0, 0, 0.4]) * HEIGHT)] = 0
        places = np.zeros((count, 3))
        places[:, 0] = -speed * WIDTH * rng.uniform(2, 10) * (np.arange(count) - at)
        places[:, 2] = 1
        frames = over(frames, thing, mask, places)
        at += rng.exponential(60) + 10
    return frames


def crowd(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """People who walk about near and far before a camera that tilts and turns after them."""
    frames = camera(0.4, 0.5, (15, 90), shake=0.008)(world, count, rng)
    t = np.arange(count)
    for near in np.sort(rng.uniform(0.3, 2.5, int(rng.integers(3, 7)))):
        cloth = look(world.picture(rng), 0, 0, rng.uniform(0.7, 2)) * rng.uniform(0.2, 1.1)
        head = blob(rng, 40 * near, 50 * near)
        body = np.roll(blob(rng, 90 * near, 200 * near), int(100 * near), axis=0)
        mask = np.maximum(head, np.where(Y > HEIGHT / 2, body, 0)).astype(np.float32)
        speed = rng.choice([-1, 1]) * rng.uniform(1, 5) * near
        places = np.zeros((count, 3))
        places[:, 0] = speed * (t - rng.uniform(0, count))
        places[:, 1] = rng.uniform(-10, 30) + 3 * near * np.abs(np.sin(t / rng.uniform(3, 6)))
        places[:, 2] = 1
        frames = over(frames, np.clip(cloth, 0, 255).astype(np.uint8), mask, places)
    return frames
