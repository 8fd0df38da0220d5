"""A scan decodes every frame once, at the right time, for any kind of file."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import av
import numpy as np
import pytest

from films import Tone, make_film, read_number
from storyscope.config import MediaConfig
from storyscope.core import Picture, SmallFrame, SoundChunk
from storyscope.media import ScanEnd, probe, read_frames, scan
from storyscope.shots import detect_shots


@dataclass
class Scanned:
    """Everything that a scan returned, by kind."""

    small: list[SmallFrame] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    sound: list[SoundChunk] = field(default_factory=list)
    end: ScanEnd | None = None

    @property
    def numbers(self) -> list[int]:
        return [read_number(frame.rgb) for frame in self.small]

    @property
    def times(self) -> list[float]:
        return [frame.seconds for frame in self.small]


def scanned(path, config=MediaConfig()) -> Scanned:
    result = Scanned()
    for item in scan(path, config):
        match item:
            case SmallFrame():
                result.small.append(item)
            case Picture():
                result.pictures.append(item)
            case SoundChunk():
                result.sound.append(item)
            case ScanEnd():
                result.end = item
    return result


def assert_every_frame_in_its_place(film: Scanned, times: list[float]) -> None:
    assert film.numbers == list(range(len(times)))
    assert [frame.index for frame in film.small] == list(range(len(times)))
    assert film.times == pytest.approx(times, abs=2e-3)
    for picture in film.pictures:
        assert read_number(picture.rgb) == picture.index
        assert picture.seconds == film.times[picture.index]
    assert film.pictures[0].index == 0
    assert film.end.frame_count == len(times)
    assert film.end.damaged == ""


EVEN = [index / 25 for index in range(50)]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("plain.mp4", {}),
        ("b-frames.mp4", {"b_frames": 3}),
        ("no-b-frames.mp4", {"b_frames": 0}),
        ("mpeg4.avi", {"codec": "mpeg4", "b_frames": 0}),
        ("vp9.webm", {"codec": "libvpx-vp9", "b_frames": 0}),
        ("late.mkv", {"start": 7.0}),
        ("late.ts", {"start": 7.0}),
        ("odd.mkv", {"size": (191, 107), "pix_fmt": "yuv444p"}),
        ("ten-bit.mkv", {"pix_fmt": "yuv420p10le"}),
        ("full-range.mkv", {"pix_fmt": "yuvj420p"}),
        ("tall.mp4", {"size": (90, 160)}),
    ],
)
def test_every_frame_comes_once_in_order_at_its_time(tmp_path, name, settings):
    path = make_film(tmp_path / name, **settings)
    assert_every_frame_in_its_place(scanned(path), EVEN)


@pytest.mark.parametrize("name", ["variable.mp4", "variable.mkv"])
def test_a_variable_frame_rate_keeps_its_own_times(tmp_path, name):
    times = [index * index / 100 for index in range(40)]
    assert_every_frame_in_its_place(scanned(make_film(tmp_path / name, times=times)), times)


def test_one_frame_is_a_film(tmp_path):
    film = scanned(make_film(tmp_path / "one.mp4", frame_count=1))
    assert_every_frame_in_its_place(film, [0.0])
    assert film.end.end_seconds == pytest.approx(0.04)


def test_the_film_ends_one_frame_after_its_last(tmp_path):
    assert scanned(make_film(tmp_path / "f.mp4")).end.end_seconds == pytest.approx(2.0)


@pytest.mark.parametrize("rotation", [90, 180, -90])
def test_a_rotated_film_stands_upright(tmp_path, rotation):
    path = make_film(tmp_path / "turned.mp4", rotation=rotation)
    film = scanned(path)
    # The film turns each stored frame counter-clockwise: turning it back shows its number.
    quarters = rotation // 90
    turned_back = [read_number(np.rot90(frame.rgb, -quarters)) for frame in film.small]
    assert turned_back == list(range(50))
    assert film.small[0].rgb.shape == (27, 48, 3)
    facts = probe(path)
    assert (facts.width, facts.height) == ((192, 108) if rotation == 180 else (108, 192))
    assert film.pictures[0].rgb.shape == ((256, 456, 3) if rotation == 180 else (256, 144, 3))


def test_pixels_that_are_not_square_are_widened(tmp_path):
    path = make_film(tmp_path / "wide.mkv", size=(144, 108), pixel_aspect=Fraction(4, 3))
    assert (probe(path).width, probe(path).height) == (192, 108)
    assert scanned(path).pictures[0].rgb.shape == (256, 456, 3)


def test_pictures_come_five_a_second_by_time_at_the_height_asked_for(tmp_path):
    path = make_film(tmp_path / "f.mp4")
    film = scanned(path, MediaConfig(picture_height=128, pictures_per_second=5))
    assert [picture.index for picture in film.pictures] == list(range(0, 50, 5))
    assert film.pictures[0].rgb.shape == (128, 228, 3)
    assert film.pictures[0].rgb.dtype == np.uint8


COLOURS = [(200, 30, 40), (20, 90, 160), (60, 170, 50)]


@pytest.mark.parametrize("pix_fmt", ["yuv420p", "yuvj420p", "yuv444p", "yuv420p10le"])
@pytest.mark.parametrize("colorspace", [1, 2, 6])
def test_colours_survive(tmp_path, pix_fmt, colorspace):
    path = make_coloured_film(tmp_path, COLOURS, pix_fmt=pix_fmt, colorspace=colorspace)
    film = scanned(path, MediaConfig(pictures_per_second=25))
    for found in (film.small, film.pictures):
        for item, colour in zip(found, COLOURS, strict=True):
            assert item.rgb.mean(axis=(0, 1)) == pytest.approx(colour, abs=4)


def test_a_large_film_that_does_not_say_has_the_colours_of_hd_television(tmp_path):
    path = make_coloured_film(tmp_path, COLOURS, size=(1280, 720), painted=1, colorspace=2)
    film = scanned(path, MediaConfig(pictures_per_second=25))
    for found in (film.small, film.pictures):
        for item, colour in zip(found, COLOURS, strict=True):
            assert item.rgb.mean(axis=(0, 1)) == pytest.approx(colour, abs=4)


def test_a_colour_space_nobody_knows_is_taken_for_the_ordinary_one(tmp_path):
    film = scanned(make_coloured_film(tmp_path, [(128, 128, 128)] * 3, colorspace=8))
    assert len(film.small) == 3
    assert film.pictures[0].rgb.mean() == pytest.approx(128, abs=4)


def make_coloured_film(
    folder, colours, *, pix_fmt="yuv420p", size=(64, 48), colorspace=6, painted=None
):
    """A frame of each colour, painted in one colour space (1 is HD's) and tagged with another."""
    painted = painted or (1 if colorspace == 1 else 6)
    path = folder / "coloured.mkv"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=25, options={"qp": "5", "preset": "ultrafast"})
        stream.width, stream.height = size
        stream.pix_fmt = pix_fmt
        stream.codec_context.colorspace = colorspace
        stream.codec_context.color_range = 2 if pix_fmt.startswith("yuvj") else 1
        for colour in colours:
            picture = np.full((*size[::-1], 3), colour, dtype=np.uint8)
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            space = {1: "ITU709", 6: "ITU601"}[painted]
            frame = frame.reformat(format=pix_fmt, dst_colorspace=space)
            frame.colorspace = colorspace
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


