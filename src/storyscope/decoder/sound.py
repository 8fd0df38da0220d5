"""Decoded sound to 16 kHz mono chunks of equal length (runs inside the decoding process)."""

from __future__ import annotations

from typing import Any

from storyscope.decoder.decode import Decoded

SOUND_RATE = 16_000
BYTES = 2
"""Bytes per sample: int16, because mixing down to it cannot overshoot, as it can with floats."""
GAP_SECONDS = 0.1
"""Seconds: a larger jump of the timestamps is real silence or an overlap."""


Piece = tuple[float, memoryview]


class SoundPieces:
    """Resamples one track and splits it into chunks of a second, each with its time.

    Sound before the first frame of the picture (time below 0) is left out, and so are overlaps.
    After a gap in the timestamps, the next chunk starts later.
    """

    def __init__(self, *, zero: float) -> None:
        self.end_seconds = 0.0
        self._zero = zero
        self._expected: float | None = None
        self._waiting: Any = None
        self._resampler: Any = None
        self._resampled = bytearray()
        self._start = 0.0

    def push(self, decoded: Decoded) -> list[Piece]:
        """Chunks that are complete after this frame, as (seconds, int16 bytes)."""
        frame, expected, pieces = decoded.frame, self._expected, []
        if decoded.presented is not None:
            seconds = decoded.presented - self._zero
        else:
            seconds = expected if expected is not None else 0.0
        frame.pts = None
        joins = expected is not None and abs(seconds - expected) <= GAP_SECONDS
        if not (joins and self._accepts(frame)):
            pieces = self.flush()
            self._start_run(seconds)
            self._waiting.write(frame)
        start = expected if joins and expected is not None else seconds
        self._expected = start + frame.samples / frame.sample_rate
        if self._waiting.samples >= frame.sample_rate:
            pieces += self._resample()
        return pieces

    def flush(self) -> list[Piece]:
        """The rest when the sound ends or breaks off."""
        if self._resampler is None:
            return []
        pieces = self._resample()
        self._take(self._resampler.resample(None))
        return pieces + self.start_over()

    def start_over(self) -> list[Piece]:
        """Drop what could not be resampled, and keep what was before it."""
        self._resampler, self._expected = None, None
        rest = len(self._resampled) // BYTES
        return self._piece(rest) if rest else []

    def _accepts(self, frame: Any) -> bool:
        """Add the frame, unless its rate or its channels differ from those before."""
        try:
            self._waiting.write(frame)
        except ValueError:
            return False
        return True

    def _start_run(self, seconds: float) -> None:
        from av.audio.fifo import AudioFifo
        from av.audio.resampler import AudioResampler

        # A call of the resampler costs as much as a thousand samples: pass it whole seconds.
        self._waiting = AudioFifo()
        self._resampler = AudioResampler(format="s16", layout="mono", rate=SOUND_RATE)
        self._start = seconds

    def _resample(self) -> list[Piece]:
        frame = self._waiting.read()
        if frame is not None:
            frame.pts = None
            self._take(self._resampler.resample(frame))
        return self._cut(SOUND_RATE)

    def _take(self, frames: list[Any]) -> None:
        for frame in frames:
            if frame is not None:
                self._resampled += memoryview(frame.planes[0])[: BYTES * frame.samples]

    def _cut(self, samples: int) -> list[Piece]:
        pieces = []
        while len(self._resampled) >= BYTES * samples:
            pieces += self._piece(samples)
        return pieces

    def _piece(self, samples: int) -> list[Piece]:
        data = memoryview(bytes(self._resampled[: BYTES * samples]))
        del self._resampled[: BYTES * samples]
        seconds, self._start = self._start, self._start + samples / SOUND_RATE
        early = max(0, round((self.end_seconds - seconds) * SOUND_RATE))
        if early >= samples:
            return []
        seconds = max(self.end_seconds, seconds)
        self.end_seconds = self._start
        return [(seconds, data[BYTES * early :])]
