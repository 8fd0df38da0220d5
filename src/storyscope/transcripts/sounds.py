"""Kinds of sound as words: applause, an engine, a dog (YAMNet, 521 kinds).

The weights are a file that users download (`storyscope models get sounds`). The network hears
0.96 seconds at a time, as log energies of 64 mel bands.
"""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import numpy as np

from storyscope.core import SoundChunk, Span, Transcript, Word
from storyscope.core.logistic import sigmoid
from storyscope.errors import ModelError
from storyscope.models import (
    DOWNLOADS,
    check_downloaded,
    downloaded_file,
    onnx_session,
    require_downloaded,
)
from storyscope.progress import Report, Step, silent
from storyscope.transcripts.listening import RATE, cut_at_quiet

SOUNDS, AUTO, OFF = "sounds", "auto", "off"
"""The name of the weights in `storyscope models`, and the other values of the setting."""
WINDOW, HOP, TRANSFORM = 400, 160, 512
"""Samples of a frame (25 ms), of the step between frames (10 ms), and of the Fourier transform."""
BANDS, LOWEST_HERTZ, HIGHEST_HERTZ, FLOOR = 64, 125.0, 7500.0, 0.001
PATCH = 96
"""Frames per input of the network."""
PATCH_SECONDS = PATCH * HOP / RATE
PATCHES_PER_SECTION = 10
"""Patches (9.6 seconds) whose kinds of sound are one passage, which "dog barking" finds whole."""
MIN_PROBABILITY = 0.5
"""A kind of sound below this is not named: chosen by `python -m benchmarks.words.sounds`."""
COMMON_SHARE, LEAST_SECTIONS = 0.5, 12
"""A kind heard in more than this share of the sections, such as music, says nothing about any of
them; films of fewer sections (two minutes) are too short to tell."""
NOT_NAMED = frozenset(
    {
        "Speech",
        "Child speech, kid speaking",
        "Conversation",
        "Narration, monologue",
        "Speech synthesizer",
        "Silence",
        "Inside, small room",
        "Inside, large room or hall",
        "Inside, public space",
        "Outside, urban or manmade",
        "Outside, rural or natural",
        "Sound effect",
        "Noise",
        "Environmental noise",
        "Static",
        "White noise",
        "Pink noise",
        "Reverberation",
        "Echo",
        "Field recording",
    }
)
"""Classes that are not informative, or that the transcript covers better."""

Tagger = Callable[[np.ndarray], np.ndarray]
"""Takes 16 kHz sound, gives float [patches, kinds]: the probability of every kind."""


def hear_sounds(
    sound: Iterable[SoundChunk],
    *,
    duration: float,
    tagger: Tagger | None = None,
    kinds: tuple[str, ...] | None = None,
    report: Report = silent,
) -> Transcript:
    """Name the sounds of a film: one word for each 9.6 seconds in which any is recognised."""
    tagger, kinds = tagger or load_tagger(), kinds or sound_kinds()
    named = np.array([kind not in NOT_NAMED for kind in kinds])
    starts, sections = [], []
    for piece in cut_at_quiet(sound):
        if piece.start >= duration:
            break
        probabilities = tagger(piece.samples) * named
        for first in range(0, len(probabilities), PATCHES_PER_SECTION):
            starts.append(piece.start + first * PATCH_SECONDS)
            sections.append(probabilities[first : first + PATCHES_PER_SECTION])
        report(Step("sounds", min(piece.end, duration), duration))
    heard = [section.max(axis=0) >= MIN_PROBABILITY for section in sections]
    telling = _telling(np.stack(heard)) if heard else named
    words = [
        _word(start, section * telling, kinds)
        for start, section, there in zip(starts, sections, heard, strict=True)
        if (there & telling).any()
    ]
    return Transcript(tuple(words), language="en", source=SOUNDS)


