"""Single frames by time, and the audio alone, are the same as in a full scan."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from films import Tone, make_film, read_number
from storyscope.core import SoundChunk
from storyscope.decoder.container import Terms
from storyscope.decoder.decode import find_opening
from storyscope.decoder.walking import Walker
from storyscope.errors import MediaError
from storyscope.media import read_frames, read_sound, scan

TERMS = Terms(max_pixels=10_000_000, threads=1, on_progress=lambda: None)


@pytest.fixture(
    scope="module",
    params=[
        ("long.mp4", {}),
        ("long.ts", {"start": 7.0}),
        ("long.mkv", {"start": 3.0}),
        ("long.avi", {"codec": "mpeg4", "b_frames": 0}),
    ],
    ids=lambda param: param[0],
)
def long_film(request, tmp_path_factory):
    """Twelve seconds, a keyframe every 1.2: long enough for seeks to be worth it."""
    name, settings = request.param
    folder = tmp_path_factory.mktemp("seeking")
    return make_film(folder / name, frame_count=300, gop=30, size=(96, 54), **settings)


def test_frames_are_the_ones_on_show_at_the_times_asked_for(long_film):
    wanted = sorted(random.Random(7).sample(range(300), 20))
    pictures = list(read_frames(long_film, [number / 25 for number in wanted]))
    assert [read_number(picture.rgb) for picture in pictures] == wanted
    assert [picture.seconds for picture in pictures] == pytest.approx(
        [number / 25 for number in wanted], abs=2e-3
    )


def test_a_time_between_two_frames_shows_the_earlier(long_film):
    times = [0.05, 0.075, 5.015, 11.97]
    pictures = read_frames(long_film, times, height=64)
    assert [read_number(picture.rgb) for picture in pictures] == [1, 1, 125, 299]


def test_times_before_and_behind_the_film_show_its_ends(long_film):
    pictures = read_frames(long_film, [-1.0, 0.0, 99.0, 100.0])
    assert [read_number(picture.rgb) for picture in pictures] == [0, 0, 299, 299]


def test_frames_that_are_not_requested_are_skipped(tmp_path):
    path = str(make_film(tmp_path / "f.mp4", frame_count=300, gop=30, size=(96, 54)))
    packets = []
    terms = replace(TERMS, on_progress=lambda: packets.append(1))
    found = list(Walker(path, find_opening(path, TERMS), terms).frames([11.5]))
    assert found[0][0] == pytest.approx(11.48, abs=0.03)
    assert len(packets) <= 60


@pytest.mark.parametrize("landing", [0.5, 3.0, 40.0])
def test_a_seek_that_lands_behind_its_target_is_repeated_from_further_back(
    tmp_path, monkeypatch, landing
):
    path = str(make_film(tmp_path / "f.ts", frame_count=1000, gop=25, size=(96, 54)))
    walker = Walker(path, find_opening(path, TERMS), TERMS)
    honest = Walker._ticks
    monkeypatch.setattr(Walker, "_ticks", lambda self, at: honest(self, at + landing))
    found = list(walker.frames([30.0, 35.0]))
    assert [seconds for seconds, _ in found] == pytest.approx([30.0, 35.0], abs=1e-3)


def test_frames_keep_their_height_unless_told_otherwise(tmp_path):
    path = make_film(tmp_path / "f.mp4", frame_count=3)
    assert next(read_frames(path, [0.0])).rgb.shape == (108, 192, 3)
    assert next(read_frames(path, [0.0], height=54)).rgb.shape == (54, 96, 3)


def test_a_clock_that_was_reset_is_decoded_without_seeking(tmp_path):
    parts = [make_film(tmp_path / f"{n}.ts", frame_count=300, size=(96, 54)) for n in range(2)]
    joined = tmp_path / "joined.ts"
    joined.write_bytes(b"".join(part.read_bytes() for part in parts))
    pictures = read_frames(joined, [2.0, 22.0])
    assert [read_number(picture.rgb) for picture in pictures] == [50, 250]


def test_times_that_do_not_rise_are_refused(tmp_path):
    path = make_film(tmp_path / "f.mp4", frame_count=3)
    with pytest.raises(MediaError, match="increasing order"):
        list(read_frames(path, [1.0, 0.5]))


def test_the_sound_alone_equals_the_sound_of_a_scan(tmp_path):
    path = make_film(tmp_path / "f.mkv", start=2.0, sound=[Tone(start=0.25, seconds=2.5)])
    scanned = [item for item in scan(path) if isinstance(item, SoundChunk)]
    alone = list(read_sound(path))
    assert [chunk.seconds for chunk in alone] == [chunk.seconds for chunk in scanned]
    for one, other in zip(alone, scanned, strict=True):
        np.testing.assert_array_equal(one.samples, other.samples)


def test_a_silent_film_has_no_sound_to_read(tmp_path):
    assert list(read_sound(make_film(tmp_path / "f.mp4", frame_count=3))) == []
