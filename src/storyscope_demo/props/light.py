"""Light under water: the net the waves throw, and shafts from the surface."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageChops

from storyscope_demo.canvas import Size, colour, grid, noise, smooth, to_image


class Caustics:
    """The moving net of light that waves throw: where two slow swells cross it is brightest."""

    def __init__(self, size: Size, rng: np.random.Generator) -> None:
        self.swells = [noise(512, 512, rng, roughness=2.9, stretch=1.4) for _ in range(2)]
        x, y = grid(size)
        self.rows = (y * 512).astype(np.int32)
        self.columns = (x * 900).astype(np.int32)
        self.depth = to_image(np.repeat((smooth(0.75, 0.0, y) * 255)[..., None], 3, 2))

    def light(self, seconds: float) -> np.ndarray:
        """Brightness of 0 to 1, most of it in thin bright lines."""
        one = self._swell(0, 2, 1, 26 * seconds, 19 * seconds)
        two = self._swell(1, 1, 2, -15 * seconds, -22 * seconds)
        net = np.abs(np.sin(7.0 * (one + two))) + 0.7 * np.abs(np.sin(9.0 * (one - two) + 1.0))
        return np.clip(1.25 - 1.1 * net, 0.0, 1.0) ** 2

    def onto(self, frame: Image.Image, seconds: float) -> None:
        """Brighten the upper part of the frame, where the surface is near."""
        web = to_image(self.light(seconds) * 70.0)
        light = ImageChops.multiply(Image.merge("RGB", (web, web, web)), self.depth)
        frame.paste(ImageChops.add(frame, light))

    def _swell(self, which: int, wide: int, tall: int, right: float, down: float) -> np.ndarray:
        row = (self.rows * tall + int(down)) & 511
        column = (self.columns * wide + int(right)) & 511
        return np.take(self.swells[which], row * 512 + column)


def shafts(size: Size, rng: np.random.Generator) -> Image.Image:
    """Light falling in slanted shafts from the surface, on black; a little wider than the frame."""
    x, y = grid(size.wider(1.12))
    comb = noise(8, 512, rng, roughness=1.0)[0]
    angle = np.arctan2(x - 0.45, y + 0.55)
    bright = smooth(0.45, 0.9, comb[((angle + 1.6) * 190).astype(int) & 511])
    return to_image((bright * smooth(0.95, 0.0, y))[..., None] * colour("#d8fff4") * 0.5)
