"""Films that are truncated, corrupt or unusual."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import pytest

from films import Tone, make_film, paint_number, read_number
from storyscope.core import SmallFrame, Span
from storyscope.errors import MediaError
from storyscope.media import Chapter, ScanEnd, decoders, probe, scan


def frames_and_end(path: Path) -> tuple[list[SmallFrame], ScanEnd]:
    items = list(scan(path))
    return [item for item in items if isinstance(item, SmallFrame)], items[-1]


def cut_in_half(path: Path) -> Path:
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    return path


@pytest.mark.parametrize(
    ("name", "settings", "states_its_length"),
    [
        ("cut.mkv", {}, True),
        ("cut.mp4", {"options": {"movflags": "faststart"}}, True),
        ("cut.ts", {}, False),
        ("cut.avi", {"codec": "mpeg4", "b_frames": 0}, False),
    ],
)
def test_a_film_that_is_cut_off_gives_what_is_left(tmp_path, name, settings, states_its_length):
    path = make_film(tmp_path / name, frame_count=200, **settings)
    assert frames_and_end(path)[1].damaged == ""
    frames, end = frames_and_end(cut_in_half(path))
    assert 40 < len(frames) < 160
    assert [read_number(frame.rgb) for frame in frames[:40]] == list(range(40))
    assert end.frame_count == len(frames)
    if states_its_length:
        assert "breaks off after" in end.damaged


def test_a_film_without_its_index_is_called_cut_off(tmp_path):
    path = cut_in_half(make_film(tmp_path / "cut.mp4"))
    with pytest.raises(MediaError, match="damaged or cut off"):
        list(scan(path))


def test_a_film_with_nothing_but_a_header_is_an_error(tmp_path):
    path = make_film(tmp_path / "head.mkv", sound=[Tone(start=1.0, seconds=1.0)])
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.index(b"\x1f\x43\xb6\x75")])  # the first cluster of frames
    with pytest.raises(MediaError, match="cut off"):
        list(scan(path))


def test_noise_in_mid_file_costs_frames_but_not_the_film(tmp_path):
    path = make_film(tmp_path / "noisy.ts", frame_count=200)
    data = bytearray(path.read_bytes())
    dice = random.Random(3)
    for place in range(len(data) // 3, len(data) // 2):
        if dice.random() < 0.02:
            data[place] = dice.randrange(256)
    path.write_bytes(data)
    frames, end = frames_and_end(path)
    assert len(frames) > 100
    assert end.damaged
    assert all(one.seconds < other.seconds for one, other in pairwise(frames))


def test_a_stream_without_timestamps_runs_at_its_frame_rate(tmp_path):
    frames, end = frames_and_end(make_film(tmp_path / "raw.h264", b_frames=0))
    assert [read_number(frame.rgb) for frame in frames] == list(range(50))
    assert [frame.seconds for frame in frames] == pytest.approx([n / 25 for n in range(50)])
    assert end.end_seconds == pytest.approx(2.0)


def test_concatenated_recordings_have_continuous_times(tmp_path):
    parts = [make_film(tmp_path / f"{n}.ts", frame_count=60, sound=[Tone()]) for n in range(2)]
    joined = tmp_path / "joined.ts"
    joined.write_bytes(b"".join(part.read_bytes() for part in parts))
    frames, _ = frames_and_end(joined)
    assert [read_number(frame.rgb) for frame in frames] == [*range(60), *range(60)]
    assert [frame.seconds for frame in frames] == pytest.approx([n / 25 for n in range(120)])


def test_an_edit_list_hides_what_was_cut_away(tmp_path):
    whole = make_film(tmp_path / "whole.mp4", gop=25, b_frames=0)
    trimmed = tmp_path / "trimmed.mp4"
    with av.open(str(whole)) as source, av.open(str(trimmed), "w") as out:
        stream = source.streams.video[0]
        copy = out.add_stream_from_template(stream)
        half_a_second = round(Fraction(1, 2) / stream.time_base)
        for packet in source.demux(stream):
            if packet.dts is not None:
                packet.stream = copy
                packet.pts -= half_a_second
                packet.dts -= half_a_second
                out.mux(packet)
    frames, _ = frames_and_end(trimmed)
    first = read_number(frames[0].rgb)
    assert first in (12, 13)
    assert [read_number(frame.rgb) for frame in frames] == list(range(first, 50))
    assert frames[0].seconds == 0.0
    assert frames[-1].seconds == pytest.approx((49 - first) / 25, abs=2e-3)


def add_cover(out: av.container.OutputContainer) -> None:
    cover = out.add_stream("png", rate=1)
    cover.width, cover.height, cover.pix_fmt = 64, 64, "rgb24"
    cover.disposition = av.stream.Disposition.attached_pic
    frame = av.VideoFrame.from_ndarray(paint_number(4095, 64, 64), format="rgb24")
    out.mux(cover.encode(frame))
    out.mux(cover.encode(None))


def test_cover_art_is_not_the_film(tmp_path):
    plain, covered = make_film(tmp_path / "plain.mp4", frame_count=10), tmp_path / "covered.mp4"
    with av.open(str(plain)) as source, av.open(str(covered), "w") as out:
        copy = out.add_stream_from_template(source.streams.video[0])
        packets = [packet for packet in source.demux(video=0) if packet.dts is not None]
        add_cover(out)
        for packet in packets:
            packet.stream = copy
            out.mux(packet)
    frames, _ = frames_and_end(covered)
    assert [read_number(frame.rgb) for frame in frames] == list(range(10))


def test_chapters_of_the_container_are_listed_on_the_films_clock(tmp_path):
    plain, marked = make_film(tmp_path / "f.mkv", b_frames=0), tmp_path / "marked.mkv"
    with av.open(str(plain)) as source, av.open(str(marked), "w") as out:
        copy = out.add_stream_from_template(source.streams.video[0])
        milliseconds = Fraction(1, 1000)
        out.set_chapters(
            [
                {"id": 1, "start": 0, "end": 800, "time_base": milliseconds, "metadata": {}},
                {
                    "id": 2,
                    "start": 800,
                    "end": 2000,
                    "time_base": milliseconds,
                    "metadata": {"title": "The sea"},
                },
            ]
        )
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = copy
                out.mux(packet)
    assert probe(marked).chapters == (
        Chapter(Span(0.0, 0.8), ""),
        Chapter(Span(0.8, 2.0), "The sea"),
    )


def test_decoders_are_listed_by_name():
    assert decoders(["h264", "no-such-codec"]) == {"h264": True, "no-such-codec": False}
    assert all(name in decoders() for name in ("hevc", "aac", "opus"))
