"""From decoded sound to 16 kHz mono in even pieces (runs inside the decoding process)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from storyscope.core.frames import SOUND_RATE
from storyscope.media.container import presented

CHUNK_SAMPLES = SOUND_RATE
BYTES = 2
"""Of one sample: int16, because mixing down to it cannot overshoot, as it can in floats."""
GAP_SECONDS = 0.1
"""A jump of the stamps by more than this is silence the film really has, or an overlap."""


class SoundPieces:
    """Resamples one track and cuts it into pieces of a second, each with its time.

    Sound before the first frame of the picture (time below 0) is left out, and so is what
    overlaps sound already given. Where the stamps leave a gap the next piece starts later.
    """

    def __init__(self, *, zero: float) -> None:
        self._zero = zero
        self._resampler: Any = None
        self._shape: tuple[Any, ...] = ()
        self._start = 0.0
        self._held = bytearray()
        self._expected: float | None = None
        self.end_seconds = 0.0

    def push(self, frame: Any) -> Iterator[tuple[float, memoryview]]:
        """Pieces that are complete once `frame` has come in, as (seconds, int16 bytes)."""
        shape = (frame.format.name, frame.layout.name, frame.sample_rate)
        stamp = presented(frame)
        if stamp is None:
            seconds = self._expected if self._expected is not None else 0.0
        else:
            seconds = stamp - self._zero
        broken = self._expected is None or abs(seconds - self._expected) > GAP_SECONDS
        if shape != self._shape or broken:
            yield from self.flush()
            self._start_run(shape, seconds)
        length = frame.samples / frame.sample_rate
        self._expected = (seconds if broken or self._expected is None else self._expected) + length
        frame.pts = None
        yield from self._cut(self._resampler.resample(frame))

    def flush(self) -> Iterator[tuple[float, memoryview]]:
        """What is left when the sound ends or breaks."""
        if self._resampler is not None:
            yield from self._cut(self._resampler.resample(None))
            self._resampler = None
        yield from self._emit(len(self._held) // BYTES)

    def _start_run(self, shape: tuple[Any, ...], seconds: float) -> None:
        from av.audio.resampler import AudioResampler

        self._resampler = AudioResampler(format="s16", layout="mono", rate=SOUND_RATE)
        self._shape = shape
        self._start = seconds
        self._expected = None

    def _cut(self, frames: list[Any]) -> Iterator[tuple[float, memoryview]]:
        for frame in frames:
            if frame is not None:
                self._held += memoryview(frame.planes[0])[: BYTES * frame.samples]
        while len(self._held) >= BYTES * CHUNK_SAMPLES:
            yield from self._emit(CHUNK_SAMPLES)

    def _emit(self, samples: int) -> Iterator[tuple[float, memoryview]]:
        if not samples:
            return
        piece = memoryview(bytes(self._held[: BYTES * samples]))
        del self._held[: BYTES * samples]
        seconds, self._start = self._start, self._start + samples / SOUND_RATE
        early = max(0, round((self.end_seconds - seconds) * SOUND_RATE))
        if early < samples:
            yield max(self.end_seconds, seconds), piece[BYTES * early :]
            self.end_seconds = self._start
