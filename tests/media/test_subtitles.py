"""Text subtitle tracks inside a video."""

import shutil
import subprocess

import pytest

from storyscope.media import ScanEnd, probe, read_subtitles, scan
from storyscope.transcripts import transcript_of_cues

CUES = """1
00:00:00,500 --> 00:00:01,500
<i>{language} polar bear</i>
is here.

2
00:00:01,600 --> 00:00:01,900
It waits.
"""
LATE = """
3
00:00:01,950 --> 00:00:09,000
Still speaking.
"""


@pytest.fixture(scope="module")
def ffmpeg():
    found = shutil.which("ffmpeg")
    if found is None:
        pytest.skip("ffmpeg is not installed, so no film with subtitles can be made")
    return found


def make(
    ffmpeg, path, *, codec, video="libx264", tracks=("eng",), options=(), offset="0", words=CUES
):
    """A film of two seconds with one subtitle track a language."""
    command = [ffmpeg, "-v", "error", "-f", "lavfi", "-i", "testsrc=d=2:s=96x54:r=25"]
    for language in tracks:
        source = path.parent / f"{language}.srt"
        source.write_text(words.format(language=language))
        command += ["-i", str(source)]
    command += ["-map", "0"]
    for number, language in enumerate(tracks, start=1):
        command += ["-map", str(number), f"-metadata:s:s:{number - 1}", f"language={language}"]
    command += ["-c:v", video, "-c:s", codec, "-output_ts_offset", offset, *options, str(path)]
    subprocess.run(command, check=True)
    return path


@pytest.mark.parametrize(
    ("name", "codec", "video"),
    [
        ("film.mkv", "srt", "libx264"),
        ("film.mp4", "mov_text", "libx264"),
        ("film.mkv", "ass", "libx264"),
        ("film.webm", "webvtt", "libvpx"),
    ],
)
def test_every_text_codec_gives_its_cues(ffmpeg, tmp_path, name, codec, video):
    film = make(ffmpeg, tmp_path / name, codec=codec, video=video)
    found = read_subtitles(film)
    first, second = found.cues
    assert first[:2] == pytest.approx((0.5, 1.5), abs=0.002)
    assert first[2].split() == ["eng", "polar", "bear", "is", "here."]
    assert second[2] == "It waits."
    words = transcript_of_cues(found.cues, source=f"track {found.index}").words
    assert [word.text for word in words][-2:] == ["It", "waits."]


def test_the_wanted_language_comes_first_and_forced_tracks_last(ffmpeg, tmp_path):
    options = ["-disposition:s:0", "forced", "-disposition:s:2", "default"]
    film = make(
        ffmpeg,
        tmp_path / "film.mkv",
        codec="srt",
        tracks=("eng", "ger", "fre"),
        options=options,
    )
    assert read_subtitles(film).language == "fre"
    assert read_subtitles(film, language="de").language == "ger"
    assert [track.language for track in probe(film).subtitles] == ["eng", "ger", "fre"]


def test_cues_are_timed_from_the_first_frame(ffmpeg, tmp_path):
    film = make(ffmpeg, tmp_path / "film.mkv", codec="srt", offset="10")
    assert read_subtitles(film).cues[0][:2] == pytest.approx((0.5, 1.5), abs=0.03)


def test_a_film_without_subtitles_has_none(ffmpeg, tmp_path):
    film = make(ffmpeg, tmp_path / "film.mkv", codec="srt", tracks=())
    assert read_subtitles(film) is None


@pytest.mark.parametrize("tracks", [(), ("eng",)])
def test_words_that_outlast_the_picture_are_no_damage(ffmpeg, tmp_path, tracks):
    film = make(ffmpeg, tmp_path / "film.mkv", codec="srt", tracks=tracks, words=CUES + LATE)
    (end,) = [item for item in scan(film) if isinstance(item, ScanEnd)]
    assert end.has_subtitles == bool(tracks)
    assert end.damaged == ""
