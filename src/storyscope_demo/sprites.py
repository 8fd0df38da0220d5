"""Things with an outline: drawn once, then moved, turned and laid over the picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, floor, radians, sin
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageChops, ImageDraw

from storyscope_demo.canvas import Size, ink, scroll

Points = Sequence[tuple[float, float]]
Draw = Callable[["Pen"], object]


class Sprite(NamedTuple):
    """A picture and the mask of what belongs to it."""

    picture: Image.Image
    mask: Image.Image

    @classmethod
    def drawn(cls, size: tuple[float, float], *parts: tuple[Draw, str]) -> Sprite:
        """Each part is a drawing and its colour; later parts lie over earlier ones."""
        masks = [shape(size, draw) for draw, _ in parts]
        picture = Image.new("RGB", masks[0].size, ink(parts[0][1]))
        whole = masks[0]
        for mask, (_, tint) in zip(masks, parts, strict=True):
            picture.paste(ink(tint), (0, 0), mask)
            whole = ImageChops.lighter(whole, mask)
        return cls(picture, whole)

    def scaled(self, factor: float) -> Sprite:
        """The same, larger or smaller."""
        size = (max(1, round(self.mask.width * factor)), max(1, round(self.mask.height * factor)))
        return Sprite(
            self.picture.resize(size, Image.Resampling.BOX),
            self.mask.resize(size, Image.Resampling.BOX),
        )

    def flipped(self) -> Sprite:
        """The same, facing the other way."""
        way = Image.Transpose.FLIP_LEFT_RIGHT
        return Sprite(self.picture.transpose(way), self.mask.transpose(way))

    def onto(self, frame: Image.Image, x: float, y: float, *, turn: float = 0.0) -> None:
        """Lay it on the frame, its top left corner at pixel (x, y), turned by so many degrees.

        Fractions of a pixel count, so that what moves slowly glides instead of stepping.
        """
        left, top = floor(x), floor(y)
        c, s = cos(radians(turn)), sin(radians(turn))
        middle_x, middle_y = self.mask.width / 2, self.mask.height / 2
        at_x, at_y = middle_x + x - left, middle_y + y - top
        way = (c, -s, middle_x - c * at_x + s * at_y, s, c, middle_y - s * at_x - c * at_y)
        size = (self.mask.width + 1, self.mask.height + 1)
        picture, mask = (
            part.transform(size, Image.Transform.AFFINE, way, Image.Resampling.BILINEAR)
            for part in self
        )
        frame.paste(picture, (left, top), mask)

    def pass_by(self, frame: Image.Image, x: float) -> None:
        """Lay a strip whose ends meet over the whole frame, from its pixel x on."""
        size = Size(*frame.size)
        frame.paste(scroll(self.picture, size, x), (0, 0), scroll(self.mask, size, x))


def shape(size: tuple[float, float], draw: Draw, *, finer: int = 4) -> Image.Image:
    """A mask drawn `finer` times larger and scaled down, so that its edges are soft."""
    width, height = max(1, round(size[0])), max(1, round(size[1]))
    large = Image.new("L", (width * finer, height * finer))
    draw(Pen(ImageDraw.Draw(large), width * finer, height * finer))
    return large.resize((width, height), Image.Resampling.BOX)


class Pen:
    """Draws in fractions of the picture; `light` is 0 to 1."""

    def __init__(self, draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
        self.draw, self.width, self.height = draw, width, height

    def polygon(self, points: Points, light: float = 1.0) -> None:
        self.draw.polygon(self._pixels(points), fill=round(light * 255))

    def line(self, points: Points, thickness: float, light: float = 1.0) -> None:
        width = max(1, round(thickness * self.height))
        self.draw.line(self._pixels(points), fill=round(light * 255), width=width, joint="curve")

    def ellipse(self, x: float, y: float, rx: float, ry: float, light: float = 1.0) -> None:
        """Centre and radii; rx is a fraction of the width, ry of the height."""
        box = self._pixels([(x - rx, y - ry), (x + rx, y + ry)])
        self.draw.ellipse((*box[0], *box[1]), fill=round(light * 255))

    def curve(self, points: Points, light: float = 1.0) -> None:
        """A closed outline that runs smoothly through the points."""
        self.polygon(rounded(points), light)

    def _pixels(self, points: Points) -> list[tuple[float, float]]:
        return [(x * self.width, y * self.height) for x, y in points]


def rounded(points: Points, steps: int = 8) -> list[tuple[float, float]]:
    """A closed Catmull-Rom spline through the points."""
    p = np.array(points, dtype=np.float64)
    a, b, c, d = np.roll(p, 1, 0), p, np.roll(p, -1, 0), np.roll(p, -2, 0)
    t = np.linspace(0.0, 1.0, steps, endpoint=False)[None, :, None]
    a, b, c, d = (q[:, None, :] for q in (a, b, c, d))
    between = 0.5 * (
        2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3
    )
    return [(float(x), float(y)) for x, y in between.reshape(-1, 2)]
