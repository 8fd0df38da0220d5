"""Output of the decoding process."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from storyscope.decoder import wire

BUFFER = 1 << 18
FLUSH_SECONDS = 0.5


class Outlet:
    """Writes messages to the pipe, whose size limits the memory in flight."""

    def __init__(self, descriptor: int) -> None:
        self._file = open(descriptor, "wb", buffering=BUFFER)  # noqa: SIM115 (kept open)
        self._flushed = time.monotonic()

    def small(self, index: int, seconds: float, scaled: Any, turn: int) -> None:
        self._image(wire.SMALL, index, seconds, scaled, turn)

    def picture(self, index: int, seconds: float, scaled: Any, turn: int) -> None:
        self._image(wire.PICTURE, index, seconds, scaled, turn)

    def sounds(self, pieces: Iterable[tuple[float, memoryview]]) -> None:
        for seconds, samples in pieces:
            header = wire.Header(wire.SOUND, size=samples.nbytes, seconds=seconds)
            wire.write_header(self._file, header)
            self._file.write(samples)

    def piece(self, data: bytes) -> None:
        """Send bytes of a stream immediately: somebody is watching it."""
        wire.write_header(self._file, wire.Header(wire.PIECE, size=len(data)))
        self._file.write(data)
        self._file.flush()

    def write(self, file: int, offset: int, data: bytes) -> None:
        """Send bytes of a file, which the calling process writes."""
        wire.write_header(
            self._file, wire.Header(wire.PIECE, size=len(data), frame=offset, stride=file)
        )
        self._file.write(data)

    def note(self, facts: dict[str, Any]) -> None:
        self._json(wire.NOTE, facts)

    def end(self, facts: dict[str, Any]) -> None:
        self._json(wire.END, facts)

    def alive(self) -> None:
        """Show that decoding continues, without delaying finished messages for long."""
        now = time.monotonic()
        if now - self._flushed > FLUSH_SECONDS:
            wire.write_header(self._file, wire.Header(wire.ALIVE))
            self._file.flush()
            self._flushed = now

    def close(self) -> None:
        with suppress(BrokenPipeError):
            self._file.close()

    def _json(self, kind: bytes, facts: dict[str, Any]) -> None:
        body = json.dumps(facts).encode()
        wire.write_header(self._file, wire.Header(kind, size=len(body)))
        self._file.write(body)
        self._file.flush()

    def _image(self, kind: bytes, index: int, seconds: float, scaled: Any, turn: int) -> None:
        size = scaled.stride * scaled.height
        header = wire.Header(
            kind, size, index, seconds, scaled.width, scaled.height, scaled.stride, turn
        )
        wire.write_header(self._file, header)
        self._file.write(memoryview(scaled.plane)[:size])


class OutletFile:
    """A file that FFmpeg writes here and that is created on the other side of the pipe.

    So the decoding process needs no right to write files.
    """

    def __init__(self, outlet: Outlet, number: int) -> None:
        self._outlet = outlet
        self._number = number
        self._offset = 0
        self._size = 0

    def write(self, data: bytes) -> int:
        self._outlet.write(self._number, self._offset, bytes(data))
        self._offset += len(data)
        self._size = max(self._size, self._offset)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._offset, os.SEEK_END: self._size}[whence]
        self._offset = start + offset
        return self._offset

    def tell(self) -> int:
        return self._offset

    def finish(self) -> None:
        """Report that the file is complete."""
        self._outlet.note({"finished": self._number})