def _telling(heard: np.ndarray) -> np.ndarray:
    """bool [kinds]: those that do not occur nearly everywhere, from bool [sections, kinds]."""
    if len(heard) < LEAST_SECTIONS:
        return np.ones(heard.shape[1], bool)
    return np.asarray(heard.mean(axis=0) <= COMMON_SHARE)


def _word(start: float, section: np.ndarray, kinds: tuple[str, ...]) -> Word:
    """All kinds in a section, the most probable first, at the time of its maximum."""
    best = section.max(axis=0)
    order = np.argsort(-best, kind="stable")
    text = ", ".join(dict.fromkeys(kinds[k].lower() for k in order if best[k] >= MIN_PROBABILITY))
    begin = start + int(section[:, order[0]].argmax()) * PATCH_SECONDS
    return Word(text, Span(begin, begin + PATCH_SECONDS), round(float(best[order[0]]), 4))


def chosen_sounds(setting: str) -> str:
    """The model for a setting: `auto` is YAMNet if it was downloaded, and none otherwise."""
    return SOUNDS if setting == AUTO and downloaded_file(SOUNDS) else OFF


def sounds_digest(setting: str) -> str:
    """Digest of the chosen model's weights."""
    return OFF if chosen_sounds(setting) == OFF else DOWNLOADS[SOUNDS].sha256


@cache
def load_tagger() -> Tagger:
    """The network that was downloaded."""
    with zipfile.ZipFile(_downloaded()) as packed:
        files = {name.rpartition("/")[2]: packed.read(name) for name in packed.namelist()}
    try:
        session = onnx_session(files.pop("model.onnx"), beside=files)
    except KeyError as error:
        raise ModelError("the file of the model `sounds` holds no model.onnx") from error
    (given,) = session.get_inputs()

    def tag(samples: np.ndarray) -> np.ndarray:
        patches = log_mel_patches(np.asarray(samples, np.float32))
        scores = [session.run(None, {given.name: patch[None, None]})[0][0] for patch in patches]
        return sigmoid(np.stack(scores))

    return tag


@cache
def sound_kinds() -> tuple[str, ...]:
    """The names of all kinds of sound, in the order of the network's output."""
    path = _downloaded().with_name("yamnet_class_map.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(row["display_name"] for row in csv.DictReader(file))


def _downloaded() -> Path:
    path = require_downloaded(SOUNDS, needed="naming sounds needs a model that")
    return check_downloaded(SOUNDS, path)


def log_mel_patches(samples: np.ndarray) -> np.ndarray:
    """float32 [patches, 96, 64]: log mel energies; a rest of less than half a patch is dropped."""
    frames_needed = WINDOW + (PATCH - 1) * HOP
    if len(samples) < frames_needed:
        samples = np.pad(samples, (0, frames_needed - len(samples)))
    frames = np.lib.stride_tricks.sliding_window_view(samples, WINDOW)[::HOP]
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    magnitudes = np.abs(np.fft.rfft(frames * hann, TRANSFORM))
    bands = np.log(magnitudes @ mel_filters() + FLOOR).astype(np.float32)
    count = max(1, len(bands) // PATCH)
    return np.asarray(bands[: count * PATCH].reshape(count, PATCH, BANDS))


@cache
def mel_filters() -> np.ndarray:
    """float [transform / 2 + 1, bands]: triangles, evenly apart on the mel scale."""

    def mel(hertz: np.ndarray | float) -> np.ndarray:
        return np.asarray(1127 * np.log1p(np.asarray(hertz) / 700))

    edges = np.linspace(mel(LOWEST_HERTZ), mel(HIGHEST_HERTZ), BANDS + 2)
    bins = mel(np.linspace(0, RATE / 2, TRANSFORM // 2 + 1))[:, None]
    rising = (bins - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - bins) / (edges[2:] - edges[1:-1])
    filters = np.maximum(0, np.minimum(rising, falling))
    filters[0] = 0
    return np.asarray(filters)
