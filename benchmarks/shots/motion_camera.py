"""What footage of pure motion is filmed with: pictures to look at, and cameras that move.

A camera sets off, moves over a picture by so many screens, and stops; it blurs where it is quick.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from benchmarks.shots.shot_footage import (
    HEIGHT,
    PICTURES,
    WIDTH,
    Render,
    Take,
    _load_picture,
    _smooth,
    _texture,
)

SIZE = (WIDTH, HEIGHT)
Y, X = np.mgrid[:HEIGHT, :WIDTH].astype(np.float32)


@dataclass(frozen=True)
class World:
    """The material of one half: photographs, and textures drawn at random.

    Without photographs everything is drawn.
    """

    photographs: tuple[np.ndarray, ...]

    def picture(self, rng: np.random.Generator) -> np.ndarray:
        """A view of at least 512 x 288, uint8: a photograph, a texture, or two of them joined."""
        manner = rng.random()
        if manner < 0.6 and self.photographs:
            return self._photograph(rng)
        if manner < 0.8 or not self.photographs:
            return _texture(rng, 640, 360, rng.uniform(1.3, 2.4)).astype(np.uint8)
        left, right = self._photograph(rng), self._photograph(rng)
        edge = (1 / (1 + np.exp(-(np.arange(640) - 320) / rng.uniform(2, 80))))[None, :, None]
        return (left * (1 - edge) + right * edge).astype(np.uint8)

    def _photograph(self, rng: np.random.Generator) -> np.ndarray:
        # Half of the time a photograph, half of the time a still of a film: there are many stills.
        photographs = self.photographs[:7] if rng.random() < 0.5 else self.photographs
        photograph = photographs[int(rng.integers(len(photographs)))]
        height, width = photograph.shape[:2]
        share = rng.uniform(0.5, 1)
        w, h = int(width * share), int(height * share)
        x, y = int(rng.integers(width - w + 1)), int(rng.integers(height - h + 1))
        part = photograph[y : y + h, x : x + w, :: rng.choice([-1, 1])]
        view = cv2.resize(np.ascontiguousarray(part), (640, 360)) * rng.uniform(0.5, 1.3, 3)
        return np.clip(view + rng.uniform(-30, 30), 0, 255).astype(np.uint8)


def load_world(half: str, takes: list[Take]) -> World:
    """The photographs of a half, and a still of every film take of it."""
    photographs = [
        _load_picture(package, name) for package, names in PICTURES[half].items() for name in names
    ]
    stills = [take.render(1, np.random.default_rng(5))[0] for take in takes]
    return World((*photographs, *stills))


Kind = Callable[[World, int, np.random.Generator], np.ndarray]


def takes_of(world: World, kinds: dict[str, Kind]) -> list[Take]:
    """The kinds as footage that `compose` can join."""

    def rendered(kind: Kind) -> Render:
        return lambda count, rng: kind(world, count, rng)

    return [Take(f"motion:{name}", 10_000, rendered(kind)) for name, kind in kinds.items()]


def journey(
    count: int, rng: np.random.Generator, *, reach: float, frames: tuple[float, float]
) -> np.ndarray:
    """How far a camera has come (count): moves of about `reach`, each over some `frames`."""
    way, at = np.zeros(count), float(rng.uniform(0, 30))
    t = np.arange(count)
    while at < count:
        length = np.exp(rng.uniform(*np.log(frames)))
        progress = np.clip((t - at) / length, 0, 1)
        if rng.random() < 0.7:
            progress = progress * progress * (3 - 2 * progress)
        way += rng.choice([-1, 1], p=[0.35, 0.65]) * reach * rng.uniform(0.3, 1.2) * progress
        at += length + rng.exponential(25)
    return way


def look(
    picture: np.ndarray,
    x: float,
    y: float,
    zoom: float = 1,
    angle: float = 0,
    lean: tuple[float, float] = (0, 0),
) -> np.ndarray:
    """The picture around its middle plus (x, y) screens; `lean` tips the camera."""
    height, width = picture.shape[:2]
    scale = width / WIDTH / 1.6 / zoom
    cos, sin = scale * np.cos(angle), scale * np.sin(angle)
    centre = np.array(
        [[1, 0, -WIDTH / 2], [0, 1, -HEIGHT / 2], [lean[0] / WIDTH, lean[1] / HEIGHT, 1]]
    )
    turn = np.array(
        [
            [cos, -sin, width / 2 + x * WIDTH * scale],
            [sin, cos, height / 2 + y * HEIGHT * scale],
            [0, 0, 1],
        ]
    )
    return cv2.warpPerspective(
        picture,
        turn @ centre,
        SIZE,
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REFLECT,
    )


def filmed(
    view: Callable[..., np.ndarray], paths: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Frames of `view(*place)` along `paths` (count x k), blurred where the camera is quick."""
    shutter = rng.choice([0, 0.3, 0.5])
    step = np.diff(paths, axis=0, prepend=paths[:1])
    frames = []
    for place, moved in zip(paths, step, strict=True):
        quick = np.abs(moved[:2]).max() * WIDTH > 4
        parts = np.linspace(0, shutter, 4 if quick and shutter else 1)
        frames.append(
            np.mean([view(*(place - part * moved)) for part in parts], axis=0)
            if len(parts) > 1
            else view(*place)
        )
    return np.stack(frames).astype(np.uint8)


