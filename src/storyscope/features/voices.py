"""Voice vectors of stretches of speech, by the GE2E voice encoder of Resemblyzer.

The weights are a file that users download (`storyscope models get speakers`); the network, three
LSTM layers over mel bands, runs in numpy.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from storyscope.core.logistic import sigmoid
from storyscope.errors import ModelError
from storyscope.features.checkpoint import read_weights
from storyscope.models import check_downloaded, require_downloaded

SPEAKERS = "speakers"
"""Name of the weights in `storyscope models`."""
RATE = 16_000
WINDOW, HOP, BANDS = 400, 160, 40
FRAMES, STEP = 160, 80
"""Frames of sound per window of the network (1.6 seconds), and the step between windows."""
LAYERS, UNITS = 3, 256
LOUDNESS = 10 ** (-30 / 20)
"""Root mean square to which quieter speech is amplified."""


@dataclass(frozen=True, eq=False)
class VoiceEncoder:
    """The weights of the network, by their names in the checkpoint."""

    weights: dict[str, np.ndarray]

    def encode(self, samples: np.ndarray) -> np.ndarray:
        """float32 [256], of length one: the voice in a stretch of 16 kHz sound."""
        bands = mel_bands(louder(np.asarray(samples, np.float32)))
        if len(bands) < FRAMES:
            bands = np.pad(bands, ((0, FRAMES - len(bands)), (0, 0)))
        starts = range(0, len(bands) - FRAMES + 1, STEP)
        mean = self._parts(np.stack([bands[start : start + FRAMES] for start in starts])).mean(0)
        return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), np.float32)

    def _parts(self, parts: np.ndarray) -> np.ndarray:
        """float32 [parts, 256], of length one, from mel bands [parts, frames, bands]."""
        heard = parts
        for layer in range(LAYERS):
            heard = self._lstm(heard, layer)
        last = heard[:, -1] @ self.weights["linear.weight"].T + self.weights["linear.bias"]
        raw = np.maximum(last, 0)
        return np.asarray(raw / np.maximum(np.linalg.norm(raw, axis=1, keepdims=True), 1e-9))

    def _lstm(self, given: np.ndarray, layer: int) -> np.ndarray:
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        inward, across, first, second = (self.weights[f"lstm.{name}_l{layer}"] for name in names)
        driven = given @ inward.T + (first + second)
        state = cell = np.zeros((len(given), UNITS), np.float32)
        outputs = np.empty((*given.shape[:2], UNITS), np.float32)
        for frame in range(given.shape[1]):
            gates = driven[:, frame] + state @ across.T
            enter, forget, new, leave = np.split(gates, 4, axis=1)
            cell = sigmoid(forget) * cell + sigmoid(enter) * np.tanh(new)
            state = sigmoid(leave) * np.tanh(cell)
            outputs[:, frame] = state
        return outputs


@cache
def load_voice_encoder() -> VoiceEncoder:
    """Read the downloaded weights."""
    path = require_downloaded(SPEAKERS, needed="identifying speakers needs a voice encoder, which")
    weights = read_weights(check_downloaded(SPEAKERS, path))
    if weights.get("linear.weight", np.zeros(0)).shape != (UNITS, UNITS):
        raise ModelError(f"{path} is not a voice encoder; run `storyscope models get speakers`")
    return VoiceEncoder({name: array.astype(np.float32) for name, array in weights.items()})


def louder(samples: np.ndarray) -> np.ndarray:
    """Amplify quiet speech; loud speech is unchanged."""
    loudness = float(np.sqrt(np.mean(samples**2))) if len(samples) else 0.0
    return samples * (LOUDNESS / loudness) if 0 < loudness < LOUDNESS else samples


def mel_bands(samples: np.ndarray) -> np.ndarray:
    """float32 [frames, 40]: the power in each mel band, every ten milliseconds."""
    padded = np.pad(samples, WINDOW // 2)
    count = 1 + (len(padded) - WINDOW) // HOP
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][:count]
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    power = np.abs(np.fft.rfft(windows * hann, axis=1)) ** 2
    return np.asarray(power @ _mel_filters().T, np.float32)


@cache
def _mel_filters() -> np.ndarray:
    """Triangles on Slaney's mel scale, each of unit area, [bands, bins]."""
    linear, logarithmic = 200 / 3, np.log(6.4) / 27
    corner = 1000 / linear
    marks = np.linspace(0, corner + np.log(RATE / 2 / 1000) / logarithmic, BANDS + 2)
    hertz = np.where(marks < corner, marks * linear, 1000 * np.exp(logarithmic * (marks - corner)))
    bins = np.linspace(0, RATE / 2, WINDOW // 2 + 1)
    low, middle, high = (hertz[i : i + BANDS, None] for i in range(3))
    rising, falling = (bins - low) / (middle - low), (high - bins) / (high - middle)
    return np.asarray(np.maximum(0, np.minimum(rising, falling)) * 2 / (high - low))
