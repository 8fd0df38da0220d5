"""Caption formats of broadcasters and archives, compared with other readers."""

import struct
from contextlib import suppress
from pathlib import Path

import pycaption
import pysubs2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope.core import Transcript
from storyscope.errors import TranscriptError
from storyscope.transcripts import read_transcript
from storyscope.transcripts.files import parse_cues
from storyscope.transcripts.older_formats import microdvd_cues, sami_cues
from storyscope.transcripts.scc import scc_cues

WORDS = st.sampled_from(["Hello there", "The whale sings", "Bye", "Sand", "It is raining"])
LINES = st.lists(
    st.tuples(
        st.integers(0, 3_000_000), st.integers(500, 8_000), st.lists(WORDS, min_size=1, max_size=2)
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda line: line[0],
)


def subtitles(lines):
    """The same cues as pysubs2 has them, in order and without overlaps."""
    file = pysubs2.SSAFile()
    after = 0
    for start, length, words in sorted(lines):
        begin = max(start, after)
        after = begin + length
        file.append(pysubs2.SSAEvent(start=begin, end=after, text="\\N".join(words)))
        after += 200
    return file


@given(LINES, st.sampled_from([23.976, 25.0, 29.97]))
def test_microdvd_is_read_as_pysubs2_reads_it(lines, rate):
    text = subtitles(lines).to_string("microdvd", fps=rate)
    theirs = pysubs2.SSAFile.from_string(text, format_="microdvd", strict_fps_inference=False)
    found, _ = microdvd_cues(text)
    assert [cue.text for cue in found] == [event.plaintext for event in theirs]
    for cue, event in zip(found, theirs, strict=True):
        assert cue.start == pytest.approx(event.start / 1000, abs=0.002)
        assert cue.end == pytest.approx(event.end / 1000, abs=0.002)


def test_microdvd_without_a_rate_counts_the_frames_of_its_video(tmp_path):
    path = tmp_path / "film.sub"
    path.write_text("{50}{100}{y:i}Hello|there\n")
    words = read_transcript(path, fps=25.0).words
    assert [word.text for word in words] == ["Hello", "there"]
    assert words[0].span.start == 2.0


@given(LINES)
def test_sami_is_read_as_it_was_written(lines):
    file = subtitles(lines)
    body = "".join(
        f"<SYNC Start={event.start}><P Class=ENCC>{event.text.replace(chr(92) + 'N', '<br>')}"
        f"<SYNC Start={event.end}><P Class=ENCC>&nbsp;\n"
        for event in file
    )
    style = "<STYLE><!-- .ENCC { name: English; lang: en-US; } --></STYLE>"
    found, language = sami_cues(f"<SAMI><HEAD>{style}</HEAD><BODY>{body}</BODY></SAMI>")
    assert language == "en"
    assert [(cue.start, cue.end) for cue in found] == [(e.start / 1000, e.end / 1000) for e in file]
    assert [cue.text for cue in found] == [event.plaintext for event in file]


def test_sami_of_two_languages_is_read_in_the_first():
    text = (
        "<SAMI><BODY><SYNC Start=0><P Class=FRCC>Bonjour<P Class=ENCC>Hello"
        "<SYNC Start=1000><P Class=ENCC>Bye<SYNC Start=2000><P Class=FRCC>Salut</BODY></SAMI>"
    )
    found, _ = sami_cues(text)
    assert [(cue.start, cue.text) for cue in found] == [(0, "Bonjour"), (2, "Salut")]


def test_sbv_is_read():
    text = "0:00:01.000,0:00:03.500\nHello there\nsecond line\n\n0:01:00.000,0:01:02.000\nBye\n"
    found, _ = parse_cues(text)
    assert [(cue.start, cue.end, cue.text) for cue in found] == [
        (1.0, 3.5, "Hello there\nsecond line"),
        (60.0, 62.0, "Bye"),
    ]


def scc(*lines):
    """A caption file of (time, control codes, text or control codes...) lines, with odd parity."""
    written = []
    for time, *parts in lines:
        words = []
        for part in parts:
            if part.startswith("#"):
                words += [part[1:]] * 2
            else:
                codes = [with_parity(ord(c)) for c in part.ljust(len(part) + len(part) % 2, "\0")]
                words += ["".join(pair) for pair in zip(codes[::2], codes[1::2], strict=True)]
        written.append(f"{time}\t{' '.join(words)}\n")
    return "\n".join(["Scenarist_SCC V1.0\n", *written])


def with_parity(code):
    return f"{code if code.bit_count() % 2 else code | 0x80:02x}"


SCC = scc(
    ("00:00:01;00", "#9420", "#9470", "Hello there", "#942f"),
    ("00:00:04;00", "#942c"),
    ("00:00:05;00", "#9420", "#94d0", "The ocean", "#9470", "is blue.", "#942f"),
    ("00:00:08;15", "#942c"),
)


def test_scc_is_read_as_pycaption_reads_it():
    theirs = pycaption.SCCReader().read(SCC).get_captions("en-US")
    found, _ = scc_cues(SCC)
    assert [cue.text.split() for cue in found] == [c.get_text().split() for c in theirs]
    assert [cue.text for cue in found] == ["Hello there", "The ocean\nis blue."]
    for cue, caption in zip(found, theirs, strict=True):
        assert cue.start == pytest.approx(caption.start / 1e6, abs=0.6)
        assert cue.end == pytest.approx(caption.end / 1e6, abs=0.1)


def test_rolling_captions_are_said_line_by_line():
    text = scc(
        ("00:00:01:00", "#9425", "#94ad", "#9470", "Hello"),
        ("00:00:03:00", "#94ad", "#9470", "Bye"),
        ("00:00:05:00", "#942c"),
    )
    found, _ = scc_cues(text)
    assert [cue.text for cue in found] == ["Hello", "Bye"]
    assert found[0].start < 1.1
    assert found[1].end == pytest.approx(5.0, abs=0.1)


def ebu_stl(blocks, *, rate=b"STL25.01", start=b"10000000", table=b"00"):
    """An EBU STL file: (start, end, text) with times as (hour, minute, second, frame)."""
    header = bytearray(b" " * 1024)
    header[0:3], header[3:11], header[12:14], header[14:16] = b"850", rate, table, b"09"
    header[256:264] = start
    parts = [bytes(header)]
    for number, (begin, end, text) in enumerate(blocks):
        head = struct.pack("<BHBB4B4BBBB", 0, number, 0xFF, 0, *begin, *end, 20, 2, 0)
        parts.append(head + text.ljust(112, b"\x8f"))
    return b"".join(parts)


def test_ebu_stl_counts_from_the_start_of_its_programme(tmp_path):
    path = tmp_path / "film.stl"
    path.write_bytes(
        ebu_stl(
            [
                ((10, 0, 1, 0), (10, 0, 3, 5), b"\x0b\x0bCaf\xc2e au lait\x8asecond line"),
                ((10, 1, 0, 0), (10, 1, 2, 0), b"Stra\xfbe"),
            ]
        )
    )
    words = read_transcript(path)
    assert isinstance(words, Transcript)
    assert [word.text for word in words.words] == ["Café", "au", "lait", "second", "line", "Straße"]
    assert words.words[0].span.start == pytest.approx(1.0)
    assert words.words[4].span.end == pytest.approx(3.2)


def test_ebu_stl_of_an_unknown_rate_is_refused(tmp_path):
    path = tmp_path / "film.stl"
    path.write_bytes(ebu_stl([], rate=b"STL99.01"))
    with pytest.raises(TranscriptError, match="24, 25 or 30"):
        read_transcript(path)


@given(st.binary(max_size=600))
def test_no_bytes_break_the_reader_of_ebu_stl(tmp_path_factory, noise):
    path = Path(tmp_path_factory.getbasetemp()) / "noise.stl"
    path.write_bytes(ebu_stl([((10, 0, 1, 0), (10, 0, 3, 0), b"Hello")]) + noise)
    words = read_transcript(path).words
    assert "Hello" in [word.text for word in words]
    assert all(0 <= word.span.start <= word.span.end for word in words)


def test_more_text_than_can_be_said_is_refused(tmp_path):
    path = tmp_path / "film.srt"
    path.write_text("1\n00:00:00,000 --> 00:00:02,000\n" + "word " * 200_000)
    with pytest.raises(TranscriptError, match="more than can be spoken in 2 seconds"):
        read_transcript(path, duration=2.0)


@pytest.mark.parametrize(
    "text",
    [
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<" + "a" * 2_000_000,
        "1\n00:00:01,000 --> 00:00:02,000\n" + "<b" * 500_000,
        "1\n00:00:01,000 --> 00:00:02,000\n" + "{" * 1_000_000,
        "1\n00" + " " * 1_000_000 + ":00:01,000 --> 00:00:02,000\nHello\n",
        "<SAMI>" + "<SYNC " * 200_000,
        "{1}{2}" + "{" * 1_000_000,
        "0:00:01.000,0:00:02.000\n" + "x" * 2_000_000,
    ],
    ids=range(7),
)
def test_no_line_costs_the_square_of_its_length(text):
    with suppress(TranscriptError):
        cues, _ = parse_cues(text)
        assert len(cues) <= 1
