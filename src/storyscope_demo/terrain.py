"""Landscapes seen from the air: a height map, lit once, and a camera that flies over it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image

from storyscope_demo.canvas import Size, ink, look_up, pack, smooth, to_image


@dataclass(frozen=True, eq=False)
class Terrain:
    """A square landscape that repeats in both directions; the side is a power of two."""

    heights: np.ndarray
    """float32, side x side, in map cells."""
    colours: np.ndarray
    """uint32, packed colours, two to a cell in each direction."""

    @property
    def side(self) -> int:
        return len(self.heights)


def terrain(heights: np.ndarray, colours: np.ndarray) -> Terrain:
    """Bind a height map to the colours of its cells (float, side x side x 3).

    The ground is smoothed a little: rays would step over the very edge of a sharp crest, each
    at another place, and the skyline would come out as a saw.
    """
    side = len(heights)
    finer = to_image(colours).resize((2 * side, 2 * side), Image.Resampling.BICUBIC)
    soft = _smoothed(heights.astype(np.float32), reach=2)
    return Terrain(soft, pack(np.asarray(finer)))


def lit(heights: np.ndarray, sun: tuple[float, float, float]) -> np.ndarray:
    """How much light each cell catches, 0 to 1, with the sun in direction (x, y, up)."""
    across = np.roll(heights, -1, 1) - np.roll(heights, 1, 1)
    down = np.roll(heights, -1, 0) - np.roll(heights, 1, 0)
    direction = np.array(sun, dtype=np.float32) / np.float32(np.linalg.norm(sun))
    facing = (-across * direction[0] - down * direction[1] + 2.0 * direction[2]) / np.sqrt(
        across**2 + down**2 + 4.0
    )
    return np.clip(facing, 0.0, 1.0).astype(np.float32)


def in_shadow(heights: np.ndarray, *, climb: float, steps: int = 60) -> np.ndarray:
    """1 where a hill to the left hides a sun that stands `climb` cells high per cell."""
    highest = heights.copy()
    for step in range(1, steps, 2):
        np.maximum(highest, np.roll(heights, step, 1) - climb * step, out=highest)
    return smooth(0.0, 2.5, highest - heights)


class Flight:
    """Looks over a terrain from a moving point; paints every pixel with what it hits first.

    Along each column of the picture one ray walks away from the camera. Where the ground at
    distance z rises to `height`, it shows on the line `horizon + (eye - height) * scale / z`;
    the highest line so far is where farther ground begins to show.
    """

    def __init__(
        self,
        land: Terrain,
        size: Size,
        haze: str,
        *,
        reach: float = 1500.0,
        near: float = 60.0,
        steps: int = 260,
        view: float = 1.0,
        haze_from: float = 0.25,
        haze_most: float = 0.9,
    ) -> None:
        """`view` is how wide the picture is for its distance; haze begins at `haze_from` of the
        reach and hides `haze_most` of what stands at its end."""
        self.land, self.size = land, size
        self.distances = np.geomspace(near, reach, steps).astype(np.float32)
        self.across = np.linspace(-0.5, 0.5, size.width, dtype=np.float32) * np.float32(view)
        self.scale = size.width / view
        fog = haze_most * smooth(haze_from, 1.0, self.distances / reach)
        self.fog, self.haze = (255 * fog).astype(np.uint8), ink(haze)

    def look(
        self, sky: Image.Image, *, x: float, y: float, eye: float, heading: float, horizon: float
    ) -> Image.Image:
        """Paint the ground over a copy of `sky`; `horizon` is a pixel line."""
        ahead = np.float32(np.sin(heading)), np.float32(-np.cos(heading))
        across_x, across_y = ahead[0] - self.across * ahead[1], ahead[1] + self.across * ahead[0]
        z = self.distances[:, None]
        ground = self._ground(z * across_x + np.float32(x), z * across_y + np.float32(y))
        line = np.float32(horizon) + (np.float32(eye) - ground) * (np.float32(self.scale) / z)
        np.minimum.accumulate(line, axis=0, out=line)
        top = max(0, int(np.ceil(line[-1].min())))
        if top >= self.size.height:
            return sky.copy()
        step, seen = self._first_steps(line, top)
        away = self._distance(line, step, top)
        land = self._paint(away * across_x + np.float32(x), away * across_y + np.float32(y))
        land.paste(self.haze, (0, 0), Image.fromarray(np.take(self.fog, step)))
        frame = sky.copy()
        frame.paste(land, (0, top), Image.fromarray(seen * np.uint8(255)))
        return frame

    def _first_steps(self, line: np.ndarray, top: int) -> tuple[np.ndarray, np.ndarray]:
        """At each pixel from row `top` down, the first step whose ground shows there, if any."""
        rows, width = self.size.height - top, self.size.width
        first = np.clip(np.ceil(line) - top, 0, rows).astype(np.int32)
        cell = first * width + np.arange(width, dtype=np.int32)
        count = np.bincount(cell.ravel(), minlength=(rows + 1) * width)
        showing = np.cumsum(count.reshape(rows + 1, width)[:rows], axis=0, dtype=np.int32)
        steps = len(self.distances)
        return np.minimum(steps - showing, steps - 1), showing > 0

    def _distance(self, line: np.ndarray, step: np.ndarray, top: int) -> np.ndarray:
        """Where between two steps of the ray the ground crosses each pixel's line of sight."""
        width = self.size.width
        rows = np.arange(top, self.size.height, dtype=np.float32)[:, None]
        columns = np.arange(width, dtype=np.int32)
        before = np.maximum(step - 1, 0)
        above = np.take(line, before * width + columns)
        gap = above - np.take(line, step * width + columns)
        part = np.clip((above - rows) / np.maximum(gap, 1e-3), 0.0, 1.0)
        nearer = self.distances[before]
        return nearer + (self.distances[step] - nearer) * part

    def _ground(self, map_x: np.ndarray, map_y: np.ndarray) -> np.ndarray:
        """Height between the cells, so that hills near the camera have no steps."""
        side, mask = self.land.side, self.land.side - 1
        flat = self.land.heights.ravel()
        left, top = np.floor(map_x), np.floor(map_y)
        part_x, part_y = map_x - left, map_y - top
        column, row = left.astype(np.int32) & mask, (top.astype(np.int32) & mask) * side
        next_column, next_row = (column + 1) & mask, (row + side) & (side * side - 1)
        upper = np.take(flat, row + column)
        upper += (np.take(flat, row + next_column) - upper) * part_x
        lower = np.take(flat, next_row + column)
        lower += (np.take(flat, next_row + next_column) - lower) * part_x
        return upper + (lower - upper) * part_y

    def _paint(self, map_x: np.ndarray, map_y: np.ndarray) -> Image.Image:
        side = 2 * self.land.side
        column = np.floor(map_x * 2).astype(np.int32) & (side - 1)
        row = np.floor(map_y * 2).astype(np.int32) & (side - 1)
        return look_up(self.land.colours, row * side + column)


def _smoothed(field: np.ndarray, reach: int) -> np.ndarray:
    for axis in (0, 1):
        shifted = [np.roll(field, step, axis) for step in range(-reach, reach + 1)]
        field = np.stack(shifted).mean(axis=0, dtype=np.float32)
    return field
