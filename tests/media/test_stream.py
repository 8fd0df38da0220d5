"""Streams replace films that browsers cannot play: the same frames, from any time."""

import io

import av
import pytest

from films import Tone, make_film, read_number
from storyscope.config import MediaConfig
from storyscope.decoder import streaming
from storyscope.decoder.container import Terms
from storyscope.decoder.decode import find_opening
from storyscope.errors import MediaError
from storyscope.media import read_codecs, stream

KINDS = {
    "film.avi": {"codec": "mpeg4", "sound": [Tone(codec="libmp3lame")]},
    "film.ts": {"codec": "mpeg2video", "sound": [Tone(codec="mp2")]},
    "film.mkv": {"codec": "libx265", "sound": []},
    "film.mov": {"codec": "prores", "pix_fmt": "yuv422p10le", "sound": [Tone(codec="pcm_s16le")]},
}


def numbers_in(data):
    """The numbers painted into the frames of a stream."""
    with av.open(io.BytesIO(data)) as film:
        return [read_number(frame.to_ndarray(format="rgb24")) for frame in film.decode(video=0)]


@pytest.mark.parametrize("name", KINDS)
def test_a_stream_shows_the_frames_of_the_film_from_any_time_on(tmp_path, name):
    film = make_film(tmp_path / name, frame_count=50, fps=25, **KINDS[name])
    for start, first in ((0.0, 0), (1.0, 25), (1.5, 37)):
        with stream(film, start=start) as (kind, pieces):
            shown = numbers_in(b"".join(pieces))
        assert kind == "video/mp4"
        assert shown == list(range(first, 50))


def test_sound_is_there_and_keeps_step_with_the_picture(tmp_path):
    film = make_film(tmp_path / "film.avi", frame_count=50, fps=25, **KINDS["film.avi"])
    with stream(film, start=0.5) as (_, pieces):
        data = b"".join(pieces)
    with av.open(io.BytesIO(data)) as made:
        assert [each.codec_context.name for each in made.streams] == ["h264", "aac"]
        assert made.streams.audio[0].codec_context.sample_rate == 48_000
        ends = {}
        for packet in made.demux():
            if packet.pts is not None:
                seconds = float((packet.pts + packet.duration) * packet.time_base)
                ends[packet.stream.type] = max(seconds, ends.get(packet.stream.type, 0.0))
    assert ends["video"] == pytest.approx(1.5, abs=0.15)
    assert ends["audio"] == pytest.approx(ends["video"], abs=0.15)


def test_a_film_held_sideways_is_streamed_upright_and_a_high_one_smaller(tmp_path):
    film = make_film(tmp_path / "film.mp4", frame_count=4, size=(192, 108), rotation=90)
    with stream(film) as (_, pieces), av.open(io.BytesIO(b"".join(pieces))) as made:
        assert (made.streams.video[0].width, made.streams.video[0].height) == (108, 192)
    film = make_film(tmp_path / "high.mp4", frame_count=2, size=(1920, 1080))
    with stream(film) as (_, pieces), av.open(io.BytesIO(b"".join(pieces))) as made:
        assert (made.streams.video[0].width, made.streams.video[0].height) == (1280, 720)


def test_without_an_encoder_for_h264_the_stream_is_webm(tmp_path, monkeypatch):
    class Outlet:
        def __init__(self):
            self.facts, self.data = {}, b""

        def note(self, facts):
            self.facts = facts

        def piece(self, data):
            self.data += bytes(data)

        def alive(self):
            pass

    film = make_film(tmp_path / "film.avi", frame_count=30, **KINDS["film.avi"])
    monkeypatch.setattr(streaming, "RECIPES", streaming.RECIPES[1:])
    outlet = Outlet()
    terms = Terms(MediaConfig().max_pixels, 1, outlet.alive)
    opening = find_opening(str(film), terms)
    streaming.stream(str(film), opening, terms, 0.4, outlet)
    assert outlet.facts == {"type": "video/webm"}
    assert numbers_in(outlet.data) == list(range(10, 30))
    monkeypatch.setattr(streaming, "RECIPES", ())
    with pytest.raises(streaming.Refusal, match="no encoder"):
        streaming.stream(str(film), opening, terms, 0.0, outlet)


def test_what_cannot_be_streamed_is_refused_before_a_byte_is_sent(tmp_path):
    text = tmp_path / "film.avi"
    text.write_text("not a film")
    with pytest.raises(MediaError, match="not a video"), stream(text):
        pass
    film = make_film(tmp_path / "short.avi", frame_count=5, codec="mpeg4", sound=[])
    with pytest.raises(MediaError, match="no frames after 60 s"), stream(film, start=60.0):
        pass


def test_a_file_says_what_it_is_coded_in(tmp_path):
    film = make_film(tmp_path / "film.avi", frame_count=5, **KINDS["film.avi"])
    assert read_codecs(film).picture == "mpeg4"
    assert read_codecs(film).container == "avi"
    assert read_codecs(film).sound.startswith("mp3")
    with pytest.raises(MediaError):
        read_codecs(tmp_path / "nowhere.avi")
