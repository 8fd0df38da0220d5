"""Generates small films for tests, with the frame number drawn into every frame."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

COLUMNS, ROWS = 4, 3
TICKS = 90_000


@dataclass(frozen=True)
class Tone:
    """An audio track with one pure tone."""

    hertz: float = 440.0
    seconds: float = 2.0
    start: float = 0.0
    codec: str = "aac"
    rate: int = 48_000
    layout: str = "stereo"
    default: bool = False


def paint_number(number: int, width: int, height: int) -> np.ndarray:
    """A frame whose twelve blocks, read row by row, are the bits of `number` (white is 1)."""
    bits = [(number >> bit) & 1 for bit in range(COLUMNS * ROWS)]
    grid = np.array(bits, dtype=np.uint8).reshape(ROWS, COLUMNS) * 200 + 25
    rows = np.arange(height) * ROWS // height
    columns = np.arange(width) * COLUMNS // width
    return np.repeat(grid[rows][:, columns, None], 3, axis=2)


def read_number(rgb: np.ndarray) -> int:
    """The number drawn into a frame, at any size."""
    height, width = rgb.shape[:2]
    rows = [(2 * row + 1) * height // (2 * ROWS) for row in range(ROWS)]
    columns = [(2 * column + 1) * width // (2 * COLUMNS) for column in range(COLUMNS)]
    bits = rgb[np.ix_(rows, columns)].mean(axis=2).ravel() > 125
    return sum(1 << bit for bit, lit in enumerate(bits) if lit)


def make_film(
    path: Path,
    *,
    frame_count: int = 50,
    fps: int = 25,
    times: Sequence[float] | None = None,
    start: float = 0.0,
    size: tuple[int, int] = (192, 108),
    codec: str = "libx264",
    pix_fmt: str = "yuv420p",
    b_frames: int = 2,
    gop: int = 12,
    rotation: float = 0,
    pixel_aspect: Fraction | None = None,
    sound: Sequence[Tone] = (),
    container_format: str | None = None,
    options: dict[str, str] | None = None,
) -> Path:
    """Write a film of numbered frames at `times` (seconds, default even) plus `start`."""
    times = [index / fps for index in range(frame_count)] if times is None else times
    ticks = fps if codec.startswith("mpeg") else TICKS
    with (
        same_scheduling(),
        av.open(str(path), "w", format=container_format, options=options or {}) as out,
    ):
        stream = out.add_stream(codec, rate=fps)
        stream.width, stream.height = size
        stream.pix_fmt = pix_fmt
        stream.codec_context.time_base = Fraction(1, ticks)
        stream.codec_context.gop_size = gop
        stream.codec_context.max_b_frames = b_frames
        stream.codec_context.thread_count = 1
        if codec == "libx264":
            stream.options = {"preset": "ultrafast", "qp": "20", "bf": str(b_frames)}
        if pixel_aspect is not None:
            stream.codec_context.sample_aspect_ratio = pixel_aspect
        if rotation:
            stream.set_display_rotation(rotation)
        tracks = [(_add_track(out, tone), tone) for tone in sound]
        for track, tone in tracks:
            _write_tone(out, track, tone, start)
        for number, seconds in enumerate(times):
            picture = paint_number(number, *size)
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts = round((start + seconds) * ticks)
            frame.time_base = Fraction(1, ticks)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


@contextmanager
def same_scheduling() -> Iterator[None]:
    """Restore the thread's scheduling: as root, SVT-AV1 switches it to real-time permanently."""
    if not hasattr(os, "sched_getscheduler"):
        yield
        return
    policy, parameters = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        yield
    finally:
        os.sched_setscheduler(0, policy, parameters)


def _add_track(out: av.container.OutputContainer, tone: Tone) -> av.AudioStream:
    track = out.add_stream(tone.codec, rate=tone.rate, layout=tone.layout)
    if tone.default:
        track.disposition = av.stream.Disposition.default
    return track


def _write_tone(
    out: av.container.OutputContainer, track: av.AudioStream, tone: Tone, start: float
) -> None:
    samples = np.arange(round(tone.seconds * tone.rate))
    wave = (0.5 * np.sin(2 * np.pi * tone.hertz * samples / tone.rate)).astype(np.float32)
    channels = len(track.layout.channels)
    for first in range(0, len(wave), 1024):
        piece = np.repeat(wave[None, first : first + 1024], channels, axis=0)
        frame = av.AudioFrame.from_ndarray(
            np.ascontiguousarray(piece), format="fltp", layout=tone.layout
        )
        frame.sample_rate = tone.rate
        frame.time_base = Fraction(1, tone.rate)
        frame.pts = first + round((start + tone.start) * tone.rate)
        out.mux(track.encode(frame))
    out.mux(track.encode(None))
