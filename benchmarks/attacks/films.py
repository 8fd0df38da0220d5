"""Mutated films: about two dozen small films made with PyAV, mutated with a seed per attack.

Speech recognition and CLIP are off, and decoding processes are forked from one that has already
loaded its libraries (`benchmarks.attacks.warm`). The code that reads the film is that of
production, at a tenth of the cost. One film in 250 is added with the real command line.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random

import av
import numpy as np

from benchmarks.attacks.mutations import BYTES, EXTREMES, mutated
from benchmarks.attacks.warm import fork_ours
from benchmarks.attacks.worker import Lost
from storyscope import Library
from storyscope.errors import StoryscopeError

KINDS = (
    ("mp4", "libx264", "aac"),
    ("mp4", "mpeg4", "aac"),
    ("mp4", "libx265", None),
    ("mp4", "libsvtav1", None),
    ("mov", "libx264", "pcm_s16le"),
    ("mov", "prores", None),
    ("mov", "mjpeg", "pcm_s16le"),
    ("matroska", "libx264", "aac"),
    ("matroska", "ffv1", "flac"),
    ("matroska", "libvpx", "libopus"),
    ("webm", "libvpx-vp9", "libopus"),
    ("webm", "libvpx", "libopus"),
    ("avi", "mpeg4", "mp3"),
    ("avi", "mjpeg", "pcm_s16le"),
    ("avi", "huffyuv", None),
    ("mpegts", "mpeg2video", "mp2"),
    ("mpegts", "libx264", "aac"),
    ("vob", "mpeg2video", "ac3"),
    ("flv", "flv1", "mp3"),
    ("flv", "libx264", "aac"),
    ("ogg", "libvpx", "libopus"),
    ("asf", "wmv2", "mp3"),
    ("3gp", "mpeg4", "aac"),
    ("mxf", "mpeg2video", "pcm_s16le"),
    ("nut", "mpeg4", "mp3"),
    ("ivf", "libvpx", None),
    ("dv", "dvvideo", None),
)
"""Container, video and audio codec of each film; those that PyAV cannot encode are left out."""
QUIET = {
    "libx265": {"x265-params": "log-level=none:pools=1:frame-threads=1"},
    "libsvtav1": {"svtav1-params": "lp=1"},
}
SUFFIX = {"matroska": "mkv", "mpegts": "ts", "ogg": "ogv", "asf": "wmv"}
SUFFIXES = (".mp4", ".mkv", ".avi", ".ts", ".mov", ".wmv")
FRAMES, RATE = 20, 10
BY_COMMAND = 250
"""One film in this many is added with the command line, the others with the library."""
CHAPTERS: list[av.container.core.Chapter] = [
    {"id": 1, "start": 0, "end": 8, "time_base": Fraction(1, 10), "metadata": {"title": "One"}},
    {"id": 2, "start": 8, "end": 20, "time_base": Fraction(1, 10), "metadata": {"title": "Two"}},
]
SUBTITLES = b"""1
00:00:00,500 --> 00:00:01,000
A <i>whale</i>.

