"""Drawing tools: colour, noise, soft shapes and a moving window onto a larger picture.

Everything is measured in fractions of the frame, so that the film can be painted at any size. A
`Painter` is what a scene gives back: seconds into the shot -> one picture.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, radians, sin
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageChops

Painter = Callable[[float], Image.Image]


class Size(NamedTuple):
    """Size of a picture in pixels."""

    width: int
    height: int

    def wider(self, across: float, down: float = 1.0) -> Size:
        """Room for the camera to move over a picture larger than the frame."""
        return Size(round(self.width * across), round(self.height * down))


def colour(text: str) -> np.ndarray:
    """The colour written as "#rrggbb", three floats of 0 to 255."""
    return np.array([int(text[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float32)


def ramp(*stops: tuple[float, str], steps: int = 256) -> np.ndarray:
    """Colours interpolated smoothly through the stops: float32, steps x 3."""
    places = [place for place, _ in stops]
    colours = np.stack([colour(text) for _, text in stops])
    at = np.linspace(0.0, 1.0, steps)
    return np.stack([np.interp(at, places, colours[:, c]) for c in range(3)], 1).astype(np.float32)


def noise(
    height: int,
    width: int,
    rng: np.random.Generator,
    *,
    roughness: float = 1.8,
    stretch: float = 1.0,
) -> np.ndarray:
    """Clouds: fractal noise of 0 to 1 that tiles, `stretch` times longer across than down."""
    down = np.fft.fftfreq(height)[:, None] * height
    across = np.fft.rfftfreq(width)[None, :] * width * stretch * height / width
    frequency = np.hypot(down, across).astype(np.float32)
    frequency[0, 0] = 1.0
    weight = frequency**-roughness
    weight[0, 0] = 0.0
    white = rng.standard_normal((height, width), dtype=np.float32)
    field = np.fft.irfft2(np.fft.rfft2(white) * weight, s=(height, width))
    return np.clip(0.5 + field / (5.0 * field.std()), 0.0, 1.0).astype(np.float32)


def smooth(low: float, high: float, values: np.ndarray) -> np.ndarray:
    """0 below `low`, 1 above `high`, an even slope with soft ends between."""
    t = np.clip((values - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def mix(under: np.ndarray, over: np.ndarray, amount: np.ndarray) -> np.ndarray:
    """`over` laid on `under` with the opacity `amount`, one number per pixel."""
    return under + (over - under) * amount[..., None]


def grid(size: Size) -> tuple[np.ndarray, np.ndarray]:
    """x of 0 to 1 and y of 0 to 1 at every pixel."""
    y, x = np.mgrid[0 : size.height, 0 : size.width].astype(np.float32)
    return x / size.width, y / size.height


def gradient(size: Size, *stops: tuple[float, str]) -> np.ndarray:
    """A sky: colours running from the top of the picture to its bottom."""
    return np.repeat(ramp(*stops, steps=size.height)[:, None, :], size.width, axis=1)


def stretched(field: np.ndarray, size: Size) -> np.ndarray:
    """One number per pixel, smoothly scaled to another size."""
    return np.asarray(Image.fromarray(field).resize(size, Image.Resampling.BICUBIC))


def shaded(stops: tuple[tuple[float, str], ...], light: np.ndarray) -> np.ndarray:
    """Paint light of 0 to 1 with the colours of a ramp."""
    return np.take(ramp(*stops), np.clip(light * 255.0, 0, 255).astype(np.int32), axis=0)


def filled(size: Size, tint: str) -> np.ndarray:
    """A picture of one colour."""
    return np.broadcast_to(colour(tint), (size.height, size.width, 3))


def ink(tint: str) -> tuple[int, int, int]:
    """A colour in Pillow's format."""
    red, green, blue = (int(value) for value in colour(tint))
    return red, green, blue


def to_image(pixels: np.ndarray) -> Image.Image:
    """Floats of 0 to 255, height x width x 3 (or a mask, height x width), as a picture."""
    return Image.fromarray(np.clip(pixels, 0.0, 255.0).astype(np.uint8))


