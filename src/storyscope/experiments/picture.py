"""The qualitative picture: one row of coloured stories per method, under the truth."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from itertools import pairwise

from storyscope.core import Segmentation

WIDTH, ROW, GAP, LABEL = 1600, 36, 8, 170
TRUTH, OURS, OTHERS = (
    ((31, 78, 140), (94, 146, 209)),
    ((28, 110, 62), (104, 186, 132)),
    ((150, 40, 38), (222, 120, 110)),
)
"""Two shades for each kind of row, as in the paper: blue, green, red."""


def draw_stories(title: str, rows: Mapping[str, Segmentation]) -> bytes:
    """A PNG in which colour changes where a story begins.

    The first row is the truth, the second the method that is judged; all end together.
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
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def _columns(stories: Segmentation) -> Sequence[tuple[int, int]]:
    """First and end pixel of every story, at least one pixel each where there is room."""
    edges = [round(edge * WIDTH / stories.end) for edge in stories.edges]
    return [(left, max(right, left + 1)) for left, right in pairwise(edges)]
