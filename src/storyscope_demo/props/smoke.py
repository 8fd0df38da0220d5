"""Fire and smoke: a crater's plume, a cloud of ash, lightning, a fountain of sparks."""

from __future__ import annotations

from math import sin

import numpy as np
from PIL import Image

from storyscope_demo.canvas import (
    Size,
    add_light,
    colour,
    glow,
    grid,
    noise,
    ramp,
    smooth,
    to_image,
    to_mask,
)
from storyscope_demo.sprites import Pen, shape

Stops = tuple[tuple[float, str], ...]


class Billows:
    """Smoke that boils as it moves: two clouds sliding over each other, lit from one side.

    It is worked out at half size and scaled up: smoke has no edges to lose.
    """

    def __init__(
        self, size: Size, rng: np.random.Generator, body: np.ndarray, stops: Stops
    ) -> None:
        """`body` says how thick the smoke can be at each pixel of a picture of half the size."""
        self.size, self.body = size, body.astype(np.float32)
        height, width = body.shape
        self.rows, self.columns = np.mgrid[0:height, 0:width].astype(np.int32)
        self.fine = _lumps(rng, roughness=1.65)
        self.broad = _lumps(rng, roughness=1.95)
        self.ramp = ramp(*stops)

    def onto(
        self,
        frame: Image.Image,
        seconds: float,
        *,
        rise: float,
        drift: float = 0.0,
        fire: np.ndarray | None = None,
    ) -> None:
        """Lay the smoke on the frame; `rise` and `drift` in pixels a second, `fire` added."""
        up, aside = int(rise * seconds), int(drift * seconds)
        puff = self._at(self.fine, up, aside)
        heap = self._at(self.broad, up * 2 // 3, aside)
        beside = self._at(self.broad, up * 2 // 3 - 5, aside + 5)
        thick = self.body * (0.7 + 0.7 * heap) + 0.4 * (puff - 0.4)
        light = 0.06 + 0.45 * heap + 0.45 * puff + 0.9 * (heap - beside)
        index = np.clip(light * 255, 0, 255).astype(np.int32)
        pixels = np.take(self.ramp, index, axis=0)
        if fire is not None:
            pixels = pixels + fire * (0.4 + light[..., None])
        picture = to_image(pixels).resize(self.size, Image.Resampling.BILINEAR)
        mask = to_mask(smooth(0.28, 0.60, thick)).resize(self.size, Image.Resampling.BILINEAR)
        frame.paste(picture, (0, 0), mask)

    def _at(self, field: np.ndarray, up: int, aside: int) -> np.ndarray:
        return field[(self.rows + up) & 255, (self.columns - aside) & 511]


class Sparks:
    """Glowing stones thrown up from one point, falling back in arcs."""

    CORES = ((255, 246, 190), (255, 205, 90), (255, 140, 40), (214, 60, 16))
    FLIGHT_SECONDS = 2.4

    def __init__(self, size: Size, rng: np.random.Generator, *, count: int, mouth: float) -> None:
        """`mouth` is how far down the picture they come from."""
        self.size, self.mouth = size, mouth
        self.speed = rng.uniform(0.45, 1.3, count)
        self.lean = rng.normal(0, 0.10, count) * (0.4 + self.speed)
        self.born = rng.uniform(0, self.FLIGHT_SECONDS, count)
        self.dots = [glow(radius, "#ff7a1e", strength=1.2, falloff=1.4) for radius in (2, 3, 4, 6)]

    def onto(self, frame: Image.Image, seconds: float) -> None:
        age = (seconds + self.born) % self.FLIGHT_SECONDS
        beat = 0.9 + 0.1 * sin(2.2 * seconds)
        x = (0.5 + self.lean * age) * self.size.width
        y = (self.mouth - beat * self.speed * age + 0.52 * age * age) * self.size.height
        fall = (1.04 * age - beat * self.speed) * self.size.height / 24
        for i in np.flatnonzero((y < (self.mouth + 0.06) * self.size.height) & (y > 0)):
            if i % 4 == 0:
                add_light(frame, self.dots[i % 16 // 4], x[i], y[i])
            left, top = int(x[i]), int(y[i])
            streak = 2 + min(7, int(abs(fall[i]) * 0.6))
            core = self.CORES[min(3, int(age[i] / self.FLIGHT_SECONDS * 5))]
            frame.paste(core, (left, top, left + 2, top + streak))


def _lumps(rng: np.random.Generator, *, roughness: float) -> np.ndarray:
    """Noise folded upwards: round heads of 0 to 1 with dark creases between them."""
    return np.abs(2.0 * noise(256, 512, rng, roughness=roughness) - 1.0) ** 0.8 * 1.2


def lightning(size: Size, rng: np.random.Generator) -> Image.Image:
    """The mask of a forked bolt from the top of the picture towards its foot."""

    def draw(pen: Pen) -> None:
        x, y = 0.5 + rng.uniform(-0.12, 0.12), 0.12
        trunk = [(x, y)]
        while y < 0.78:
            x, y = x + rng.normal(0, 0.016), y + rng.uniform(0.02, 0.05)
            trunk.append((x, y))
            if rng.uniform() < 0.28:
                side = 0.016 if rng.uniform() < 0.5 else -0.016
                branch = np.cumsum(
                    np.column_stack([rng.normal(side, 0.010, 6), rng.uniform(0.01, 0.04, 6)]), 0
                )
                pen.line([(x, y), *((x + float(u), y + float(v)) for u, v in branch)], 0.0035, 0.8)
        pen.line(trunk, 0.006)

    return shape(size, draw, finer=2)


def cone_line(x: np.ndarray, rough: np.ndarray) -> np.ndarray:
    """A volcano's outline over the width: two hollow flanks and a broken crater."""
    away = np.abs(x - 0.5)
    flank = 0.34 + 0.62 * (1 - np.exp(-away * 2.6)) - 0.02 * np.exp(-away * 40)
    return flank + 0.025 * np.exp(-((away / 0.030) ** 2)) + 0.05 * (rough[:1] - 0.5)


def plume_body(size: Size, *, at: float, top: float) -> np.ndarray:
    """Where smoke from a mouth at (`at`, `top`) can be: a column that leans with the wind."""
    x, y = grid(size)
    up = np.clip((top - y) / top, 0, 1)
    middle = at + 0.30 * up**1.7
    column = np.exp(-(((x - middle) / (0.022 + 0.19 * up)) ** 2))
    return column * smooth(top + 0.01, top - 0.03, y) * (1.15 - 0.3 * up)


def fire_below(size: Size, *, at: float, reach: float) -> np.ndarray:
    """The red light that a fire at height `at` throws on the smoke above it."""
    _, y = grid(size)
    return smooth(at - reach, at, y)[..., None] * colour("#a03208")
