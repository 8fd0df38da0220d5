"""Rotate pictures upright: the eight possible orientations of a camera.

A turn is three bits, applied in this order: 4 swaps rows and columns, 1 mirrors left and right, 2
mirrors top and bottom.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

UPRIGHT, MIRROR, FLIP, TRANSPOSE = 0, 1, 2, 4


def turn_of(display_matrix: bytes | None) -> int:
    """The turn for a container's display matrix.

    The matrix maps a stored point (p, q) to (a p + c q, b p + d q); other angles are rounded to the
    nearest right angle.
    """
    if display_matrix is None or len(display_matrix) < 36:
        return UPRIGHT
    a, b, _, c, d, *_ = struct.unpack("=9i", display_matrix[:36])
    if abs(a) + abs(d) >= abs(b) + abs(c):
        return (MIRROR if a < 0 else 0) | (FLIP if d < 0 else 0)
    return TRANSPOSE | (MIRROR if c < 0 else 0) | (FLIP if b < 0 else 0)


def stand_upright(rgb: np.ndarray, turn: int) -> np.ndarray:
    """`rgb` (height x width x 3) turned; contiguous unless nothing had to be done."""
    if turn == UPRIGHT:
        return rgb
    if turn & TRANSPOSE:
        rgb = rgb.transpose(1, 0, 2)
    if turn & MIRROR:
        rgb = rgb[:, ::-1]
    if turn & FLIP:
        rgb = rgb[::-1]
    return rgb.copy()
