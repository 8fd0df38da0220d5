"""Type for pictures: the face that Pillow carries, or one that has the letters needed."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont, ImageFont

WIDER_FACES = ("NotoSans-Regular.ttf", "DejaVuSans.ttf", "LiberationSans-Regular.ttf", "arial.ttf")
"""Looked for in the system's folders when a text goes beyond ASCII, which is all Pillow's has."""


class Type(NamedTuple):
    """A text and a font that can write it."""

    text: str
    font: FreeTypeFont | ImageFont


def set_type(text: str, size: int) -> Type:
    """Choose a font of that size in pixels; where no face has the letters, accents are dropped."""
    if text.isascii():
        return Type(text, _own_face(size))
    wider = _wider_face(size)
    if wider is not None:
        return Type(text, wider)
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return Type(plain, _own_face(size))


@cache
def _own_face(size: int) -> FreeTypeFont | ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(size)


@cache
def _wider_face(size: int) -> FreeTypeFont | None:
    from PIL import ImageFont

    for name in WIDER_FACES:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return None
