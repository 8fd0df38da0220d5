"""The paper's figures: stories of each method below the truth, maps of a network, ranked frames."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from storyscope.core import Segmentation
from storyscope.evaluate import VideoScore

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTH, ROW, GAP, LABEL = 1600, 36, 8, 170
TRUTH, OURS, OTHERS = (
    ((31, 78, 140), (94, 146, 209)),
    ((28, 110, 62), (104, 186, 132)),
    ((150, 40, 38), (222, 120, 110)),
)
"""Two shades for each kind of row, as in the paper: blue, green, red."""
TILE = 160
"""Side of a frame, or of a map, in pixels."""


def write_stories(folder: Path, scores: Mapping[str, Sequence[VideoScore]]) -> None:
    """Write one picture for each video to `folder`, named after it, of the methods scored on it."""
    folder.mkdir(parents=True, exist_ok=True)
    videos = {score.name: score for of_method in scores.values() for score in of_method}
    for name, video in videos.items():
        rows = {"truth": video.truth}
        for method, of_method in scores.items():
            for score in of_method:
                if score.name == name:
                    rows[method] = score.found
        file = "".join(c if c.isalnum() else "-" for c in name.lower())
        (folder / f"{file}.png").write_bytes(draw_stories(name, rows))


def draw_stories(title: str, rows: Mapping[str, Segmentation]) -> bytes:
    """Write a PNG in which colour changes where a story begins.

    The first row is the truth, the second the main method; all have the same length.
    """
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(size=15)
    height = 34 + len(rows) * (ROW + GAP)
    image = Image.new("RGB", (LABEL + WIDTH + GAP, height), "white")
    draw = ImageDraw.Draw(image)
    draw.text((GAP, 6), title, fill="black", font=font)
    for number, (name, stories) in enumerate(rows.items()):
        top = 30 + number * (ROW + GAP)
        draw.text((GAP, top + 9), name, fill="black", font=font)
        shades = (TRUTH, OURS, OTHERS)[min(number, 2)]
        for story, (left, right) in enumerate(_columns(stories)):
            draw.rectangle(
                (LABEL + left, top, LABEL + right - 1, top + ROW), fill=shades[story % 2]
            )
    return _png(image)


def draw_maps(picture: np.ndarray, columns: Sequence[np.ndarray]) -> bytes:
    """A PNG of a frame, uint8 [height, width, 3], and its hypercolumn maps, fine to coarse.

    Each map [size, size] is drawn from black, its least value, to white, its greatest.
    """
    grey = []
    for column in columns:
        low, high = float(column.min()), float(column.max())
        shade = (255 * (column - low) / max(high - low, 1e-9)).astype(np.uint8)
        grey.append(np.repeat(shade[:, :, None], 3, axis=2))
    return _tiled([[picture, *grey]])


def draw_ranking(pictures: Sequence[np.ndarray], scores: np.ndarray) -> bytes:
    """A PNG of two rows: frames in their order, and the same frames from the highest score down."""
    order = np.argsort(-np.asarray(scores), kind="stable")
    return _tiled([[*pictures], [pictures[number] for number in order]])


def _tiled(rows: Sequence[Sequence[np.ndarray]]) -> bytes:
    from PIL.Image import fromarray, new

    width = max(len(row) for row in rows)
    image = new("RGB", (width * TILE, len(rows) * TILE), "white")
    for down, row in enumerate(rows):
        for across, picture in enumerate(row):
            tile = fromarray(picture).resize((TILE, TILE))
            image.paste(tile, (across * TILE, down * TILE))
    return _png(image)


def _png(image: Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def _columns(stories: Segmentation) -> Sequence[tuple[int, int]]:
    """First and end pixel of every story, at least one pixel each if there is room."""
    edges = [round(edge * WIDTH / stories.end) for edge in stories.edges]
    return [(left, max(right, left + 1)) for left, right in pairwise(edges)]
