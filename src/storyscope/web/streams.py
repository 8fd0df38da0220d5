"""Streams of films that browsers cannot play, limited to what the machine can handle."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from anyio import to_thread

from storyscope.errors import StoryscopeError
from storyscope.media import stream

MOST_STREAMS = 4
IDLE_SECONDS = 20.0
"""Seconds after which an unread stream may be closed for another; its player asks again."""


class TooManyStreams(StoryscopeError):
    """All encoders are in use."""


class Stream:
    """One film that is being streamed to one player."""

    def __init__(self, path: Path, start: float) -> None:
        self._encoding: AbstractContextManager[tuple[str, Iterator[bytes]]] = stream(
            path, start=start
        )
        self.type, self._pieces = self._encoding.__enter__()
        self.read_at = time.monotonic()
        self._lock = threading.Lock()
        self._ended = False

    def read(self) -> bytes:
        """The next piece; empty at the end."""
        with self._lock:
            self.read_at = time.monotonic()
            return b"" if self._ended else next(self._pieces, b"")

    def end(self) -> None:
        with self._lock:
            if not self._ended:
                self._ended = True
                self._encoding.__exit__(None, None, None)


class Streams:
    """Those that are open now."""

    def __init__(self, most: int = MOST_STREAMS) -> None:
        self._most = most
        self._open: list[Stream] = []
        self._lock = threading.Lock()

    def open(self, path: Path, start: float) -> Stream:
        """A new stream, replacing an idle one if necessary; it must be sent or closed."""
        with self._lock:
            if len(self._open) >= self._most:
                self._end_idle()
            opened = Stream(path, start)
            self._open.append(opened)
            return opened

    async def send(self, opened: Stream) -> AsyncIterator[bytes]:
        """Its pieces as they are requested; it ends with its last reader."""
        try:
            while piece := await to_thread.run_sync(opened.read):
                yield piece
        finally:
            self.close(opened)

    def close(self, opened: Stream) -> None:
        if opened in self._open:
            self._open.remove(opened)
        threading.Thread(target=opened.end, daemon=True).start()

    def _end_idle(self) -> None:
        idlest = min(self._open, key=lambda each: each.read_at)
        if time.monotonic() - idlest.read_at < IDLE_SECONDS:
            raise TooManyStreams(
                f"{len(self._open)} videos are being converted already; try again in a minute"
            )
        self._open.remove(idlest)
        idlest.end()
