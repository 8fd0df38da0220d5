"""Speakers are detected on request, named, searched by name, and deleted."""

import shutil

import numpy as np
import pytest

from storyscope import Library
from storyscope.core import Span, Transcript, Word
from storyscope.errors import TranscriptError, UnknownName
from storyscope.library import speakers
from storyscope.search import Filter


class Loudness:
    """An encoder for which loud sound is one voice and quiet sound another."""

    def encode(self, samples):
        return np.array([1.0, 0.0] if np.abs(samples).max() > 0.5 else [0.0, 1.0], np.float32)


@pytest.fixture
def library(indexed, tmp_path, monkeypatch):
    opened = Library(shutil.copytree(indexed, tmp_path / "library"))
    first, *_, last = opened.stories("film")
    starts = (first.span.start + 0.2, last.span.end - 1.4)
    words = tuple(Word("hello", Span(start, start + 1.2)) for start in starts)
    sound = np.full(round(last.span.end * 16_000), 0.1, np.float32)
    sound[: round(first.span.end * 16_000)] = 0.9
    half = len(sound) // 2
    chunks = [
        speakers.SoundChunk(0.0, sound[:half]),
        speakers.SoundChunk(half / 16_000, sound[half:]),
    ]
    monkeypatch.setattr(speakers, "load_voice_encoder", Loudness)
    monkeypatch.setattr(speakers, "read_sound", lambda path, config: iter(chunks))
    load = opened.store.load

    def with_words(video, artefact):
        said = Transcript(words, source="speech")
        return said if artefact == speakers.TRANSCRIPT else load(video, artefact)

    monkeypatch.setattr(opened.store, "load", with_words)
    return opened


def test_speakers_are_found_named_searched_and_forgotten(library):
    assert library.speakers("film") == []
    library.find_speakers("film")
    assert [row["name"] for row in library.speakers("film")] == ["", ""]
    loud = next(row for row in library.speakers("film") if row["turns"][0][0] < 1)
    library.name_speakers("film", {loud["speaker"]: "Ann"})
    first = library.stories("film")[0]
    (hit,) = library.search("ann")
    assert hit.story == first
    assert hit.evidence == "Speaker, 0:00: ann (1 s)"
    assert library.speaker_names() == ["Ann"]
    assert library.search("ann", only=Filter(longest=0.1)) == []
    everything = library.search("camel")
    heard = library.search("camel", only=Filter(speaker="Ann"))
    assert heard == [found for found in everything if found.story == first]
    library.forget_speakers("film")
    assert library.speakers("film") == []
    with pytest.raises(UnknownName, match="no speaker called 'Ann'"):
        library.search("camel", only=Filter(speaker="Ann"))


def test_wrong_numbers_and_films_without_words_are_refused(library, monkeypatch):
    library.find_speakers("film")
    with pytest.raises(UnknownName, match="no speaker 7; its speakers are: 1, 2"):
        library.name_speakers("film", {7: "Bob"})
    load = library.store.load
    silent = lambda video, a: None if a == speakers.TRANSCRIPT else load(video, a)  # noqa: E731
    monkeypatch.setattr(library.store, "load", silent)
    with pytest.raises(TranscriptError, match="film has no transcript"):
        library.find_speakers("film")


def test_what_is_known_of_speakers_goes_with_the_video(library):
    library.find_speakers("film")
    library.remove("film")
    assert "film" not in speakers.SPEAKERS.document.read(library.store)
