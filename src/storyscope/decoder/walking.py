"""Single frames by time, skipping what was not requested.

Runs inside the decoding process. A frame is identified by its timestamp, never by where a seek
should have landed: if a seek lands after its target (MPEG-TS has no index), it is repeated from
further back, and finally the file is reopened and read from its start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from storyscope.decoder.clock import FrameClock
from storyscope.decoder.container import Film, Terms, open_film
from storyscope.decoder.decode import Losses, Opening, decode, frame_seconds, is_steady

SAME_SECONDS = 1e-3
"""Tolerance in seconds: times may have been rounded to milliseconds."""
STRIDE_SECONDS = 8.0
"""Without an index, a seek over less than this many seconds may cost more than it saves."""
BACK_OFF_SECONDS = (0.0, 2.0, 8.0, 30.0)


class Walker:
    """Finds frames of one film at increasing times."""

    def __init__(self, path: str, opening: Opening, terms: Terms) -> None:
        self._path = path
        self._terms = terms
        self._opening = opening
        self._film = self._reopen()
        self._may_seek = is_steady(self._film)
        if self._film.is_broadcast:
            self._film = self._reopen()
        self._shown: tuple[float, Any] | None = None
        self._next: tuple[float, Any] | None = None
        self._go_on()

    def frames(self, times: Sequence[float]) -> Iterator[tuple[float, Any]]:
        """For each of the increasing `times`, the frame shown then, as (its own time, frame)."""
        for seconds in times:
            wanted = seconds + SAME_SECONDS
            if self._next is not None and self._worth_seeking(wanted):
                self._seek(wanted)
            while self._next is not None and (self._shown is None or self._next[0] <= wanted):
                self._shown, self._next = self._next, next(self._frames, None)
            if self._shown is not None:
                yield self._shown

    def _worth_seeking(self, wanted: float) -> bool:
        """Whether there is a keyframe between the current position and the target."""
        if not self._may_seek or self._next is None or wanted <= self._next[0]:
            return False
        stream: Any = self._film.video
        entries: Any = getattr(stream, "index_entries", ())
        if len(entries) < 2 or self._film.is_broadcast:
            return wanted - self._next[0] > STRIDE_SECONDS
        here, there = (
            entries.search_timestamp(self._ticks(seconds)) for seconds in (self._next[0], wanted)
        )
        return bool(there > here)

    def _seek(self, wanted: float) -> None:
        """Continue from a keyframe at or before `wanted`, never after it."""
        here = self._next[0] if self._next is not None else 0.0
        for back in BACK_OFF_SECONDS:
            if wanted - back <= here:
                break
            if self._lands(wanted - back) and self._next and self._next[0] <= wanted:
                return
        self._film.close()
        self._film = self._reopen()
        self._go_on()

    def _lands(self, seconds: float) -> bool:
        from av.error import FFmpegError

        try:
            self._film.container.seek(self._ticks(seconds), stream=self._film.video)
        except FFmpegError:
            return False
        self._go_on()
        return True

    def _go_on(self) -> None:
        self._frames = self._from_here()
        self._next = next(self._frames, None)

    def _from_here(self) -> Iterator[tuple[float, Any]]:
        video: Any = self._film.video
        clock = FrameClock(zero=self._opening.zero, frame_seconds=frame_seconds(video))
        for decoded in decode(self._film, video, losses=Losses()):
            yield clock.stamp(decoded.presented), decoded.frame

    def _ticks(self, seconds: float) -> int:
        video: Any = self._film.video
        return int((seconds + self._opening.zero) / float(video.time_base))

    def _reopen(self) -> Film:
        return open_film(self._path, self._terms)