2
00:00:01,200 --> 00:00:01,900
Gone.
"""
FIELDS = (
    *(b"moov mvhd tkhd elst mdhd stsd stts ctts stsc stsz stco avcC esds hvcC colr pasp".split()),
    *(b"RIFF avih strh strf idx1 movi LIST FLV onMetaData OpusHead OggS N\x81 BX".split()),
    *(
        bytes.fromhex(id)
        for id in ("1a45dfa3", "1549a966", "1654ae6b", "2ad7b1", "4489", "1f43b675")
    ),
    *(bytes.fromhex(id) for id in ("a3", "e0", "b0", "ba", "000001b3", "000001ba", "4740", "47")),
)
"""Tags of the container fields that hold sizes, times and counts."""


def attacks(seed: int, scratch: Path) -> tuple[Callable[[int], str], None]:
    """Add mutated films to a library that already contains an intact one."""
    fork_ours()
    library = quiet_library(scratch / "library")
    good = scratch / "good.mp4"
    good.write_bytes(film(0))
    library.add(good)
    before = facts_of(library)
    inbox = scratch / "inbox"
    inbox.mkdir()

    def attack(number: int) -> str:
        path = make(seed, number, inbox)
        try:
            if number % BY_COMMAND == BY_COMMAND - 1:
                return _by_command(path, scratch)
            found = library.add(path)
            words = f"{len(library.stories(found.id))} stories"
            library.remove(found.id)
            return words
        finally:
            path.unlink(missing_ok=True)
            for record in library.videos():
                if record.video.id != "good":
                    library.remove(record.video.id)
            if facts_of(library) != before:
                raise Lost("the film that was there before has other stories")

    return attack, None


def quiet_library(folder: Path) -> Library:
    """A new library without speech recognition and CLIP.

    Both take most of the time, but only see decoded samples and pictures, never the file.
    """
    folder.mkdir()
    (folder / "storyscope.toml").write_text(
        '[transcripts]\nspeech = "off"\n[search]\nimage_text = "off"\n'
    )
    return Library(folder)


def make(seed: int, number: int, folder: Path) -> Path:
    """Write the mutated film of attack `number`."""
    dice = Random(f"films {seed} {number}")
    which = dice.randrange(len(KINDS))
    while not (whole := film(which)):
        which = dice.randrange(len(KINDS))
    if dice.random() < 0.08:
        # Join the beginning of one container and the end of another.
        other = film(0)
        data = whole[: dice.randrange(len(whole))] + other[dice.randrange(len(other)) :]
    else:
        data = mutated(whole, dice, (*BYTES, set_field, set_field, set_field))
    container = KINDS[which][0]
    suffix = f".{SUFFIX.get(container, container)}"
    path = folder / f"film-{number}{dice.choice(SUFFIXES) if dice.random() < 0.1 else suffix}"
    path.write_bytes(data)
    return path


def set_field(data: bytes, dice: Random) -> bytes:
    """Set a field after a known container tag to an extreme value."""
    marks = [mark for mark in FIELDS if mark in data]
    for _ in range(dice.randint(1, 3)):
        mark = dice.choice(marks or [data[:4]])
        places = [match.end() for match in re.finditer(re.escape(mark), data)] or [0]
        place = dice.choice(places[:500]) + dice.choice((0, 4, 8, 12, 16, 20, dice.randrange(64)))
        number = dice.choice((*EXTREMES, dice.randbytes(4), dice.randbytes(1)))
        data = data[:place] + number + data[place + len(number) :]
    return data


@cache
def film(which: int) -> bytes:
    """A film of two shots, two seconds long; empty if this PyAV cannot encode it."""
    container, picture, sound = KINDS[which]
    kept = BytesIO()
    scheduling = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        with av.open(kept, "w", format=container, options={"fflags": "+bitexact"}) as out:
            _fill(out, picture, sound)
    except (av.FFmpegError, ValueError, TypeError, OSError):
        return b""
    finally:
        # The AV1 encoder leaves this thread with the highest priority.
        os.sched_setscheduler(0, *scheduling)
    return kept.getvalue()


def _fill(out: av.container.OutputContainer, picture: str, sound: str | None) -> None:
    size = (720, 576) if picture in ("dvvideo",) else (128, 96)
    rate = 25 if picture in ("mpeg2video", "dvvideo") else RATE
    stream = out.add_stream(picture, rate=rate)
    stream.width, stream.height = size
    formats = {"prores": "yuv422p10le", "mjpeg": "yuvj420p", "huffyuv": "yuv422p"}
    stream.pix_fmt = formats.get(picture, "yuv420p")
    stream.codec_context.thread_count = 1
    # The number of threads changes the bytes that are written.
    stream.options = QUIET.get(picture, {})
    track = None
    if sound is not None:
        sample_rate = 48_000 if sound in ("libopus", "ac3", "mp2", "pcm_s16le") else 44_100
        track = out.add_stream(sound, rate=sample_rate)
    out.metadata["title"] = "A film"
    out.set_chapters(CHAPTERS)
    words = out.format.name == "matroska"
    subtitles = out.add_stream_from_template(_subtitles()[0]) if words else None
    for number in range(FRAMES):
        out.mux(stream.encode(_frame(number, size, rate)))
    out.mux(stream.encode(None))
    if track is not None:
        for frame in _tone(track):
            out.mux(track.encode(frame))
        out.mux(track.encode(None))
    if subtitles is not None:
        for packet in _subtitles()[1]:
            packet.stream = subtitles
            out.mux(packet)


def _subtitles() -> tuple[av.subtitles.stream.SubtitleStream, list[av.Packet]]:
    source = av.open(BytesIO(SUBTITLES), format="srt")
    stream = source.streams.subtitles[0]
    return stream, [packet for packet in source.demux(stream) if packet.size]


def _frame(number: int, size: tuple[int, int], rate: int) -> av.VideoFrame:
    width, height = size
    colour = (40, 90, 200) if number < FRAMES // 2 else (200, 120, 30)
    picture = np.full((height, width, 3), colour, np.uint8)
    picture[:, (number * 5) % width :: 16] = 255
    frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
    frame.pts, frame.time_base = number, Fraction(1, rate)
    return frame


def _tone(track: av.AudioStream) -> list[av.AudioFrame]:
    rate = track.codec_context.sample_rate
    layout = track.codec_context.layout.name or "stereo"
    channels = len(track.codec_context.layout.channels)
    samples = (8000 * np.sin(2 * np.pi * 330 * np.arange(rate) / rate)).astype(np.int16)
    frame = av.AudioFrame.from_ndarray(
        np.repeat(samples, channels)[None, :], format="s16", layout=layout
    )
    frame.sample_rate, frame.pts, frame.time_base = rate, 0, Fraction(1, rate)
    resampler = av.AudioResampler(
        track.codec_context.format, layout, rate, frame_size=track.codec_context.frame_size or 1024
    )
    return [*resampler.resample(frame), *resampler.resample(None)]


def facts_of(library: Library) -> list[tuple[str, str, float, float]]:
    """The stories of a library as comparable values."""
    return [
        (record.video.id, story.title, story.span.start, story.span.end)
        for record in library.videos()
        if record.state == "ready"
        for story in library.stories(record.video.id)
    ]


def _by_command(path: Path, scratch: Path) -> str:
    command = [sys.executable, "-m", "storyscope", "add", str(path)]
    done = subprocess.run(
        [*command, "--library", str(scratch / "library")], capture_output=True, text=True
    )
    if "Traceback" in done.stderr or done.returncode not in (0, 1):
        raise RuntimeError(f"code {done.returncode}: {done.stderr[-900:]}")
    if done.returncode:
        raise StoryscopeError(done.stderr.strip()[-200:])
    return "added by the command"
