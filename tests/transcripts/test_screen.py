"""On-screen text is recognised by the real model."""

import io
import sys
from itertools import groupby, pairwise

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from storyscope.concepts import title_stories
from storyscope.core import Keyframes, Shot, Span, Story, Transition
from storyscope.errors import MissingDependency
from storyscope.transcripts import read_screen
from storyscope.transcripts.screen import load_reader


def picture(*lines):
    image = Image.new("RGB", (456, 256), (40, 70, 90))
    draw = ImageDraw.Draw(image)
    for row, (text, size) in enumerate(lines):
        draw.text((30, 60 + 70 * row), text, fill="white", font=ImageFont.load_default(size))
    data = io.BytesIO()
    image.save(data, "JPEG", quality=90)
    return data.getvalue()


def keyframes(*shown):
    """(shot, seconds, lines) each."""
    return Keyframes(
        shots=np.array([shot for shot, _, _ in shown], dtype=np.int32),
        frames=np.arange(len(shown)),
        seconds=np.array([seconds for _, seconds, _ in shown], dtype=float),
        pictures=tuple(picture(*lines) for _, _, lines in shown),
    )


def screen_lines(screen):
    """Consecutive words with the same times are one line."""
    for span, words in groupby(screen.words, key=lambda word: word.span):
        yield " ".join(word.text for word in words), span


def shots_of(*edges):
    return [
        Shot(Span(a, b), range(i, i + 1), Transition("cut", i, i))
        for i, (a, b) in enumerate(pairwise(edges))
    ]


class Script:
    """A fake reader with given text for each picture."""

    def __init__(self, *answers):
        self.answers = iter(answers)

    def __call__(self, rgb):
        assert rgb.shape == (256, 456, 3)
        return next(self.answers)


def test_a_title_and_a_caption_are_read():
    pytest.importorskip("rapidocr", reason="the extra `ocr` is not installed")
    frames = keyframes(
        (0, 1.0, [("THE FROZEN PLANET", 36), ("Dr. Helen Marsh, Biologist", 18)]), (1, 8.0, [])
    )
    screen = read_screen(frames, shots_of(0.0, 5.0, 10.0))
    lines = dict(screen_lines(screen))
    assert set(lines) == {"THE FROZEN PLANET", "Dr. Helen Marsh, Biologist"}
    assert screen.source == "screen"
    assert lines["THE FROZEN PLANET"] == Span(0.0, 5.0)
    assert all(word.confidence > 0.8 for word in screen.words)


def test_a_line_lasts_as_long_as_its_pictures():
    frames = keyframes((0, 1.0, []), (0, 3.0, []), (0, 5.0, []), (1, 12.0, []))
    reader = Script([("BREAKING NEWS", 0.9)], [("BREAKING NEWS", 0.9)], [], [("Rome", 0.9)])
    screen = read_screen(frames, shots_of(0.0, 10.0, 15.0), reader=reader)
    assert list(screen_lines(screen)) == [
        ("BREAKING NEWS", Span(0.0, 4.0)),
        ("Rome", Span(10.0, 15.0)),
    ]


def test_lines_of_one_picture_stay_apart_and_in_order():
    frames = keyframes((0, 1.0, []))
    reader = Script([("FROZEN PLANET", 0.9), ("Part one", 0.9)])
    screen = read_screen(frames, shots_of(0.0, 10.0), reader=reader)
    assert [text for text, _ in screen_lines(screen)] == ["FROZEN PLANET", "Part one"]


def test_what_is_hardly_legible_or_no_word_is_left_out():
    frames = keyframes((0, 1.0, []))
    reader = Script([("smudge", 0.4), ("12:30", 0.99), ("x", 0.99), ("Rome", 0.99)])
    screen = read_screen(frames, shots_of(0.0, 10.0), reader=reader)
    assert screen.text() == "Rome"


def test_titles_read_the_screen_line_by_line():
    frames = keyframes((0, 1.0, []))
    reader = Script([("FROZEN PLANET", 0.9), ("Helen Marsh", 0.9)])
    shots = shots_of(0.0, 10.0)
    screen = read_screen(frames, shots, reader=reader)
    ((title, keywords, _),) = title_stories(
        [Story("f/0", "f", range(1), Span(0.0, 10.0))], screen=screen
    )
    assert title == "Frozen planet, Helen Marsh"
    assert keywords == ("frozen planet", "Helen Marsh")


def test_without_rapidocr_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    load_reader.cache_clear()
    with pytest.raises(MissingDependency, match=r"storyscope\[ocr\]"):
        read_screen(keyframes(), shots_of(0.0, 1.0))
    load_reader.cache_clear()
