"""Copies of films with chapters, clips, and files next to films."""

import json
import os
import shutil
import subprocess
from dataclasses import replace
from io import BytesIO
from itertools import pairwise
from xml.etree import ElementTree

import av
import numpy as np
import pytest
from PIL import Image

from films import Tone, make_film, read_number
from storyscope.core import Keyframes, Span, Video
from storyscope.errors import FormatError, MediaError
from storyscope.formats import Entry, Timeline, find_format

TITLES = ("x" * 500, '"no", he said\nand left', "🐳 שלום")
EDGES = (0.0, 0.92, 2.0, 3.0)
VARIABLE = [0.04 * number + (0.3 if number > 30 else 0.0) for number in range(60)]
SOURCES = {
    "mp4": ("film.mp4", {}),
    "mkv": ("film.mkv", {}),
    "late": ("film.ts", {"start": 1.4}),
    "variable": ("film.mp4", {"times": VARIABLE}),
    "turned": ("film.mp4", {"rotation": 90}),
}


@pytest.fixture(scope="module", params=SOURCES)
def source(request, tmp_path_factory):
    name, made = SOURCES[request.param]
    path = tmp_path_factory.mktemp(request.param) / name
    return make_film(path, frame_count=75, sound=[Tone(seconds=3.0)], **made)


def timeline(path):
    video = Video("film", str(path), "d", EDGES[-1], 75, 25.0, 192, 108, True)
    spans = [Span(start, end) for start, end in pairwise(EDGES)]
    entries = [Entry(span, title, ("sea",)) for span, title in zip(spans, TITLES, strict=True)]
    return Timeline(video, tuple(entries))


def frames(path):
    """(number painted, seconds, rotation) of every frame."""
    with av.open(str(path)) as film:
        return [
            (read_number(frame.to_ndarray(format="rgb24")), frame.time, frame.rotation)
            for frame in film.decode(video=0)
        ]


