"""The protocol between the decoding process and its parent: a fixed header, then raw bytes.

Only numbers, pixels, samples and JSON are sent, and the reader checks every size, because the
process at the other end has been reading an untrusted file.
"""

from __future__ import annotations

import struct
from typing import BinaryIO, NamedTuple, Protocol

SMALL, PICTURE, SOUND, PIECE, NOTE, END, ALIVE = b"S", b"P", b"A", b"B", b"N", b"E", b"H"
"""A piece is bytes of a stream; notes and ends are JSON; an end is last, and may contain an
error."""
KINDS = frozenset((SMALL, PICTURE, SOUND, PIECE, NOTE, END, ALIVE))
MAX_BODY = 256 << 20

_HEADER = struct.Struct("<cBxxHHIIqd")


class Header(NamedTuple):
    """Description of the bytes that follow.

    Pictures have `width`, `height` and `stride` (bytes from row to row) as they are in memory, and
    `turn`, which rotates them upright (see `storyscope.decoder.orientation`).
    """

    kind: bytes
    size: int = 0
    frame: int = 0
    seconds: float = 0.0
    width: int = 0
    height: int = 0
    stride: int = 0
    turn: int = 0


class Unintelligible(Exception):
    """Bytes that do not follow the protocol."""


class Readable(Protocol):
    """Anything with `read(size)`, which may return fewer bytes only at the end."""

    def read(self, size: int, /) -> bytes: ...


def write_header(out: BinaryIO, header: Header) -> None:
    """Announce `header.size` bytes, which the caller writes next."""
    out.write(
        _HEADER.pack(
            header.kind,
            header.turn,
            header.width,
            header.height,
            header.stride,
            header.size,
            header.frame,
            header.seconds,
        )
    )


def read_header(source: Readable) -> Header | None:
    """The next header, or None if the stream ends between two messages."""
    data = source.read(_HEADER.size)
    if not data:
        return None
    if len(data) < _HEADER.size:
        raise Unintelligible("the stream ends inside a header")
    kind, turn, width, height, stride, size, frame, seconds = _HEADER.unpack(data)
    header = Header(kind, size, frame, seconds, width, height, stride, turn)
    if kind not in KINDS or size > MAX_BODY or turn > 7:
        raise Unintelligible(f"no message looks like {header}")
    if kind in (SMALL, PICTURE) and (size != stride * height or stride < 3 * width or not width):
        raise Unintelligible(f"no picture looks like {header}")
    if kind == SOUND and size % 2:
        raise Unintelligible("sound comes in whole samples")
    return header
