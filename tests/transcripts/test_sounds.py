"""Recognised sounds become searchable words."""

from dataclasses import replace

import numpy as np
import pytest

from storyscope.core import SOUND_MARK, SoundChunk, Span, Story
from storyscope.errors import MissingDependency
from storyscope.search.hits import find_matches, word_evidence
from storyscope.search.query import QueryVectors
from storyscope.transcripts import chosen_sounds, hear_sounds
from storyscope.transcripts.listening import RATE
from storyscope.transcripts.sounds import (
    PATCH_SECONDS,
    load_tagger,
    log_mel_patches,
    mel_filters,
    sound_kinds,
)
from tests.helpers.passages import passages

KINDS = ("Speech", "Dog", "Bark", "Applause")


def tone(hertz, seconds):
    return np.sin(2 * np.pi * hertz * np.arange(round(RATE * seconds)) / RATE).astype(np.float32)


def hear(*patches):
    """The words for a film whose patches have these probabilities."""
    samples = np.zeros(round(len(patches) * PATCH_SECONDS * RATE), np.float32)
    rest = list(patches)

    def tagger(piece):
        count = max(1, round(len(piece) / RATE / PATCH_SECONDS))
        part, rest[:] = rest[:count], rest[count:]
        return np.array(part)

    return hear_sounds(
        [SoundChunk(0.0, samples)],
        duration=len(patches) * PATCH_SECONDS,
        tagger=tagger,
        kinds=KINDS,
    ).words


def test_all_that_is_heard_at_a_time_is_one_word_the_surest_first():
    quiet, barking = (0.9, 0.1, 0.0, 0.0), (0.2, 0.6, 0.8, 0.0)
    (word,) = hear(quiet, quiet, barking, quiet)
    assert word.text == "bark, dog"
    assert word.span.start == pytest.approx(2 * PATCH_SECONDS)
    assert word.confidence == 0.8


def test_speech_and_what_is_unsure_are_not_named():
    assert hear((0.99, 0.4, 0.2, 0.1)) == ()


def test_each_ten_seconds_are_named_on_their_own():
    clapping = (0.0, 0.0, 0.0, 0.7)
    assert [word.text for word in hear(*[clapping] * 25)] == ["applause"] * 3


def test_what_is_heard_nearly_always_is_not_named():
    clapping, barking = (0.0, 0.0, 0.0, 0.7), (0.0, 0.9, 0.0, 0.7)
    words = hear(*[clapping] * 150, *[barking] * 30)
    assert {word.text for word in words} == {"dog"}
    assert all(word.span.start >= 140 * PATCH_SECONDS for word in words)


@pytest.mark.parametrize("hertz", [300, 1000, 4000])
def test_a_tone_is_loudest_in_the_band_around_it(hertz):
    patches = log_mel_patches(tone(hertz, 2.2))
    assert patches.shape == (2, 96, 64)
    nearest = mel_filters()[round(hertz / (RATE / 2) * 256)].argmax()
    assert abs(patches.mean(axis=(0, 1)).argmax() - nearest) <= 1


def test_less_than_a_patch_of_sound_is_filled_with_silence():
    assert log_mel_patches(tone(500, 0.1)).shape == (1, 96, 64)


def test_without_the_model_nothing_is_named_and_the_command_is(monkeypatch, tmp_path):
    monkeypatch.setenv("STORYSCOPE_MODELS", str(tmp_path))
    assert chosen_sounds("auto") == "off"
    with pytest.raises(MissingDependency, match="storyscope models get sounds"):
        load_tagger.__wrapped__()


def test_a_sound_is_found_and_shown_as_one():
    heard = replace(
        passages("a walk"), screen_texts=("EXIT", f"{SOUND_MARK}bark, dog"), screen_seconds=(9, 9.5)
    )
    story = Story("film/1", "film", range(1), Span(0, 20))
    matches = find_matches(heard, story, np.array([0.0, 0.0, 1.0]))
    found = word_evidence(matches, heard, story, QueryVectors())
    assert found == ("Sound", "0:09: “bark, dog”")


def test_the_network_knows_a_beep(fetched_sounds):
    words = hear_sounds([SoundChunk(0.0, 0.5 * tone(1000, 4))], duration=4.0).words
    assert len(sound_kinds()) == 521
    assert words[0].text == "beep, bleep"
