"""Audio features of a shot, from cepstra in 10 ms windows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np

from storyscope.config import FeatureConfig
from storyscope.core import Features, Rows, Shot, Sound
from storyscope.errors import MediaError, ModelError
from storyscope.features.extractor import Material
from storyscope.features.fisher import COMPONENTS, Mixture, fisher_vector, fit_mixture
from storyscope.features.mfcc import FLOOR, derivatives

SILENCE = -11.5
"""Log-energy (natural, full scale 0) below which a window is silent: -50 dB."""
MODULATIONS = (0.5, 1.0, 3.0, 6.0, 12.0, 50.0)
"""Modulation bands in Hertz: syllables are at 3 to 6, music at 1 to 3, wind and water hardly
modulate."""
MIXTURE_WINDOWS = 40_000
"""Number of windows, spread evenly over all tracks, that a mixture is fitted to."""
WINDOWS_AT_ONCE = 8192
REACH = 4
"""Windows on either side that a window's second derivative depends on."""


def audio(material: Material, config: FeatureConfig) -> Features | None:
    """A hundred statistics of the shot's sound, or the paper's 46,080-number Fisher vector."""
    sound = material.sound
    if sound is None or not len(sound.mfcc):
        return None
    if config.audio == "compact":
        return _each_shot(material.shots, sound, _statistics, "mfcc statistics 1")
    if material.mixture is None:
        raise ModelError(
            "the paper's sound feature needs one mixture for the whole collection, and there is "
            "none; `storyscope train --embedding triplet` fits it on annotated videos"
        )
    return _fisher(material.shots, sound, material.mixture)


def fit_sound(sounds: Iterable[Sound], *, components: int = COMPONENTS) -> Mixture:
    """One mixture for a collection, from windows spread evenly over all its tracks."""
    tracks = [sound for sound in sounds if len(sound.mfcc)]
    if not tracks:
        raise MediaError("no film of the collection has sound to fit the paper's mixture to")
    count = max(1, MIXTURE_WINDOWS // len(tracks))
    windows = np.concatenate([spread(sound.mfcc, count) for sound in tracks])
    return fit_mixture(windows, components=components)


def descriptors(mfcc: np.ndarray) -> np.ndarray:
    """The 30 values of each window with their first and second derivatives, [windows, 90]."""
    values = mfcc.astype(np.float32)
    slope = derivatives(values)
    return np.concatenate([values, slope, derivatives(slope)], axis=1)


def _fisher(shots: tuple[Shot, ...], sound: Sound, mixture: Mixture) -> Features:
    def describe(mfcc: np.ndarray) -> np.ndarray:
        return fisher_vector(descriptors(mfcc), mixture)

    return _each_shot(shots, sound, describe, f"fisher vectors of mixture {mixture.digest}")


def _each_shot(
    shots: tuple[Shot, ...],
    sound: Sound,
    describe: Callable[[np.ndarray], np.ndarray],
    producer: str,
) -> Features:
    rows = [describe(_windows(sound, shot)) for shot in shots]
    width = len(describe(sound.mfcc[:1]))
    return Features("audio", np.array(rows, np.float32).reshape(-1, width), producer)


def _windows(sound: Sound, shot: Shot) -> np.ndarray:
    """The windows of a shot; one of silence if the track has none."""
    edges = (np.array([shot.span.start, shot.span.end]) - sound.first_second) / sound.window_seconds
    start, end = np.clip(np.rint(edges), 0, len(sound.mfcc)).astype(int)
    if start == end:
        silent = np.zeros((1, sound.mfcc.shape[1]), np.float32)
        silent[0, 0] = np.log(FLOOR)
        return silent
    heard: np.ndarray = sound.mfcc[start:end]
    return heard


def _statistics(mfcc: np.ndarray) -> np.ndarray:
    values = mfcc.astype(np.float32)
    slope = derivatives(values)
    energy = values[:, 0]
    return np.concatenate(
        [
            values.mean(axis=0),
            values.std(axis=0),
            np.abs(slope).mean(axis=0),
            np.percentile(energy, [10, 50, 90]),
            [(energy < SILENCE).mean(), np.linalg.norm(slope[:, 1:], axis=1).mean()],
            _beat(energy),
        ]
    )


def _beat(energy: np.ndarray) -> np.ndarray:
    """Share of the loudness modulation in each band."""
    power = np.abs(np.fft.rfft(energy - energy.mean(), max(len(energy), 200))) ** 2
    hertz = np.fft.rfftfreq(max(len(energy), 200), 0.01)
    bands = np.array(
        [power[(hertz >= low) & (hertz < high)].sum() for low, high in pairwise(MODULATIONS)]
    )
    return bands / max(float(bands.sum()), 1e-6)


def spread(mfcc: Rows, count: int = MIXTURE_WINDOWS) -> np.ndarray:
    """Descriptors of about `count` windows, evenly spread over the track."""
    step = max(1, len(mfcc) // count)
    at_once = step * max(1, WINDOWS_AT_ONCE // step)
    parts = []
    for start in range(0, len(mfcc), at_once):
        end = min(start + at_once, len(mfcc))
        first = max(0, start - REACH)
        parts.append(descriptors(mfcc[first : end + REACH])[start - first : end - first : step])
    return np.concatenate(parts)