def shaken(count: int, rng: np.random.Generator, strength: float) -> np.ndarray:
    return _smooth(rng.normal(0, strength, (count, 2)), int(rng.integers(2, 8)))


def camera(
    right: float, down: float, frames: tuple[float, float], shake: float = 0.002, zoom: float = 0.0
) -> Kind:
    """A camera that moves over a flat scene by about so many screens at a time."""

    def render(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
        picture = world.picture(rng)
        path = np.zeros((count, 6))
        side = rng.choice([-1, 1], 2)
        path[:, 0] = side[0] * journey(count, rng, reach=right, frames=frames) if right else 0
        path[:, 1] = side[1] * journey(count, rng, reach=down, frames=frames) if down else 0
        path[:, :2] += shaken(count, rng, shake * rng.uniform(0, 2)) + rng.uniform(-0.4, 0.4, 2)
        path[:, 2] = rng.uniform(0.8, 1.6)
        if zoom:
            path[:, 2] *= np.exp(np.clip(journey(count, rng, reach=zoom, frames=frames), -1.2, 1.5))
        path[:, 3] = rng.choice([0, 0, 0.05]) * journey(count, rng, reach=1, frames=frames)
        path[:, 4:] = rng.uniform(-0.3, 0.3, 2)
        return filmed(lambda *p: look(picture, p[0], p[1], p[2], p[3], (p[4], p[5])), path, rng)

    return render


def blob(
    rng: np.random.Generator, width: float, height: float, softness: float = 0.1
) -> np.ndarray:
    """A mask (HEIGHT x WIDTH, 0 to 1) of one irregular thing in the middle of the screen."""
    x, y = (X - WIDTH / 2) / (width / 2), (Y - HEIGHT / 2) / (height / 2)
    around = np.arctan2(y, x)
    edge = 1 + sum(
        rng.normal(0, 0.12) * np.cos(k * around + rng.uniform(0, 6.3)) for k in range(2, 6)
    )
    power = rng.choice([2, 2, 4])
    return np.clip(
        (edge - (np.abs(x) ** power + np.abs(y) ** power) ** (1 / power)) / softness, 0, 1
    )


def moved(image: np.ndarray, x: float, y: float, scale: float = 1.0) -> np.ndarray:
    shift = np.array(
        [[scale, 0, x + WIDTH / 2 * (1 - scale)], [0, scale, y + HEIGHT / 2 * (1 - scale)]]
    )
    return cv2.warpAffine(image, shift, SIZE, flags=cv2.INTER_LINEAR)


def over(frames: np.ndarray, thing: np.ndarray, mask: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The frames with a thing in front, at `places` (count x (x, y, scale)) off the middle."""
    out = frames.copy()
    for i, (x, y, scale) in enumerate(places):
        if abs(x) > 3 * WIDTH or abs(y) > 3 * HEIGHT:
            continue
        cover = moved(mask, x, y, scale)[..., None]
        out[i] = out[i] * (1 - cover) + moved(thing, x, y, scale) * cover
    return out


def steady(world: World, count: int, rng: np.random.Generator) -> np.ndarray:
    """A scene for things to move in: mostly held, at times with a slow camera."""
    slow = camera(0.2 * rng.choice([0, 1]), 0.1 * rng.choice([0, 1]), (40, 160), shake=0.004)
    return slow(world, count, rng)


def mirrored(values: np.ndarray, size: int) -> np.ndarray:
    """Positions in a picture that goes on as its own mirror image."""
    folded = np.abs((values % (2 * size - 2)) - (size - 1))
    return np.asarray(folded, np.float32)


def clouds_of(rng: np.random.Generator) -> np.ndarray:
    field = _texture(rng, 512, 288, rng.uniform(1.4, 2.2)).mean(axis=2)
    return np.asarray((field - field.min()) / (np.ptp(field) + 1e-6), np.float32)
