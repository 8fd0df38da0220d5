"""Reliable timestamps: as players show them, always increasing.

Files have three kinds of wrong timestamps: missing or duplicate ones (repaired frame by frame), and
clocks that are set back or, in broadcast recordings, jump ahead (repaired packet by packet, for all
streams together so that sound and picture stay in sync).
"""

from __future__ import annotations

BACKWARD_SECONDS = 1.0
FORWARD_SECONDS = 10.0


class FrameClock:
    """Strictly increasing seconds from where players start to count, whatever the timestamps
    are."""

    def __init__(self, *, zero: float, frame_seconds: float) -> None:
        self._zero = zero
        self._step = frame_seconds
        self._last: float | None = None

    def stamp(self, presented: float | None) -> float:
        """Seconds of the next frame in presentation order, `presented` on the file's clock."""
        last = self._last
        if presented is None:
            seconds = 0.0 if last is None else last + self._step
        else:
            seconds = max(0.0, presented - self._zero)
        if last is not None and seconds <= last:
            # Only half a frame is added, so that the next frame can keep its own, correct
            # timestamp.
            seconds = last + self._step / 2
        self._last = seconds
        return seconds


class Continuity:
    """Offsets that correct a clock that was reset in the middle of a file.

    `leaps` says whether a jump ahead counts as a reset too, as in broadcast streams; elsewhere it
    is a real pause.
    """

    def __init__(self, *, leaps: bool) -> None:
        self._leaps = leaps
        self._shift = 0.0
        self._last: dict[int, float] = {}
        self._step: dict[int, float] = {}

    def shift(self, stream: int, decoded: float, duration: float) -> float:
        """Seconds to add to the timestamps of this packet, whose decoding time is `decoded`."""
        now = decoded + self._shift
        if stream in self._last:
            ahead = now - self._last[stream]
            # One stream may pause while the others continue; a reset affects all of them.
            leapt = self._leaps and now - max(self._last.values()) > FORWARD_SECONDS
            if ahead < -BACKWARD_SECONDS or leapt:
                now = self._last[stream] + self._step[stream]
                self._shift = now - decoded
            elif not duration:
                duration = max(0.0, ahead)
        self._last[stream] = now
        self._step[stream] = duration
        return self._shift