def ffprobe(path):
    if shutil.which("ffprobe") is None:
        pytest.skip("ffprobe is not installed, so nothing reads the chapters back")
    words = ["ffprobe", "-v", "error", "-show_chapters", "-of", "json", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["chapters"]


@pytest.mark.parametrize("name", ["mp4", "mkv"])
def test_a_copy_has_the_same_frames_and_chapters_where_stories_begin(source, name, tmp_path):
    copy = tmp_path / f"copy.{name}"
    find_format(name).save(timeline(source), copy)
    before, after = frames(source), frames(copy)
    assert [each[0] for each in after] == [each[0] for each in before]
    gaps = [[b[1] - a[1] for a, b in pairwise(each)] for each in (before, after)]
    assert gaps[0] == pytest.approx(gaps[1], abs=0.0011)
    chapters = ffprobe(copy)
    first = after[0][1]
    assert [float(each["start_time"]) - first for each in chapters] == pytest.approx(
        EDGES[:-1], abs=0.002
    )
    assert [float(each["end_time"]) - first for each in chapters] == pytest.approx(
        EDGES[1:], abs=0.002
    )
    assert tuple(each["tags"]["title"] for each in chapters) == TITLES


@pytest.mark.parametrize("name", ["mp4", "mkv"])
def test_a_copy_counts_from_sound_that_leads_the_picture(name, tmp_path):
    film = make_film(
        tmp_path / "lead.mkv", frame_count=75, start=1.0, sound=[Tone(start=-0.5, seconds=3.0)]
    )
    copy = tmp_path / f"copy.{name}"
    find_format(name).save(timeline(film), copy)
    assert frames(copy)[0][1] == pytest.approx(0.5, abs=0.03)
    starts = [float(each["start_time"]) for each in ffprobe(copy)]
    assert starts == pytest.approx(EDGES[:-1], abs=0.03)


@pytest.mark.parametrize("name", ["mp4", "mkv"])
def test_packets_are_copied_as_they_are(source, name, tmp_path):
    def content(path):
        # MPEG-TS wraps every packet of sound in a header of 7 bytes.
        header = 7 if path.suffix == ".ts" else 0
        with av.open(str(path)) as film:
            return [bytes(p)[header:] for p in film.demux(film.streams.audio[0]) if p.size]

    find_format(name).save(timeline(source), tmp_path / f"copy.{name}")
    assert content(tmp_path / f"copy.{name}") == content(source)


@pytest.mark.parametrize("name", ["mp4", "mkv"])
def test_a_copy_keeps_the_metadata_of_the_film(name, tmp_path):
    film = tmp_path / "film.mkv"
    plain = make_film(
        tmp_path / "plain.mkv", sound=[Tone(), Tone(hertz=300, default=True)], frame_count=50
    )
    with av.open(str(plain)) as source, av.open(str(film), "w") as out:
        out.metadata["title"] = "The sea"
        made = [out.add_stream_from_template(stream) for stream in source.streams]
        for stream, language in zip(made[1:], ("fre", "ger"), strict=True):
            stream.metadata["language"] = language
        made[2].disposition = av.stream.Disposition.default
        for packet in source.demux():
            if packet.size:
                packet.stream = made[packet.stream.index]
                out.mux(packet)
    find_format(name).save(timeline(film), tmp_path / f"copy.{name}")
    with av.open(str(tmp_path / f"copy.{name}")) as copy:
        assert copy.metadata["title"] == "The sea"
        sounds = copy.streams.audio
        assert [sound.metadata["language"] for sound in sounds] == ["fre", "ger"]
        chosen = av.stream.Disposition.default
        assert [bool(sound.disposition & chosen) for sound in sounds] == [False, True]


def test_exact_clips_split_the_frames_at_the_stories(source, tmp_path):
    find_format("clips-exact").save(timeline(source), tmp_path / "clips")
    clips = sorted((tmp_path / "clips").iterdir())
    whole = frames(source)
    parts = [frames(clip) for clip in clips]
    assert [each[0] for part in parts for each in part] == [each[0] for each in whole]
    zero = whole[0][1]
    for part, (start, end) in zip(parts, pairwise(EDGES), strict=True):
        inside = [each for each in whole if start - 1e-3 <= each[1] - zero < end - 1e-3]
        assert [each[0] for each in part] == [each[0] for each in inside]
        assert {each[2] for each in part} == {each[2] for each in inside}
        length = inside[-1][1] - inside[0][1]
        assert part[-1][1] - part[0][1] == pytest.approx(length, abs=0.002)


def test_copied_clips_hold_their_stories_whole(source, tmp_path):
    find_format("clips").save(timeline(source), tmp_path / "clips")
    clips = sorted((tmp_path / "clips").iterdir())
    whole = frames(source)
    zero = whole[0][1]
    assert len(clips) == len(TITLES)
    for clip, (start, end) in zip(clips, pairwise(EDGES), strict=True):
        inside = {each[0] for each in whole if start - 1e-3 <= each[1] - zero < end - 1e-3}
        shown = [each[0] for each in frames(clip)]
        assert inside <= set(shown)
        assert shown[0] in range(max(0, min(inside) - 12), min(inside) + 1)


def test_clips_are_named_after_their_stories(tmp_path):
    film = make_film(tmp_path / "film.mp4", frame_count=75)
    find_format("clips").save(timeline(film), tmp_path / "clips")
    names = sorted(path.name for path in (tmp_path / "clips").iterdir())
    assert names == [f"01 {'x' * 60}.mp4", "02 no , he said and left.mp4", "03 שלום.mp4"]


def test_a_film_is_never_written_over_itself(tmp_path):
    film = make_film(tmp_path / "film.mp4")
    before = film.read_bytes()
    with pytest.raises(FormatError, match="is the video itself"):
        find_format("mp4").save(timeline(film), film)
    assert film.read_bytes() == before


def test_a_copy_that_fails_leaves_nothing_behind(tmp_path):
    text = tmp_path / "film.mp4"
    text.write_text("hello")
    with pytest.raises(MediaError, match="is not a video"):
        find_format("mkv").save(timeline(text), tmp_path / "copy.mkv")
    with pytest.raises(MediaError, match="does not exist"):
        find_format("mkv").save(timeline(tmp_path / "none.mp4"), tmp_path / "copy.mkv")
    with pytest.raises(FormatError, match=r"end in \.mkv"):
        find_format("mkv").save(timeline(text), tmp_path / "copy.avi")
    assert sorted(tmp_path.iterdir()) == [text]


def test_a_codec_that_a_container_cannot_hold_is_named(tmp_path):
    film = make_film(tmp_path / "film.mkv", codec="libvpx", b_frames=0)
    with pytest.raises(MediaError, match=r"vp8 video, which \.mp4 does not support; export to mkv"):
        find_format("mp4").save(timeline(film), tmp_path / "copy.mp4")
    find_format("mkv").save(timeline(film), tmp_path / "copy.mkv")
    assert len(ffprobe(tmp_path / "copy.mkv")) == len(TITLES)


def test_every_container_that_is_read_can_be_copied(tmp_path):
    for name, codec in (("film.ivf", "libvpx"), ("film.ts", "libx264"), ("film.obu", "libsvtav1")):
        film = make_film(tmp_path / name, codec=codec, b_frames=0, frame_count=20)
        find_format("mkv").save(timeline(film), tmp_path / f"{name}.mkv")
        assert len(frames(tmp_path / f"{name}.mkv")) == 20


@pytest.mark.skipif(not hasattr(os, "sched_getscheduler"), reason="Linux only")
def test_making_an_av1_film_does_not_make_the_tests_real_time(tmp_path):
    before = os.sched_getscheduler(0)
    make_film(tmp_path / "film.obu", codec="libsvtav1", b_frames=0, frame_count=5)
    assert os.sched_getscheduler(0) == before


def test_a_film_without_times_is_not_copied_but_can_be_cut(tmp_path):
    film = make_film(tmp_path / "film.h264", frame_count=75)
    with pytest.raises(MediaError, match="states no times for its packets; use clips-exact"):
        find_format("mkv").save(timeline(film), tmp_path / "copy.mkv")
    assert list(tmp_path.iterdir()) == [film]
    find_format("clips-exact").save(timeline(film), tmp_path / "clips")
    clips = sorted((tmp_path / "clips").iterdir())
    assert [each[0] for clip in clips for each in frames(clip)] == list(range(75))


@pytest.mark.parametrize("name", ["mp4", "mkv", "clips", "clips-exact"])
def test_a_codec_without_an_encoder_of_its_name_is_exported(name, tmp_path):
    film = make_film(tmp_path / "film.mkv", codec="libsvtav1", b_frames=0, frame_count=75)
    find_format(name).save(timeline(film), tmp_path / f"copy.{name}")
    (made,) = tmp_path.glob("copy.*")
    shown = [
        each[0]
        for path in (made, *sorted(made.glob("*")))
        if path.is_file()
        for each in frames(path)
    ]
    assert set(shown) == set(range(75))


def test_the_film_is_exported_and_not_its_cover(tmp_path):
    plain, film = make_film(tmp_path / "plain.mp4", frame_count=50), tmp_path / "film.mp4"
    cover = BytesIO()
    Image.new("RGB", (4000, 3000), (250, 0, 0)).save(cover, "JPEG")
    with av.open(str(plain)) as source, av.open(str(film), "w") as out:
        made = out.add_stream_from_template(source.streams.video[0])
        attached = out.add_stream("mjpeg", width=4000, height=3000, pix_fmt="yuvj420p")
        attached.disposition = av.stream.Disposition.attached_pic
        picture = av.Packet(cover.getvalue())
        picture.stream, picture.pts, picture.dts = attached, 0, 0
        out.mux(picture)
        for packet in source.demux():
            if packet.size:
                packet.stream = made
                out.mux(packet)
    for name in ("mp4", "clips-exact"):
        find_format(name).save(timeline(film), tmp_path / f"copy.{name}")
    assert [each[0] for each in frames(tmp_path / "copy.mp4")] == list(range(50))
    clips = sorted((tmp_path / "copy.clips-exact").iterdir())
    assert [each[0] for clip in clips for each in frames(clip)] == list(range(50))


def test_no_untrusted_film_is_opened_in_the_calling_process(tmp_path, monkeypatch):
    film = make_film(tmp_path / "film.mp4", frame_count=75)
    monkeypatch.setattr(av, "open", lambda *_, **__: pytest.fail("a film was opened here"))
    for name in ("mp4", "mkv", "clips", "clips-exact"):
        find_format(name).save(timeline(film), tmp_path / f"copy.{name}")
        assert (tmp_path / f"copy.{name}").exists()


def test_thumbnails_point_at_the_picture_of_their_time(tmp_path):
    seconds = np.array([0.5, 0.6, 2.0, 3.5, 20.0])
    colours = [(250, 0, 0), (1, 1, 1), (0, 250, 0), (0, 0, 250), (250, 250, 0)]
    pictures = Keyframes(
        np.zeros(5, np.int32), np.arange(5), seconds, tuple(jpeg(colour) for colour in colours)
    )
    line = replace(timeline(tmp_path / "film.mp4"), keyframes=pictures)
    find_format("thumbnails").save(line, tmp_path / "a film.vtt")
    blocks = (tmp_path / "a film.vtt").read_text().split("\n\n")[1:]
    assert [block.split(" --> ")[0] for block in blocks] == [
        "00:00:00.000",
        "00:00:02.000",
        "00:00:03.500",
        "00:00:20.000",
    ]
    sprite = Image.open(tmp_path / "a film.jpg")
    for block, colour in zip(blocks, [colours[0], *colours[2:]], strict=True):
        file, _, place = block.strip().splitlines()[1].partition("#xywh=")
        x, y, width, height = map(int, place.split(","))
        middle = sprite.getpixel((x + width // 2, y + height // 2))
        assert np.abs(np.subtract(middle, colour)).max() < 12
        assert file == "a%20film.jpg"


def test_thumbnails_require_pictures(tmp_path):
    with pytest.raises(FormatError, match="need the pictures of an indexed video"):
        find_format("thumbnails").save(timeline(tmp_path / "film.mp4"), tmp_path / "film.vtt")


def test_media_centres_get_markers_and_a_description(tmp_path):
    find_format("kodi").save(timeline(tmp_path / "film.mp4"), tmp_path / "film.edl")
    lines = (tmp_path / "film.edl").read_text().splitlines()
    assert lines == [f"{edge:.3f}\t{edge:.3f}\t2" for edge in EDGES[:-1]]
    movie = ElementTree.parse(tmp_path / "film.nfo").getroot()
    assert movie.findtext("title") == "film"
    assert movie.findtext("plot").splitlines()[1] == '0:00 "no", he said and left'
    assert [tag.text for tag in movie.findall("tag")] == ["sea"]


def jpeg(colour):
    out = BytesIO()
    Image.new("RGB", (320, 180), colour).save(out, "JPEG", quality=95)
    return out.getvalue()
