"""Sound in 10 ms windows -> log-energy and 29 cepstral coefficients, computed as a stream."""

from __future__ import annotations

from functools import cache

import numpy as np

from storyscope.core import Sound, SoundChunk
from storyscope.decoder import SOUND_RATE

WINDOW = SOUND_RATE // 100
CEPSTRA = 29
FILTERS = 40
LOWEST_HERTZ, HIGHEST_HERTZ = 20.0, 8000.0
TRANSFORM = 512
"""Windows of 160 samples are padded to this, or the lowest mel filters would fall between bins."""
FLOOR = 1e-10
PRE_EMPHASIS = 0.97
TOLERATED_GAP = 0.05
"""Timestamps of sound jitter; only gaps longer than this many seconds are filled with silence."""
LONGEST_HOLE = 3600.0
"""Seconds; sound after a longer gap is ignored: the timestamps of damaged files may be off by
years."""
MOST_SILENCE = 20
"""Maximum total of gaps: an hour, and this multiple of the sound itself."""


class SoundListener:
    """Receives sound chunks in time order; keeps only the sound since the last `drain`."""

    def __init__(self) -> None:
        self._first: float | None = None
        self._heard = 0
        self._silence = 0
        self._rest = np.zeros(0, np.float32)
        self._mfcc: list[np.ndarray] = []

    def hear(self, chunk: SoundChunk) -> None:
        """Add the next chunk of sound; gaps become silence, overlaps are dropped."""
        if self._first is None:
            self._first = chunk.seconds
        samples = np.nan_to_num(chunk.samples.astype(np.float32), posinf=0.0, neginf=0.0)
        due = self._first + self._heard / SOUND_RATE
        shift = round((chunk.seconds - due) * SOUND_RATE)
        longest = LONGEST_HOLE * SOUND_RATE
        most = longest + MOST_SILENCE * (self._heard - self._silence)
        if shift > longest or self._silence + shift > most:
            return
        if shift > TOLERATED_GAP * SOUND_RATE:
            self._add_silence(shift)
        elif shift < -TOLERATED_GAP * SOUND_RATE:
            samples = samples[-shift:]
        self._add(samples)

    def drain(self) -> np.ndarray:
        """The windows since the last call."""
        parts, self._mfcc = self._mfcc, []
        return np.concatenate([np.zeros((0, CEPSTRA + 1), np.float16), *parts])

    def close(self) -> Sound | None:
        """The track from the last `drain` to its end; None if there was no sound at all."""
        if self._first is None or not self._heard:
            return None
        if len(self._rest):
            self._add(np.zeros(WINDOW - len(self._rest), np.float32))
        return Sound(self.drain(), first_second=self._first)

    def _add_silence(self, count: int) -> None:
        self._silence += count
        for start in range(0, count, SOUND_RATE):
            self._add(np.zeros(min(SOUND_RATE, count - start), np.float32))

    def _add(self, samples: np.ndarray) -> None:
        self._heard += len(samples)
        samples = np.concatenate([self._rest, samples])
        whole = len(samples) // WINDOW * WINDOW
        self._rest = samples[whole:].copy()
        if whole:
            self._mfcc.append(mfcc(samples[:whole].reshape(-1, WINDOW)).astype(np.float16))


def mfcc(windows: np.ndarray) -> np.ndarray:
    """Log-energy and cepstra 1 to 29 of each window, float32 [windows, 30]."""
    energy = np.log(np.mean(np.square(windows, dtype=np.float64), axis=1) + FLOOR)
    raised = windows.astype(np.float32)
    raised[:, 1:] -= PRE_EMPHASIS * windows[:, :-1]
    spectrum = np.fft.rfft(raised * np.hamming(WINDOW).astype(np.float32), TRANSFORM)
    power = np.square(spectrum.real) + np.square(spectrum.imag)
    bands = np.log(power.astype(np.float32) @ _mel_filters().T + FLOOR)
    cepstra = bands @ _cosines().T
    return np.concatenate([energy[:, None], cepstra], axis=1).astype(np.float32)


def derivatives(values: np.ndarray) -> np.ndarray:
    """Slope over two windows on either side, by least squares; the ends are repeated."""
    padded = np.pad(values, ((2, 2), (0, 0)), mode="edge")
    near = padded[3:-1] - padded[1:-3]
    far = padded[4:] - padded[:-4]
    return np.asarray((near + 2 * far) / 10)


@cache
def _mel_filters() -> np.ndarray:
    """Triangles equally spaced in mel, [filters, bins]."""
    lowest, highest = (2595 * np.log10(1 + end / 700) for end in (LOWEST_HERTZ, HIGHEST_HERTZ))
    corners = 700 * (10 ** (np.linspace(lowest, highest, FILTERS + 2) / 2595) - 1)
    hertz = np.fft.rfftfreq(TRANSFORM, 1 / SOUND_RATE)
    left, top, right = corners[:-2, None], corners[1:-1, None], corners[2:, None]
    rise, fall = (hertz - left) / (top - left), (right - hertz) / (right - top)
    return np.asarray(np.maximum(0, np.minimum(rise, fall)), np.float32)


@cache
def _cosines() -> np.ndarray:
    """Rows 1 to 29 of the orthonormal cosine transform of the bands; row 0 is the energy."""
    order = np.arange(1, CEPSTRA + 1)[:, None]
    angle = np.pi * order * (np.arange(FILTERS) + 0.5) / FILTERS
    return np.asarray(np.sqrt(2 / FILTERS) * np.cos(angle), np.float32)
