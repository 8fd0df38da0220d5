"""Blank pictures, and pictures that show mostly text."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from storyscope.core import Keyframes
from storyscope.features.pictures import from_jpeg, small_from_jpeg

MIN_CONTRAST = 10.0
"""Standard deviation of the grey levels, of 255, below which a picture is blank."""
GROUND_REACH = 12
"""Pixels on each side over which the background of text is averaged; it may be a gradient."""
STROKE_CONTRAST = 36
"""Grey levels by which text differs from its background."""
MIN_CROSSINGS, CROSSINGS = 4, 15
"""Changes between background and strokes along a row that has any, and along the median of such
rows: the outline of a moon or a face crosses a row a few times, a line of text far more often."""
MIN_ONE_SIDED = 0.7
"""Share of strokes that are all lighter, or all darker, than their background: leaves are both."""
MIN_ROWS = 0.02
"""Minimum share of the rows with text: one line of small words is enough."""


def contrast(rgb: np.ndarray) -> float:
    """Standard deviation of the grey levels of a picture, uint8 [height, width, 3]."""
    return float(rgb.mean(axis=2).std())


def is_blank(rgb: np.ndarray) -> bool:
    """Whether a picture is black, white or of one colour."""
    return contrast(rgb) < MIN_CONTRAST


def is_lettered(rgb: np.ndarray) -> bool:
    """Whether a picture is a title card or a page of credits.

    Text consists of many thin strokes side by side, all lighter or all darker than the background.
    """
    from PIL import Image, ImageFilter

    grey = Image.fromarray(rgb).convert("L")
    ground = np.asarray(grey.filter(ImageFilter.BoxBlur(GROUND_REACH)), np.int16)
    height = np.asarray(grey, np.int16) - ground
    strokes = np.abs(height) > STROKE_CONTRAST
    crossings = np.count_nonzero(strokes[:, 1:] != strokes[:, :-1], axis=1)
    rows = crossings >= MIN_CROSSINGS
    if rows.mean() < MIN_ROWS or np.median(crossings[rows]) < CROSSINGS:
        return False
    lighter = float((height[strokes] > 0).mean())
    return max(lighter, 1 - lighter) >= MIN_ONE_SIDED


def blank_shots(keyframes: Keyframes, count: int) -> np.ndarray:
    """bool [count]: the shots all of whose keyframes are blank."""
    shown = np.zeros(count, bool)
    looked_at = np.zeros(count, bool)
    for shot, picture in zip(keyframes.shots.tolist(), keyframes.pictures, strict=True):
        looked_at[shot] = True
        shown[shot] = shown[shot] or not is_blank(small_from_jpeg(picture))
    return looked_at & ~shown


def shots_of_lettering(keyframes: Keyframes, shots: Iterable[int]) -> set[int]:
    """Those of the shots most of whose keyframes show text, or are blank."""
    return {shot for shot in shots if _is_plain(keyframes, shot)}


def closing_lettering(keyframes: Keyframes, count: int) -> int:
    """The first shot from which on a video shows only text; `count` if there is none."""
    first = count
    while first > 0 and _is_plain(keyframes, first - 1):
        first -= 1
    return first


def _is_plain(keyframes: Keyframes, shot: int) -> bool:
    rows = np.flatnonzero(keyframes.shots == shot).tolist()
    pictures = (from_jpeg(keyframes.pictures[row]) for row in rows)
    plain = [is_blank(rgb) or is_lettered(rgb) for rgb in pictures]
    return 2 * sum(plain) > len(plain)