def to_mask(opacity: np.ndarray) -> Image.Image:
    """Opacity of 0 to 1 as a mask."""
    return to_image(opacity * 255.0)


def pack(colours: np.ndarray) -> np.ndarray:
    """A colour table with one number per colour, which is ten times as fast to look up."""
    table = np.zeros((*colours.shape[:-1], 4), dtype=np.uint8)
    table[..., :3] = np.clip(colours, 0.0, 255.0)
    return table.view(np.uint32)[..., 0].copy()


def look_up(table: np.ndarray, index: np.ndarray) -> Image.Image:
    """Paint each pixel with the colour of that number in a packed table."""
    pixels = np.take(table, index)
    height, width = pixels.shape
    return Image.frombytes("RGB", (width, height), pixels.tobytes(), "raw", "RGBX")


def window(
    picture: Image.Image, size: Size, *, x: float = 0.5, y: float = 0.5, zoom: float = 1.0
) -> Image.Image:
    """What the camera sees of a larger picture.

    At zoom 1 one pixel is one pixel; x and y of 0 to 1 move the frame from edge to edge.
    """
    width = min(size.width / zoom, picture.width)
    height = min(size.height / zoom, picture.height)
    left = min(max(x, 0.0), 1.0) * (picture.width - width)
    top = min(max(y, 0.0), 1.0) * (picture.height - height)
    box = (left, top, left + width, top + height)
    return picture.resize(size, Image.Resampling.BILINEAR, box=box)


def scroll(picture: Image.Image, size: Size, x: float) -> Image.Image:
    """The frame at pixel x of a picture that repeats sideways (its ends must meet)."""
    x %= picture.width
    if x + size.width <= picture.width:
        box = (x, 0.0, x + size.width, float(size.height))
        return picture.resize(size, Image.Resampling.BILINEAR, box=box)
    left = int(x)
    frame = Image.new(picture.mode, size)
    frame.paste(picture.crop((left, 0, picture.width, size.height)), (0, 0))
    frame.paste(picture, (picture.width - left, 0))
    return frame


def turned(picture: Image.Image, size: Size, degrees: float, *, zoom: float = 1.0) -> Image.Image:
    """The middle of a larger picture, seen by a camera that turns."""
    c, s = cos(radians(degrees)) / zoom, sin(radians(degrees)) / zoom
    x, y = size.width / 2, size.height / 2
    left, top = picture.width / 2 - c * x + s * y, picture.height / 2 - s * x - c * y
    way = (c, -s, left, s, c, top)
    return picture.transform(size, Image.Transform.AFFINE, way, Image.Resampling.BILINEAR)


def add_light(base: Image.Image, light: Image.Image, x: float, y: float) -> None:
    """Add a glow on a black ground to the picture, its middle at pixel (x, y)."""
    left, top = round(x - light.width / 2), round(y - light.height / 2)
    box = (
        max(left, 0),
        max(top, 0),
        min(left + light.width, base.width),
        min(top + light.height, base.height),
    )
    if box[0] >= box[2] or box[1] >= box[3]:
        return
    part = light.crop((box[0] - left, box[1] - top, box[2] - left, box[3] - top))
    base.paste(ImageChops.add(base.crop(box), part), box[:2])


def glow(radius: float, tint: str, *, strength: float = 1.0, falloff: float = 2.0) -> Image.Image:
    """A round light that fades into black: for suns, lamps and moons."""
    side = max(3, round(radius) * 2 + 1)
    at = np.linspace(-1.0, 1.0, side, dtype=np.float32)
    distance = np.hypot(at[:, None], at[None, :])
    light = np.clip(1.0 - distance, 0.0, 1.0) ** falloff * strength
    return to_image(light[..., None] * colour(tint))


def vignette(size: Size, strength: float = 0.35) -> Image.Image:
    """Darker corners, to be multiplied onto every frame: the eye stays in the picture."""
    x, y = grid(size)
    far = np.hypot((x - 0.5) * 1.15, y - 0.5) / 0.76
    return to_image(np.repeat((255.0 * (1.0 - strength * far**2.6))[..., None], 3, axis=2))
