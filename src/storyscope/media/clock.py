"""Timestamps made trustworthy: on the clock of players, always rising.

Files lie about time in three ways: stamps are missing or doubled (repaired frame by frame), the
clock is set back or, in broadcast recordings, leaps ahead (repaired packet by packet, for all
streams together so that sound and picture stay in step).
"""

from __future__ import annotations

BACKWARD_SECONDS = 1.0
FORWARD_SECONDS = 10.0


class FrameClock:
    """Strictly rising seconds from where players start to count, whatever the stamps say."""

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
            # Half a frame on, the frame after it can still keep its own, correct stamp.
            seconds = last + self._step / 2
        self._last = seconds
        return seconds


class Continuity:
    """Shifts that join a clock that was reset in mid-file.

    `leaps` says whether a leap ahead is a reset too, as it is in broadcast streams; elsewhere it
    is a pause that the film really has.
    """

    def __init__(self, *, leaps: bool) -> None:
        self._leaps = leaps
        self._shift = 0.0
        self._last: dict[int, float] = {}
        self._step: dict[int, float] = {}

    def shift(self, stream: int, decoded: float, duration: float) -> float:
        """Seconds to add to the stamps of this packet, whose decoding time is `decoded`."""
        now = decoded + self._shift
        if stream in self._last:
            ahead = now - self._last[stream]
            # One stream may pause while the others go on; a leap leaves all of them behind.
            leapt = self._leaps and now - max(self._last.values()) > FORWARD_SECONDS
            if ahead < -BACKWARD_SECONDS or leapt:
                now = self._last[stream] + self._step[stream]
                self._shift = now - decoded
            elif not duration:
                duration = max(0.0, ahead)
        self._last[stream] = now
        self._step[stream] = duration
        return self._shift
