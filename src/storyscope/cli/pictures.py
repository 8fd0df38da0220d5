"""Pictures in terminals that support them: kitty, iTerm2 and sixel."""

from __future__ import annotations

import base64
import os
import sys
from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from PIL.Image import Image

Protocol = Literal["kitty", "iterm", "sixel"]
KITTY_CHUNK = 4096
SIXEL_COLOURS = 64


def terminal_protocol(environment: Mapping[str, str] | None = None) -> Protocol | None:
    """The picture protocol of the terminal on standard output, or None."""
    known = os.environ if environment is None else environment
    if environment is None and not sys.stdout.isatty():
        return None
    term, program = known.get("TERM", ""), known.get("TERM_PROGRAM", "")
    if "kitty" in term or "KITTY_WINDOW_ID" in known or "ghostty" in (term + program).lower():
        return "kitty"
    if program in {"iTerm.app", "WezTerm", "mintty"}:
        return "iterm"
    if "sixel" in term or term.startswith(("foot", "mlterm", "yaft", "contour")):
        return "sixel"
    return None


def picture_codes(picture: Image, protocol: Protocol) -> str:
    """The escape sequence that makes such a terminal draw the picture."""
    if protocol == "sixel":
        return _sixel(picture)
    buffer = BytesIO()
    picture.save(buffer, "PNG")
    text = base64.b64encode(buffer.getvalue()).decode()
    if protocol == "iterm":
        return f"\033]1337;File=inline=1;size={len(buffer.getvalue())}:{text}\a\n"
    pieces = [text[at : at + KITTY_CHUNK] for at in range(0, len(text), KITTY_CHUNK)]
    codes = []
    for number, piece in enumerate(pieces):
        more = int(number < len(pieces) - 1)
        head = f"a=T,f=100,m={more}" if number == 0 else f"m={more}"
        codes.append(f"\033_G{head};{piece}\033\\")
    return "".join(codes) + "\n"


def _sixel(picture: Image) -> str:
    """Encode as sixel: bands of six rows, with one pass over the band for each colour in it."""
    few = picture.convert("RGB").quantize(SIXEL_COLOURS)
    palette = few.getpalette() or []
    pixels, (width, height) = few.tobytes(), few.size
    codes = [f'\033Pq"1;1;{width};{height}']
    for colour in range(len(palette) // 3):
        red, green, blue = (round(v * 100 / 255) for v in palette[3 * colour : 3 * colour + 3])
        codes.append(f"#{colour};2;{red};{green};{blue}")
    for top in range(0, height, 6):
        rows = [pixels[y * width : (y + 1) * width] for y in range(top, min(top + 6, height))]
        for colour in sorted(set(b"".join(rows))):
            bits = (
                sum((row[x] == colour) << bit for bit, row in enumerate(rows)) for x in range(width)
            )
            codes.append(f"#{colour}" + "".join(chr(63 + value) for value in bits) + "$")
        codes.append("-")
    return "".join(codes) + "\033\\\n"
