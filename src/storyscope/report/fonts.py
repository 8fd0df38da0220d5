"""Fonts for pictures: Pillow's own, or a system font that has the required letters."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont, ImageFont

WIDER_FACES = ("NotoSans-Regular.ttf", "DejaVuSans.ttf", "LiberationSans-Regular.ttf", "arial.ttf")
"""Fonts that are tried for texts beyond ASCII, which Pillow's own font does not support."""


class Type(NamedTuple):
    """A text and a font that can render it."""

    text: str
    font: FreeTypeFont | ImageFont


def set_type(text: str, size: int) -> Type:
    """Choose a font with that size in pixels; if none has the letters, accents are removed."""
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
