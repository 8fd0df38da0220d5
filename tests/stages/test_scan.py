"""Scanning a film takes constant memory."""

import tracemalloc

import numpy as np
import pytest

from storyscope.config import Config
from storyscope.core import Picture, SmallFrame, SoundChunk
from storyscope.media import ScanEnd
from storyscope.stages.indexing import picking
from storyscope.stages.scan import scan_film

SHOT_SECONDS = 5
LITTLE = 1 << 20
"""Maximum growth in bytes; the audio of the longer half alone is twice as large."""


def test_a_film_twice_as_long_takes_no_more_memory(monkeypatch):
    _watch(monkeypatch, 1)  # loads what is needed
    (short_film, short_peak), (long_film, long_peak) = (_watch(monkeypatch, n) for n in (12, 24))
    assert len(long_film.sound.mfcc) == 2 * len(short_film.sound.mfcc) == 24 * 60 * 100
    assert len(long_film.keyframes) > 1.9 * len(short_film.keyframes) > 600
    assert long_peak - short_peak < LITTLE


@pytest.mark.parametrize("fps", [1, 3, 6, 12, 25])
def test_every_shot_has_keyframes_however_few_frames_a_second(monkeypatch, fps):
    monkeypatch.setattr("storyscope.stages.scan.scan", lambda *_, **__: _items(minutes=3, fps=fps))
    config = Config()
    film = scan_film("film.mp4", config.media, (config.shots, picking(config)))
    assert set(film.keyframes.shots.tolist()) == set(range(len(film.shots)))
    assert len(film.shots) == 3 * 60 / SHOT_SECONDS


def _watch(monkeypatch, minutes):
    monkeypatch.setattr("storyscope.stages.scan.scan", lambda *_, **__: _items(minutes, fps=4))
    config = Config()
    tracemalloc.start()
    try:
        film = scan_film("film.mp4", config.media, (config.shots, picking(config)))
        return film, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _items(minutes, fps):
    chance = np.random.default_rng(0)
    noise = chance.normal(0, 0.1, 16_000).astype(np.float32)
    for second in range(60 * minutes):
        if second % SHOT_SECONDS == 0:
            small = chance.integers(0, 256, (27, 48, 3), dtype=np.uint8)
        for frame in range(fps * second, fps * (second + 1)):
            yield SmallFrame(frame, frame / fps, small)
            if frame % max(1, round(fps / 5)) == 0:
                yield Picture(frame, frame / fps, small)
        yield SoundChunk(float(second), noise)
    frames = 60 * minutes * fps
    yield ScanEnd(frame_count=frames, end_seconds=60.0 * minutes, damaged="", has_subtitles=False)