def loudest_hertz(chunk: SoundChunk) -> float:
    spectrum = np.abs(np.fft.rfft(chunk.samples))
    return float(spectrum.argmax() * 16_000 / len(chunk.samples))


def test_sound_is_16_khz_mono_on_the_pictures_clock(tmp_path):
    path = make_film(tmp_path / "f.mkv", start=3.0, sound=[Tone(hertz=440, codec="pcm_s16le")])
    sound = scanned(path).sound
    assert sound[0].seconds == pytest.approx(0.0, abs=2e-3)
    assert sum(len(chunk.samples) for chunk in sound) == pytest.approx(32_000, abs=50)
    assert sound[0].samples.dtype == np.float32
    assert loudest_hertz(sound[0]) == pytest.approx(440, abs=2)
    assert np.abs(sound[0].samples).max() == pytest.approx(0.5, abs=0.05)


def test_sound_that_starts_late_says_so(tmp_path):
    tone = Tone(start=0.5, seconds=1.0, codec="pcm_s16le")
    sound = scanned(make_film(tmp_path / "f.mkv", sound=[tone])).sound
    assert sound[0].seconds == pytest.approx(0.5, abs=2e-3)


@pytest.mark.parametrize("name", ["f.mkv", "f.mp4", "f.ts"])
def test_sound_that_leads_the_picture_starts_the_clock_as_in_players(tmp_path, name):
    path = make_film(tmp_path / name, start=2.0, sound=[Tone(start=-0.5, seconds=2.0)])
    film = scanned(path)
    with av.open(str(path)) as container:
        lead = next(container.decode(video=0)).time - container.start_time / 1e6
    assert lead == pytest.approx(0.5, abs=0.05)
    assert [frame.seconds for frame in film.small] == pytest.approx(
        [lead + seconds for seconds in EVEN], abs=0.03
    )
    assert film.sound[0].seconds == pytest.approx(0.0, abs=0.03)
    shots = list(detect_shots(film.small))
    assert (shots[0].span.start, shots[0].frames.start) == (0.0, 0)
    assert shots[-1].frames.stop == 50
    (shown,) = read_frames(path, [lead + 1.0])
    assert read_number(shown.rgb) == 25


