"""Worlds: stars, a turning globe, a ringed giant, a cratered moon."""

from __future__ import annotations

from math import cos, sin

import numpy as np
from PIL import Image, ImageChops

from storyscope_demo.canvas import (
    Size,
    colour,
    filled,
    grid,
    look_up,
    mix,
    noise,
    pack,
    shaded,
    smooth,
    stretched,
    to_image,
    to_mask,
)
from storyscope_demo.sprites import Sprite

SEA = ((0.0, "#04183f"), (0.7, "#0b3f7d"), (1.0, "#2f86b0"))
SOIL = ((0.0, "#2f5a2c"), (0.45, "#6d7f3f"), (0.75, "#b79a5f"), (1.0, "#d9c08c"))
BANDS = ((0.0, "#8a5b34"), (0.4, "#d0a066"), (0.7, "#f0d5a0"), (1.0, "#fff3d8"))

Maps = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Ground colours (packed), city lights and cloud cover (0 to 255), 512 x 1024, repeating."""


def starry_sky(size: Size, rng: np.random.Generator, *, count: int) -> np.ndarray:
    """Black sky with stars of many magnitudes and temperatures."""
    pixels = np.full((size.height, size.width, 3), 3.0, dtype=np.float32) + colour("#02030a")
    hues = np.stack([colour(tint) for tint in ("#ffffff", "#bcd2ff", "#ffe2b8", "#ffc9a0")])
    x, y = rng.integers(1, size.width - 1, count), rng.integers(1, size.height - 1, count)
    light = rng.uniform(0.05, 1, count) ** 4
    tint = hues[rng.integers(0, len(hues), count)] * (0.15 + light)[:, None]
    pixels[y, x] += tint
    bright = light > 0.35
    for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        pixels[y[bright] + down, x[bright] + right] += tint[bright] * 0.4
    return pixels


def bright_star(radius: float) -> Image.Image:
    """A star with the four spikes a telescope gives it, on black."""
    at = np.abs(np.linspace(-1, 1, max(5, round(radius) * 2 + 1), dtype=np.float32))
    x, y = at[None, :], at[:, None]
    far = np.hypot(x, y)
    spikes = np.exp(-x * 4 - y * 30) + np.exp(-x * 30 - y * 4) + 1.5 * np.exp(-far * 14)
    return to_image((spikes * smooth(1.0, 0.6, far))[..., None] * colour("#eaf1ff"))


class Globe:
    """A planet whose map slides under the light; all but the sliding is worked out once."""

    def __init__(
        self,
        size: Size,
        *,
        radius: float,
        centre: tuple[float, float],
        sun: tuple[float, float, float],
        tilt: float = 0.4,
        detail: int = 1,
    ) -> None:
        """Radius and centre in heights of the picture; `tilt` is how far its pole leans to us.

        From near, the maps are laid `detail` times around the globe so that they stay sharp.
        """
        self.size = size
        x, y = grid(size)
        u, v = (x * size.width / size.height - centre[0]) / radius, (y - centre[1]) / radius
        reach = np.hypot(u, v)
        z = np.sqrt(np.clip(1 - reach**2, 0, 1))
        up, depth = v * cos(tilt) - z * sin(tilt), v * sin(tilt) + z * cos(tilt)
        self.longitude = (np.arctan2(u, depth) / (2 * np.pi) * 1024 * detail).astype(np.float32)
        latitude = np.arcsin(np.clip(up, -1, 1)) / np.pi + 0.5
        self.row = ((latitude * 511.9 * detail).astype(np.int32) & 511) * 1024
        toward = np.array(sun) / np.linalg.norm(sun)
        facing = (u * toward[0] + v * toward[1] + z * toward[2]).astype(np.float32)
        day = smooth(-0.12, 0.45, facing)
        self.day = to_image(np.repeat(255 * day[..., None], 3, axis=2))
        self.night = to_image(255 * (1 - day))
        inside = smooth(1.0, 1.0 - 2.4 / (radius * size.height), reach)
        self.inside = to_mask(inside)
        rim = 0.6 * smooth(0.6, 1.0, reach) ** 2 * smooth(-0.25, 0.5, facing)
        self.air = to_image(rim[..., None] * colour("#7fb4ff"))
        glow = np.exp(-np.clip(reach - 1, 0, 1) * 26 * radius**0.5) * smooth(-0.35, 0.6, facing)
        self.halo = to_image(((1 - inside) * glow)[..., None] * colour("#4f8dff") * 0.85)

    def paint(self, sky: Image.Image, maps: Maps, *, turn: float, drift: float) -> Image.Image:
        """The globe before the sky, its ground turned by `turn` and its clouds by `drift`."""
        ground, lamps, clouds = maps
        cell = self.row + ((self.longitude + turn).astype(np.int32) & 1023)
        above = self.row + ((self.longitude + drift).astype(np.int32) & 1023)
        cover = Image.fromarray(np.take(clouds, above))
        body = look_up(ground, cell)
        body.paste((246, 246, 246), (0, 0), cover)
        body = ImageChops.add(ImageChops.multiply(body, self.day), self.air)
        lit_streets = ImageChops.multiply(Image.fromarray(np.take(lamps, cell)), self.night)
        lit_streets.paste(0, (0, 0), cover)
        body.paste((255, 196, 107), (0, 0), lit_streets)
        frame = ImageChops.add(sky, self.halo)
        frame.paste(body, (0, 0), self.inside)
        return frame


def living_planet(rng: np.random.Generator, *, poles: bool = True) -> Maps:
    """Seas, green and dry land, ice at the poles, cities, weather."""
    shape, fine = noise(512, 1024, rng, roughness=1.75), noise(512, 1024, rng, roughness=1.2)
    north = np.abs(np.linspace(-1, 1, 512, dtype=np.float32))[:, None]
    height = shape + 0.12 * (fine - 0.5)
    land = smooth(0.545, 0.56, height)
    belt = smooth(0.62, 0.30, np.abs(north - 0.28) * 2.2)
    soil = shaded(SOIL, 0.9 * belt + 0.9 * (fine - 0.5) + (height - 0.56))
    pixels = mix(shaded(SEA, height / 0.55), soil, land)
    if poles:
        ice = smooth(0.84, 0.92, north + 0.12 * (fine - 0.5))
        pixels = mix(pixels, colour("#f2f7fb"), ice)
    cities = smooth(0.60, 0.75, fine) * land * (rng.uniform(0, 1, land.shape) > 0.72)
    clouds = 0.9 * smooth(0.54, 0.76, noise(512, 1024, rng, roughness=1.45, stretch=1.6))
    return pack(pixels), (230 * cities).astype(np.uint8), (255 * clouds).astype(np.uint8)


def ringed_giant(size: Size, rng: np.random.Generator) -> np.ndarray:
    """A banded giant; its rings pass before and behind it, and each shadows the other."""
    pixels = starry_sky(size, rng, count=700)
    x, y = grid(size)
    lean, radius = -0.38, 0.34
    right, down = (x - 0.5) * size.width / size.height / radius, (y - 0.5) / radius
    u, v = right * cos(lean) - down * sin(lean), right * sin(lean) + down * cos(lean)
    reach = np.hypot(u, v)
    z = np.sqrt(np.clip(1 - reach**2, 0, 1))
    wisp = stretched(noise(256, 512, rng, roughness=1.5, stretch=3.0), size) - 0.5
    latitude = 0.5 + 0.5 * (v * cos(0.42) - z * sin(0.42))
    bands = noise(512, 4, rng, roughness=0.9)[:, 0]
    skin = bands[np.clip(latitude * 300 + 15 * wisp + 60, 0, 511).astype(int)] + 0.08 * wisp
    day = smooth(-0.1, 0.7, -0.62 * u - 0.30 * v + 0.72 * z)
    shadow = np.abs(np.hypot(u + 0.10, (v + 0.16) / 0.40) - 1.55) - 0.28
    day *= 1 - 0.55 * smooth(0.05, 0.0, shadow) * smooth(0.2, 0.1, v)
    ball = shaded(BANDS, skin) * day[..., None]
    around = np.hypot(u, v / 0.40)
    grooves = noise(4, 1024, rng, roughness=0.55)[0]
    opacity = smooth(1.22, 1.28, around) * smooth(2.30, 2.24, around)
    opacity *= 0.30 + 0.85 * grooves[np.clip(around * 420, 0, 1023).astype(int)]
    opacity *= 1.0 - 0.92 * smooth(0.045, 0.025, np.abs(around - 1.90))
    opacity = np.clip(opacity, 0, 1)
    tone = grooves[np.clip(around * 300 + 200, 0, 1023).astype(int)]
    dust = mix(filled(size, "#a98f6c"), colour("#f4e2bd"), tone)
    behind = smooth(0.0, 0.25, u) * smooth(1.05, 0.9, np.abs(v - 0.46 * u + 0.02))
    dust = dust * (1 - 0.8 * behind * smooth(2.4, 1.6, around) * (v < 0))[..., None]
    pixels = mix(pixels, dust, opacity * (v < 0))
    pixels = mix(pixels, ball, smooth(1.0, 0.985, reach))
    return mix(pixels, dust, opacity * (v >= 0))


def small_moon(radius: float, tint: str) -> Sprite:
    """A small ball, lit from the upper left."""
    at = np.linspace(-1.05, 1.05, max(5, round(radius) * 2 + 1), dtype=np.float32)
    x, y = at[None, :], at[:, None]
    reach = np.hypot(x, y)
    z = np.sqrt(np.clip(1 - reach**2, 0, 1))
    day = smooth(-0.05, 0.8, -0.62 * x - 0.3 * y + 0.72 * z)
    return Sprite(to_image(day[..., None] * colour(tint)), to_mask(smooth(1.0, 0.92, reach)))


def craters(side: int, rng: np.random.Generator) -> np.ndarray:
    """Heights of rolling ground struck by bowls of all sizes, each with a raised rim."""
    heights = 26 * noise(side, side, rng, roughness=2.6) + 5 * noise(side, side, rng, roughness=1.9)
    for _ in range(230):
        radius = min(6.0 * rng.pareto(1.5) + 6.0, 95.0)
        at = np.arange(-int(radius * 1.7), int(radius * 1.7) + 1)
        far = (np.hypot(at[:, None], at[None, :]) / radius).astype(np.float32)
        bowl = np.where(far < 1, 1.25 * far**2 - 1.0, 0.25 * np.exp(5 * (1 - far)))
        down, right = rng.integers(0, side, 2)
        cells = np.ix_((down + at) % side, (right + at) % side)
        heights[cells] += bowl * smooth(1.7, 1.3, far) * radius * 0.24
    return heights - heights.min()
