"""Scenes put together at random: walls, openings and things at several depths, each moving.

No kind of shot is meant: whatever a camera and things in front of each other can do may happen.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from benchmarks.shots.motion_camera import SIZE, World, filmed, journey, shaken
from benchmarks.shots.shot_footage import HEIGHT, WIDTH

WIDE, HIGH = 320, 180
"""Size of a layer's picture and of its mask."""
SEEN = (WIDTH // 2, HEIGHT // 2)
"""Layers are put together at half the size of a frame."""
Y, X = np.mgrid[:HIGH, :WIDE].astype(np.float32)
PLACE = 4
"""Numbers that say where a layer is: x and y in screens, the logarithm of its size, its angle."""


@dataclass(frozen=True)
class Layer:
    """A picture with a mask, as near as `depth` and moving along a path of its own."""

    picture: np.ndarray
    mask: np.ndarray
    depth: float


def layers(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """One take: a backdrop and one to three layers in front of it."""
    depths = [0.2, *np.sort(rng.uniform(0.4, 2.0, int(rng.integers(1, 4))))]
    stack = [_layer(world, depth, rng, backdrop=depth == depths[0]) for depth in depths]
    eye = _path(count, rng, still=0.3)
    paths = [eye * layer.depth + _path(count, rng, still=0.6) for layer in stack]
    light = 1 + rng.choice([0, 0, 0.5]) * journey(count, rng, reach=0.6, frames=(8, 80))

    def view(*place: float) -> np.ndarray:
        frame = np.zeros((SEEN[1], SEEN[0], 3), np.float32)
        for number, layer in enumerate(stack):
            where = place[PLACE * number : PLACE * (number + 1)]
            cover = _seen(layer.mask, where, cv2.BORDER_REPLICATE)[..., None]
            frame += cover * (_seen(layer.picture, where, cv2.BORDER_REFLECT) - frame)
        return frame

    frames = filmed(view, np.concatenate(paths, axis=1), rng)
    bright = np.clip(frames * np.clip(light, 0.3, 1.6)[:, None, None, None], 0, 255)
    return np.stack([cv2.resize(frame, SIZE) for frame in bright.astype(np.uint8)])


def _layer(world: World, depth: float, rng: np.random.Generator, *, backdrop: bool) -> Layer:
    picture = world.picture(rng)
    picture = cv2.resize(picture, (WIDE, HIGH)).astype(np.float32)
    if rng.random() < 0.35:
        # A wall or a coat close to the lens is nearly flat, and often dark.
        flat = picture.mean(axis=(0, 1)) * rng.uniform(0.1, 1.3)
        picture = flat + rng.uniform(0, 0.3) * (picture - picture.mean(axis=(0, 1)))
    if rng.random() < 0.3:
        picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(1, 6))
    mask = np.ones((HIGH, WIDE), np.float32) if backdrop else _mask(rng)
    return Layer(np.clip(picture, 0, 255), mask, depth)


def _mask(rng: np.random.Generator) -> np.ndarray:
    """Where a layer covers what is behind it: beside an edge, around a hole, in bars or a blob."""
    u, v = (X - rng.uniform(0.3, 0.7) * WIDE) / HIGH, (Y - rng.uniform(0.3, 0.7) * HIGH) / HIGH
    angle = rng.choice([0, np.pi / 2, rng.uniform(0, np.pi)])
    along = u * np.cos(angle) + v * np.sin(angle)
    across = v * np.cos(angle) - u * np.sin(angle)
    wavy = along + rng.choice([0, 0.05, 0.15]) * np.sin(across * rng.uniform(3, 20))
    power = rng.choice([2, 2, 8])
    size = rng.uniform(0.1, 0.6, 2)
    radius = (np.abs(along / size[0]) ** power + np.abs(across / size[1]) ** power) ** (1 / power)
    inside = {
        "edge": wavy,
        "hole": radius - 1,
        "blob": 1 - radius,
        "bars": np.sin(wavy * rng.uniform(3, 15)) - rng.uniform(-0.8, 0.8),
    }[str(rng.choice(["edge", "edge", "hole", "hole", "blob", "bars"]))]
    return np.clip(0.5 + inside / rng.choice([0.005, 0.03, 0.15]), 0, 1).astype(np.float32)


def _path(count: int, rng: np.random.Generator, *, still: float) -> np.ndarray:
    """Where something is in each frame (count x PLACE); at a chance of `still` it hardly moves."""
    path = np.zeros((count, PLACE))
    path[:, :2] = shaken(count, rng, rng.choice([0, 0.003, 0.01]))
    if rng.random() < still:
        return path
    frames = (6, 150)
    for number, reach in enumerate((1.3, 1.0, 0.7, 0.4)):
        if rng.random() < (0.7, 0.4, 0.5, 0.2)[number]:
            path[:, number] += journey(count, rng, reach=reach * rng.uniform(0.2, 1), frames=frames)
    path[:, :2] += np.arange(count)[:, None] * rng.choice([0, 0, 0.01]) * rng.normal(0, 1, 2)
    path[:, 2] = path[:, 2].clip(-0.5, 2)
    return path


def _seen(image: np.ndarray, place: tuple[float, ...], border: int) -> np.ndarray:
    """The part of an image that a camera sees which looks at a place of it."""
    x, y, size, angle = place
    width, height = SEEN
    scale = WIDE / width / 1.5 / np.exp(size)
    cos, sin = scale * np.cos(angle), scale * np.sin(angle)
    # What comes nearer grows about the middle of the picture, wherever it is.
    centre = (WIDE / 2 + x * width * scale, HIGH / 2 + y * height * scale)
    turn = np.array(
        [
            [cos, -sin, centre[0] - cos * width / 2 + sin * height / 2],
            [sin, cos, centre[1] - sin * width / 2 - cos * height / 2],
        ]
    )
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(image, turn, SEEN, flags=flags, borderMode=border)
