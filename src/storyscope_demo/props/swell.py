"""The sea's colours: waves below a horizon, with the sun's path on them."""

from __future__ import annotations

import numpy as np
from PIL import Image

from storyscope_demo.canvas import Size, colour, look_up, pack, ramp
from storyscope_demo.water import Sea, Waves


class SunlitSea:
    """Paints each pixel by the slope of the water: towards the sky, the depth, or the sun."""

    BANDS = 24

    def __init__(
        self,
        size: Size,
        rng: np.random.Generator,
        colours: tuple[tuple[float, str], ...],
        *,
        horizon: float,
        haze: str,
        sun_at: float,
    ) -> None:
        """`horizon` is a fraction of the height, `sun_at` of the width."""
        self.sea = Sea(Waves(rng), size, horizon=horizon, near=0.55)
        far = np.linspace(1.0, 0.0, self.BANDS)[:, None, None] ** 3 * 0.75
        self.table = pack(ramp(*colours)[None] * (1 - far) + colour(haze) * far).ravel()
        rows = np.linspace(0.0, 1.0, self.sea.rows, dtype=np.float32)[:, None]
        across = np.linspace(0.0, 1.0, size.width, dtype=np.float32)[None, :]
        self.band = np.minimum(rows * self.BANDS, self.BANDS - 1).astype(np.int32) * 256
        self.base = 96.0 - 34.0 * rows
        self.path = np.exp(-(((across - sun_at) / (0.035 + 0.16 * rows)) ** 2))

    def onto(
        self, frame: Image.Image, seconds: float, *, forward: float = 0.0, sideways: float = 0.0
    ) -> None:
        """Paint the water, the camera having come `forward` and `sideways` by so many cells."""
        slope = self.sea.slopes(seconds, forward=forward, sideways=sideways)
        glitter = self.path * np.clip(slope * 1.6 + 0.35, 0.0, 2.4)
        value = self.base + 30.0 * slope + 85.0 * glitter
        index = self.band + np.clip(value, 0, 255).astype(np.int32)
        frame.paste(look_up(self.table, index), (0, self.sea.top))
