"""Still water: what stands at the shore, upside down and broken by ripples."""

from __future__ import annotations

import numpy as np
from PIL import Image

from storyscope_demo.canvas import colour, noise, to_image


class Mirror:
    """Reflects a picture below itself; each line of water shows a line not quite opposite."""

    def __init__(
        self,
        shore: Image.Image,
        lines: int,
        rng: np.random.Generator,
        *,
        depth_tint: str,
        glint: str,
        chop: float = 26.0,
        squeeze: float = 1.0,
        smear: int = 0,
    ) -> None:
        """`chop` is how many lines a ripple can displace the image at the viewer's feet."""
        self.shore = shore
        image = np.asarray(shore)[::-1].astype(np.float32)
        if smear:
            copies = [np.roll(image, step, 0) for step in (-smear, 0, smear, 2 * smear)]
            image = np.mean(copies, axis=0, dtype=np.float32)
        self.image = image
        self.rows = np.arange(lines)
        self.depth = np.linspace(0, 1, lines, dtype=np.float32)
        self.dim = (0.80 - 0.28 * self.depth)[:, None, None]
        self.tint = colour(depth_tint) * (0.25 + 0.35 * self.depth)[:, None, None]
        self.glint = colour(glint)
        self.ripple = noise(512, 64, rng, roughness=1.1)
        self.chop, self.squeeze = chop, squeeze

    def paint(self, seconds: float) -> Image.Image:
        """The shore and its image below it."""
        slow = self.ripple[(self.rows * 4 - int(50 * seconds)) & 511, 3]
        fast = self.ripple[(self.rows * 8 + int(70 * seconds)) & 511, 17]
        wave = slow + fast - 1.0
        source = self.rows * self.squeeze + wave * (0.2 + 0.8 * self.depth) * self.chop
        source = np.clip(source, 0, len(self.image) - 1).astype(int)
        water = self.image[source] * self.dim + self.tint
        shine = np.clip((wave - 0.25) * 1.5, 0, 1) * (0.2 + 0.4 * self.depth)
        water += (self.glint - water) * shine[:, None, None]
        whole = Image.new("RGB", (self.shore.width, self.shore.height + len(self.rows)))
        whole.paste(self.shore, (0, 0))
        whole.paste(to_image(water), (0, self.shore.height))
        return whole