@pytest.mark.parametrize("seconds", [0.7, 5.0])
def test_sound_may_be_shorter_or_longer_than_the_picture(tmp_path, seconds):
    film = scanned(make_film(tmp_path / "f.mp4", sound=[Tone(seconds=seconds)]))
    assert_every_frame_in_its_place(film, EVEN)
    last = film.sound[-1]
    assert last.seconds + len(last.samples) / 16_000 == pytest.approx(seconds, abs=0.05)


def test_the_default_of_several_sound_tracks_is_heard(tmp_path):
    tones = [Tone(hertz=300), Tone(hertz=1200, default=True), Tone(hertz=2500)]
    path = make_film(tmp_path / "f.mkv", sound=tones)
    assert loudest_hertz(scanned(path).sound[0]) == pytest.approx(1200, abs=2)
    assert [track.chosen for track in probe(path).sound_tracks] == [False, True, False]


def test_a_silent_film_gives_no_sound(tmp_path):
    path = make_film(tmp_path / "f.mp4")
    assert scanned(path).sound == []
    assert not probe(path).has_sound


def test_a_probe_states_the_facts(tmp_path):
    facts = probe(make_film(tmp_path / "f.mp4", sound=[Tone()]))
    assert (facts.width, facts.height, facts.fps) == (192, 108, 25.0)
    assert facts.duration == pytest.approx(2.0)
    assert facts.frame_count == 50
    assert facts.has_sound
    assert facts.codec == "h264"


def test_equal_files_and_only_those_have_equal_digests(tmp_path):
    one = make_film(tmp_path / "one.mp4")
    copy = tmp_path / "copy.mp4"
    copy.write_bytes(one.read_bytes())
    other = make_film(tmp_path / "other.mp4", frame_count=49)
    assert probe(one).digest == probe(copy).digest != probe(other).digest


def test_progress_runs_to_the_end(tmp_path):
    steps = []
    for _ in scan(make_film(tmp_path / "f.mp4"), report=steps.append):
        pass
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert steps[-1].fraction == 1.0
    assert steps[0].total == pytest.approx(2.0)
