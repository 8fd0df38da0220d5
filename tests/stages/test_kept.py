"""A run without options keeps the results of a run with options."""

import pytest

from storyscope.config import Config, TranscriptConfig
from storyscope.core import Span, Transcript, Video, Word
from storyscope.stages.executor import LocalExecutor, Stage, given
from storyscope.stages.kept import kept, ways_to_listen, ways_to_read_screens
from storyscope.store import SCREEN, TRANSCRIPT, SqliteStore, VideoRecord

FILM = (given("film.mp4", key="digest"),)
WORDS = Transcript((Word("Ciao", Span(0.0, 1.0)),), language="it", source="speech")


@pytest.fixture
def store(tmp_path):
    store = SqliteStore(tmp_path)
    film = Video("film", "/film.mp4", "d", 1.0, 24, 24.0, 64, 36, False)
    store.put_record(VideoRecord(film, "indexing", 1, 1))
    return store


def listen(store, config):
    """The speech settings of an `add` with this configuration."""
    stage = Stage(TRANSCRIPT, 1, lambda film, settings, *, report: WORDS)
    settings = kept(store, "film", stage, FILM, ways_to_listen(config, store, "film"))
    LocalExecutor(store, "film")(stage, *FILM, settings=settings)
    return settings


def config_with(**settings):
    return Config(transcripts=TranscriptConfig(**settings))


@pytest.fixture
def nothing_installed(monkeypatch):
    monkeypatch.setattr("storyscope.stages.indexing.check_speech", lambda name: None)
    monkeypatch.setattr("storyscope.transcripts.speech.find_spec", lambda name: None)


@pytest.mark.parametrize("language", ["auto", "it"])
def test_a_plain_run_keeps_the_transcript_of_a_model(store, nothing_installed, language):
    named = listen(store, config_with(speech="whisper-base", language=language))
    assert listen(store, Config()) == named
    store.outdate_artefacts("film")
    assert listen(store, Config()).speech == "off"


def test_an_explicit_model_or_off_is_respected(store, nothing_installed):
    listen(store, config_with(speech="whisper-base"))
    assert listen(store, config_with(speech="whisper-tiny.en")).speech == "whisper-tiny.en"
    assert listen(store, config_with(speech="off")).speech == "off"


def test_what_was_read_on_screen_once_is_kept(store):
    stage = Stage(SCREEN, 1, lambda film, settings, *, report: WORDS)
    ways = ways_to_read_screens(Config())
    assert kept(store, "film", stage, FILM, ways) == "off"
    LocalExecutor(store, "film")(stage, *FILM, settings="on")
    assert kept(store, "film", stage, FILM, ways) == "on"
