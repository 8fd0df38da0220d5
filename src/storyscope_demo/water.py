"""Open water: waves of all lengths that travel at their own speeds, seen in perspective."""

from __future__ import annotations

import numpy as np

from storyscope_demo.canvas import Size

GRAVITY = 9.81


class Waves:
    """A square patch of sea that repeats; every wave moves as water of its length does.

    Each wave number k has a random height and turns at sqrt(g k): the patch at any time is one
    inverse Fourier transform away.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        *,
        side: int = 256,
        metres: float = 90.0,
        wind: float = 9.0,
        heading: float = 0.6,
    ) -> None:
        self.side = side
        along = np.fft.fftfreq(side, d=metres / side).astype(np.float32) * 2 * np.pi
        across = np.fft.rfftfreq(side, d=metres / side).astype(np.float32) * 2 * np.pi
        down, right = along[:, None], across[None, :]
        length = np.hypot(down, right)
        length[0, 0] = 1.0
        longest = wind**2 / GRAVITY
        towards = (right * np.cos(heading) + down * np.sin(heading)) / length
        energy = np.exp(-1.0 / (length * longest) ** 2) / length**4 * (0.15 + towards**2)
        energy[0, 0] = 0.0
        self.turning = np.sqrt(GRAVITY * length)
        random = rng.standard_normal((2, *length.shape), dtype=np.float32)
        self.start = np.sqrt(energy) * (random[0] + 1j * random[1]).astype(np.complex64)
        self.slope_of = (1j * down).astype(np.complex64)
        spread = np.sqrt((np.abs(self.start * self.slope_of) ** 2).sum() * 2) / side**2
        self.start /= spread

    def slopes(self, seconds: float) -> np.ndarray:
        """How steeply the water rises away from the viewer: about -3 to 3, side x side."""
        turned = self.start * np.exp(1j * (self.turning * seconds)).astype(np.complex64)
        return np.fft.irfft2(turned * self.slope_of, s=(self.side, self.side))


class Sea:
    """Projects the waves below a horizon; far water is smoothed as the eye smooths it."""

    LEVELS = 5

    def __init__(
        self,
        waves: Waves,
        size: Size,
        *,
        horizon: float,
        near: float = 1.0,
        tilt: float = 0.0,
    ) -> None:
        """`horizon` is a fraction of the height; `near` is wave cells a pixel at the bottom."""
        self.waves, self.size = waves, size
        self.top = round(horizon * size.height)
        rows = np.arange(size.height - self.top, dtype=np.float32) + 0.6
        self.depth = rows[-1] / rows
        columns = np.arange(size.width, dtype=np.float32) - size.width / 2
        self.x = columns[None, :] * self.depth[:, None] * near + 4096.0
        self.z = np.repeat((self.depth * rows[-1] * near * 1.3)[:, None], size.width, 1) + 4096.0
        self.z += tilt * self.x
        steepness = np.clip(np.log2(self.depth * near * 0.9), 0, self.LEVELS - 1.001)
        self.level = steepness.astype(np.int32)[:, None]
        self.calm = (1.0 / (1.0 + 0.045 * self.depth))[:, None].astype(np.float32)

    @property
    def rows(self) -> int:
        """Picture lines that show water."""
        return len(self.depth)

    def slopes(self, seconds: float, *, forward: float = 0.0, sideways: float = 0.0) -> np.ndarray:
        """Slope of the water at every pixel below the horizon: about -3 to 3.

        The camera has come `forward` and `sideways` by so many wave cells.
        """
        side = self.waves.side
        pyramid = _pyramid(self.waves.slopes(seconds), self.LEVELS)
        fine = self._sample(pyramid, forward, sideways, 1.0, side)
        broad = self._sample(pyramid, forward, sideways, 0.31, side)
        return (fine + 0.9 * broad) * self.calm

    def _sample(
        self, pyramid: np.ndarray, forward: float, sideways: float, zoom: float, side: int
    ) -> np.ndarray:
        column = ((self.x + sideways) * zoom).astype(np.int32) & (side - 1)
        row = ((self.z + forward) * zoom).astype(np.int32) & (side - 1)
        return np.take(pyramid, (self.level * side + row) * side + column)


def _pyramid(field: np.ndarray, levels: int) -> np.ndarray:
    """The field and ever smoother copies of it, all of the same size."""
    side = len(field)
    stack = np.empty((levels, side, side), dtype=np.float32)
    stack[0] = field
    for level in range(1, levels):
        block = 2**level
        small = field.reshape(side // block, block, side // block, block).mean((1, 3))
        stack[level] = np.repeat(np.repeat(small, block, 0), block, 1)
    return stack
