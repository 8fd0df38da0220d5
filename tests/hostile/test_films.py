"""Small films with absurd metadata are scanned or refused quickly, with a one-line error."""

import struct
from dataclasses import replace
from fractions import Fraction

import av
import numpy as np
import pytest

from storyscope.core import Annotation, SmallFrame, SoundChunk, Span
from storyscope.errors import AnnotationError, MediaError
from storyscope.library.annotations import keep_annotation
from storyscope.library.comparing import compare
from storyscope.media import ScanEnd, remux, scan

MILLISECONDS = Fraction(1, 1000)
YEARS = 10**14
"""Milliseconds between two frames; there is room for that in Matroska."""


def make(path, container, *, codec="mpeg4", size=(64, 48), frames=5, step=100, sound=()):
    """A film whose frames come every `step` milliseconds, with a track of sound if wanted."""
    with av.open(str(path), "w", format=container) as out:
        stream = out.add_stream(codec, rate=10)
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p" if codec == "mpeg4" else "yuv444p"
        track = out.add_stream(sound[0], rate=sound[1], layout=sound[2]) if sound else None
        packets = []
        for number in range(frames):
            picture = np.full((size[1], size[0], 3), number * 40, np.uint8)
            packets += stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24"))
        packets += stream.encode(None)
        for number, packet in enumerate(packets):
            packet.pts = packet.dts = number * step
            packet.time_base = MILLISECONDS
            out.mux(packet)
        if track is not None:
            channels = len(track.codec_context.layout.channels)
            samples = np.full((1, 4096 * channels), 100, np.int16)
            frame = av.AudioFrame.from_ndarray(samples, format="s16", layout=sound[2])
            frame.sample_rate, frame.pts, frame.time_base = sound[1], 0, Fraction(1, sound[1])
            for packet in (*track.encode(frame), *track.encode(None)):
                out.mux(packet)
    return path


def with_tracks(path, count):
    """The same film, whose only track is listed `count` times."""
    whole = path.read_bytes()
    index = whole.rfind(b"moov") - 4
    head, moov = whole[:index], whole[index:]
    first = moov.find(b"trak") - 4
    (length,) = struct.unpack(">I", moov[first : first + 4])
    trak = moov[first : first + length]
    moov = moov[:first] + trak * count + moov[first + length :]
    path.write_bytes(head + struct.pack(">I", len(moov)) + moov[4:])


def overwrite(path, mark, offset, data):
    """Replace the bytes after a container tag."""
    whole = bytearray(path.read_bytes())
    place = whole.index(mark) + offset
    whole[place : place + len(data)] = data
    path.write_bytes(whole)


def test_one_frame_of_one_pixel_is_a_film(tmp_path):
    items = list(scan(make(tmp_path / "a.mkv", "matroska", codec="ffv1", size=(1, 1), frames=1)))
    assert (items[-1].frame_count, len(items)) == (1, 3)


def test_frames_that_are_millennia_apart_are_only_a_few(tmp_path):
    path = make(tmp_path / "far.mkv", "matroska", step=YEARS)
    frames = [item for item in scan(path) if isinstance(item, SmallFrame)]
    assert [frame.seconds for frame in frames] == [number * 1e11 for number in range(5)]
    with pytest.raises(MediaError, match=r"cannot be copied as it is into \.mkv") as raised:
        remux(path, tmp_path / "copy.mkv", chapters=[(Span(0.0, 1e12), "All")])
    assert "\n" not in str(raised.value)
    assert [each.name for each in tmp_path.iterdir()] == ["far.mkv"]


def test_a_very_low_sample_rate_does_not_take_weeks(tmp_path):
    path = make(tmp_path / "slow.mkv", "matroska", sound=("pcm_s16le", 1, "mono"))
    items = list(scan(path))
    assert isinstance(items[-1], ScanEnd)
    assert not any(isinstance(item, SoundChunk) for item in items)


def test_many_samples_of_many_channels_are_read(tmp_path):
    path = make(tmp_path / "fast.mkv", "matroska", sound=("pcm_s16le", 768_000, "hexadecagonal"))
    assert any(isinstance(item, SoundChunk) for item in scan(path))


def test_ten_thousand_tracks_are_refused_or_read(tmp_path):
    path = make(tmp_path / "many.mp4", "mp4")
    with_tracks(path, 10_000)
    with pytest.raises(MediaError, match="needs more than 2048 MB") as raised:
        list(scan(path))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("mark", "offset", "data"),
    [
        (b"tkhd", 44, b"\x7f\xff\xff\xff" * 9),
        (b"elst", 12, struct.pack(">IiI", 0xFFFFFFFF, 0, 0)),
        (b"mdhd", 16, struct.pack(">II", 0, 0xFFFFFFFF)),
    ],
    ids=["rotation", "edit list", "clock"],
)
def test_wild_fields_of_a_container_do_no_harm(tmp_path, mark, offset, data):
    path = make(tmp_path / "wild.mp4", "mp4")
    overwrite(path, mark, offset, data)
    assert list(scan(path))[-1].frame_count >= 1


def test_ten_frames_are_not_a_thousand_stories(library):
    long = replace(library.video("film"), duration=1e12, frame_count=10)
    starts = tuple(float(number) for number in range(1000))
    with pytest.raises(AnnotationError, match=r"has 1000 stories, and film takes \d+:"):
        keep_annotation(library.store, long, Annotation("eve", starts, 1e12))


def test_a_film_of_ten_microseconds_is_compared_with_itself(library, monkeypatch):
    short = replace(library.video("film"), duration=1e-5)
    monkeypatch.setattr(library, "video", lambda _: short)
    assert compare(library, "film")["mean_iou"] == [[1.0]]
