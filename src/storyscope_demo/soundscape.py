"""The audio: one synthetic soundscape per story, made of shaped noise and a few voices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from storyscope_demo.film import SEED, Edit

RATE = 32_000
CROSSFADE_SECONDS = 0.8


def soundtrack(cut: Edit, fps: int) -> np.ndarray:
    """The film's sound: float32 mono at `RATE`; stories overlap for a moment where they meet."""
    total = cut.frame_count * RATE // fps
    track = np.zeros(total, dtype=np.float32)
    half = round(CROSSFADE_SECONDS * RATE / 2)
    for number, (story, chapter) in enumerate(zip(cut.stories, cut.script, strict=True)):
        first = max(0, story.start * RATE // fps - half)
        end = min(total, story.stop * RATE // fps + half)
        sound = soundscape(chapter.place, (end - first) / RATE)[: end - first]
        fade = np.ones(end - first, dtype=np.float32)
        if number > 0:
            fade[: 2 * half] = np.sin(np.linspace(0, np.pi / 2, 2 * half))
        if number + 1 < len(cut.script):
            fade[-2 * half :] = np.cos(np.linspace(0, np.pi / 2, 2 * half))
        track[first:end] += sound * fade
    return np.clip(track, -1.0, 1.0)


def soundscape(place: str, seconds: float) -> np.ndarray:
    """Seconds of one story's sound, float32, loudest at 0.6."""
    rng = np.random.default_rng([SEED, *place.encode()])
    time = np.arange(round(seconds * RATE) + 1, dtype=np.float32) / RATE
    sound = SOUNDS[place](time, rng)
    return (0.6 * sound / np.abs(sound).max()).astype(np.float32)


def _sea(time: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Surf that swells and draws back, wind, gulls."""
    swell = 0.5 + 0.5 * np.sin(2 * np.pi * time / 4.7 - 1.0)
    hiss = _noise(time, rng, low=500, high=6000, slope=-0.5) * swell**2
    roar = _noise(time, rng, low=40, high=500, slope=-1.0) * (0.4 + 0.6 * swell)
    sound = 0.7 * roar + 0.5 * hiss
    for start in rng.uniform(0, time[-1], 6):
        for call in range(int(rng.integers(2, 5))):
            sweep = (
                1500
                - 600 * np.linspace(0, 1, RATE // 4) ** 2
                + 120 * np.sin(np.linspace(0, 40, RATE // 4))
            )
            _add(sound, start + 0.32 * call, _tone(sweep) * 0.22, overtones=(0.5, 0.3))
    return sound


def _reef(time: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Muffled depth, bubbles, the crackle of a living reef."""
    sound = 0.8 * _noise(time, rng, low=25, high=220, slope=-1.0)
    for start in rng.uniform(0, time[-1], round(9 * time[-1])):
        pitch = rng.uniform(300, 900)
        sweep = np.linspace(pitch, pitch * rng.uniform(1.5, 2.2), round(RATE * 0.07))
        _add(sound, start, _tone(sweep) * rng.uniform(0.05, 0.3))
    for start in rng.uniform(0, time[-1], round(45 * time[-1])):
        _add(sound, start, rng.standard_normal(60).astype(np.float32) * rng.uniform(0.02, 0.12))
    return sound


def _desert(time: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Dry wind that wanders, hissing sand, a far camel bell."""
    gust = 0.35 + 0.65 * _slow(time, rng, every=2.2)
    sound = gust * _noise(time, rng, low=180, high=900, slope=-0.6)
    sound += 0.25 * gust**2 * _noise(time, rng, low=4000, high=11000, slope=0.0)
    for start in np.arange(2.0, time[-1], 0.92) + rng.uniform(-0.05, 0.05):
        ring = _tone(np.full(RATE // 2, 1180.0)) + 0.6 * _tone(np.full(RATE // 2, 1774.0))
        _add(sound, start, ring * 0.07 * rng.uniform(0.5, 1.0))
    return sound


def _forest(time: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Leaves, several birds that answer each other, a woodpecker."""
    sound = (
        0.16
        * (0.5 + _slow(time, rng, every=1.7))
        * _noise(time, rng, low=2500, high=9000, slope=-0.4)
    )
    for bird in range(5):
        pitch = rng.uniform(2300, 5200)
        for phrase in rng.uniform(0, time[-1], 5):
            for note in range(int(rng.integers(3, 8))):
                length = round(RATE * rng.uniform(0.05, 0.11))
                bend = np.linspace(0, 1, length)
                sweep = pitch * (1 + 0.22 * np.sin(bend * (5 + 3 * bird)) - 0.1 * bend)
                _add(sound, phrase + 0.13 * note, _tone(sweep) * rng.uniform(0.15, 0.5))
    for roll in rng.uniform(0, time[-1], 3):
        for knock in range(11):
            tap = rng.standard_normal(500).astype(np.float32) * 0.5
            _add(sound, roll + 0.052 * knock, tap)
    return sound


def _volcano(time: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A deep rumble, blasts, and lava crackling."""
    sound = (
        1.2
        * (0.6 + 0.4 * _slow(time, rng, every=0.8))
        * _noise(time, rng, low=18, high=130, slope=-1.0)
    )
    for start in rng.uniform(0, time[-1], round(time[-1] / 2.2)):
        length = round(1.6 * RATE)
        blast = _noise(time[:length], rng, low=25, high=900, slope=-1.2)
        blast = blast * np.exp(-np.linspace(0, 6, len(blast)))
        _add(sound, start, blast.astype(np.float32) * 1.6, shaped=False)
    for start in rng.uniform(0, time[-1], round(26 * time[-1])):
        _add(sound, start, rng.standard_normal(140).astype(np.float32) * rng.uniform(0.05, 0.4))
    return sound


def _mountains(time: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A thin wind that whistles over the ridge, an eagle far away."""
    gust = _slow(time, rng, every=1.4)
    sound = 0.35 * _noise(time, rng, low=60, high=350, slope=-0.5)
    pitch = 620 + 420 * gust
    whistle = np.sin(2 * np.pi * np.cumsum(pitch) / RATE) * _noise(
        time, rng, low=1, high=40, slope=0
    )
    sound += 0.55 * gust * whistle + 0.12 * _noise(time, rng, low=5000, high=9000, slope=0)
    for start in rng.uniform(0.5, time[-1], 4):
        for cry in range(3):
            sweep = np.linspace(3100, 2300, round(RATE * 0.24)) + 90 * np.sin(
                np.linspace(0, 60, round(RATE * 0.24))
            )
            _add(sound, start + 0.3 * cry, _tone(sweep) * 0.22)
    return sound


def _city(time: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Traffic hum, cars going by, horns, a siren streets away."""
    sound = 0.55 * _noise(time, rng, low=50, high=420, slope=-0.7)
    for pitch in (58.0, 87.0, 116.0, 174.0):
        sound += 14.0 / pitch * np.sin(2 * np.pi * pitch * time)
    for start in np.arange(0, time[-1], 0.9) + rng.uniform(0, 0.5):
        length = round(1.8 * RATE)
        passing = _noise(
            np.arange(length, dtype=np.float32) / RATE, rng, low=200, high=2500, slope=-0.6
        )
        _add(
            sound, start, passing * np.hanning(len(passing)).astype(np.float32) * 0.6, shaped=False
        )
    for start in rng.uniform(0.4, time[-1], 5):
        honk = sum(_tone(np.full(round(RATE * 0.32), f)) for f in (392.0, 494.0, 784.0, 988.0))
        _add(sound, start, np.asarray(honk) * 0.10)
    wail = 780 + 260 * np.sin(2 * np.pi * time / 2.6)
    sound += 0.05 * np.sin(2 * np.pi * np.cumsum(wail) / RATE) * _slow(time, rng, every=5.0)
    return sound


def _space(time: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A slow chord of detuned strings, a pulse from a satellite."""
    sound = np.zeros_like(time)
    for note in (65.4, 98.0, 130.8, 164.8, 196.0, 246.9):
        for detune in (0.997, 1.0, 1.004):
            swell = 0.6 + 0.4 * np.sin(
                2 * np.pi * time * rng.uniform(0.05, 0.2) + rng.uniform(0, 6)
            )
            sound += swell * np.sin(2 * np.pi * note * detune * time + rng.uniform(0, 6)) * 0.12
    for start in np.arange(1.0, time[-1], 2.6):
        _add(sound, start, _tone(np.full(round(RATE * 0.09), 1400.0)) * 0.35)
        _add(sound, start + 0.14, _tone(np.full(round(RATE * 0.09), 1050.0)) * 0.25)
    return sound


Voice = Callable[[np.ndarray, np.random.Generator], np.ndarray]

SOUNDS: dict[str, Voice] = {
    "sea": _sea,
    "reef": _reef,
    "desert": _desert,
    "forest": _forest,
    "volcano": _volcano,
    "mountains": _mountains,
    "city": _city,
    "space": _space,
}


def _noise(
    time: np.ndarray, rng: np.random.Generator, *, low: float, high: float, slope: float
) -> np.ndarray:
    """Noise between two frequencies, its strength falling as frequency ** slope; deviation 0.3."""
    count = _fast_length(len(time))
    spectrum = np.fft.rfft(rng.standard_normal(count, dtype=np.float32))
    frequency = np.fft.rfftfreq(count, 1 / RATE).astype(np.float32)
    band = np.exp(-((np.maximum(low - frequency, 0) / (0.4 * low + 1)) ** 2))
    band *= np.exp(-((np.maximum(frequency - high, 0) / (0.3 * high)) ** 2))
    spectrum *= band * np.maximum(frequency, 20.0) ** slope
    shaped = np.fft.irfft(spectrum, count)[: len(time)]
    return (0.3 * shaped / shaped.std()).astype(np.float32)


def _fast_length(count: int) -> int:
    """The next number whose only prime factors are 2, 3 and 5, which a transform likes best."""
    smooth = (2**a * 3**b * 5**c for a in range(32) for b in range(20) for c in range(14))
    return min(number for number in smooth if number >= count)


def _slow(time: np.ndarray, rng: np.random.Generator, *, every: float) -> np.ndarray:
    """A strength that wanders between 0 and 1, a new goal `every` so many seconds."""
    knots = np.arange(0.0, time[-1] + 2 * every, every)
    goals = rng.uniform(0, 1, len(knots))
    place = time / every
    left = place.astype(np.int64)
    part = place - left
    part = part * part * (3 - 2 * part)
    wandering: np.ndarray = (goals[left] * (1 - part) + goals[left + 1] * part).astype(np.float32)
    return wandering


def _tone(pitch: np.ndarray) -> np.ndarray:
    """A sine that follows a pitch, one frequency a sample."""
    tone: np.ndarray = np.sin(2 * np.pi * np.cumsum(pitch) / RATE).astype(np.float32)
    return tone


def _add(
    sound: np.ndarray,
    start: float,
    voice: np.ndarray,
    *,
    overtones: tuple[float, ...] = (),
    shaped: bool = True,
) -> None:
    """Lay a voice into the sound from `start` seconds on, swelling in and dying away."""
    if shaped:
        length = len(voice)
        rise = np.minimum(1.0, np.arange(length) / (0.1 * length + 1))
        voice = voice * (rise * np.exp(-np.linspace(0, 3.5, length))).astype(np.float32)
    for strength in overtones:
        voice = voice + strength * (2 * voice * np.abs(voice))
    first = round(start * RATE)
    room = min(len(voice), len(sound) - first)
    if room > 0:
        sound[first : first + room] += voice[:room]
