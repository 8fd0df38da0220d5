"""Skies with clouds, towards the horizon or straight above."""

from __future__ import annotations

import numpy as np
from PIL import Image

from storyscope_demo.canvas import (
    Size,
    colour,
    filled,
    gradient,
    grid,
    mix,
    noise,
    smooth,
    stretched,
    to_image,
)

Stops = tuple[tuple[float, str], ...]


def cloudy_sky(
    size: Size,
    rng: np.random.Generator,
    stops: Stops,
    *,
    clouds: str,
    shade: str,
    horizon: float,
    cover: float = 0.56,
) -> Image.Image:
    """A sky whose clouds flatten towards the horizon (a fraction of the height), lit from above."""
    tall = Size(size.width, max(2, round(size.height * horizon)))
    base = gradient(tall, *stops)
    field = noise(512, 1024, rng, roughness=1.75)
    x, y = grid(tall)
    away = 1.0 / (1.06 - y * 0.98)
    row = (away * 120).astype(np.int32) & 511
    column = ((x - 0.5) * (0.4 + 0.6 * away) * 420 + 512).astype(np.int32) & 1023
    thick = field[row, column]
    above = field[(row + 7) & 511, (column + 6) & 1023]
    opacity = smooth(cover, cover + 0.2, thick) * (0.95 - 0.45 * y)
    light = np.clip(0.62 + (thick - above) * 5.0 - (thick - cover) * 1.1, 0, 1)
    inked = mix(filled(tall, shade), colour(clouds), light)
    whole = np.empty((size.height, size.width, 3), dtype=np.float32)
    whole[: tall.height] = mix(base, inked, opacity)
    whole[tall.height :] = base[-1:]
    return to_image(whole)


def cumulus(
    size: Size, rng: np.random.Generator, stops: Stops, *, clouds: str, shade: str
) -> Image.Image:
    """Heaped clouds seen from below, each bright on top and grey beneath."""
    heaps = stretched(noise(256, 512, rng, roughness=2.1, stretch=1.6), size)
    puffs = stretched(noise(512, 1024, rng, roughness=1.55), size)
    body = heaps + 0.30 * (puffs - 0.5)
    lower = np.roll(body, -max(2, size.height // 30), 0)
    opacity = smooth(0.50, 0.60, body)
    light = np.clip(0.70 + 3.2 * (lower - body) + 1.2 * (puffs - 0.5), 0, 1)
    inked = mix(filled(size, shade), colour(clouds), light)
    return to_image(mix(gradient(size, *stops), inked, opacity))
