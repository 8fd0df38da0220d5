"""Transcripts written as subtitles are read back with the same words and times."""

import pytest

from storyscope.core import Span, Transcript, Word
from storyscope.transcripts import read_transcript, write_transcript
from storyscope.transcripts.writing import MAX_SECONDS, MAX_WORDS, subtitles


def said(*texts, start=0.0, each=0.4):
    return tuple(
        Word(text, Span(start + n * each, start + (n + 0.9) * each), 1.0)
        for n, text in enumerate(texts)
    )


WORDS = (*said("John", "Florence", "rides."), *said("A", "<big>", "wave", "&", "more", start=9.0))


@pytest.mark.parametrize("form", ["srt", "vtt"])
def test_a_subtitle_file_is_read_back(form, tmp_path):
    path = tmp_path / f"film.{form}"
    path.write_text(write_transcript(Transcript(WORDS, language="en"), form), encoding="utf-8")
    found = read_transcript(path)
    assert found.words[0].span.start == pytest.approx(0.0, abs=0.002)
    assert found.words[-1].span.end == pytest.approx(WORDS[-1].span.end, abs=0.002)
    assert [word.text for word in found.words][:3] == ["John", "Florence", "rides."]
    assert "wave" in [word.text for word in found.words]


def test_a_subtitle_is_short_and_never_goes_across_a_pause():
    groups = list(subtitles((*WORDS, *said(*["on"] * 60, start=20.0))))
    assert [word for group in groups for word in group][: len(WORDS)] == list(WORDS)
    assert [len(group) for group in groups[:2]] == [3, 5]
    for group in groups:
        assert len(group) <= MAX_WORDS
        assert group[-1].span.end - group[0].span.start <= MAX_SECONDS


def test_plain_text_has_a_paragraph_for_what_is_said_together():
    text = write_transcript(Transcript(WORDS, language="en"), "text")
    assert text == "John Florence rides.\n\nA <big> wave & more\n"


def test_times_past_an_hour_carry_over():
    late = Transcript(said("late", start=3725.9996), language="en")
    assert "01:02:06,000" in write_transcript(late, "srt")
