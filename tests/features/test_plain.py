"""Blank pictures and title cards are distinguished from other pictures."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from storyscope.core import Keyframes
from storyscope.features import (
    blank_shots,
    closing_lettering,
    is_blank,
    is_lettered,
    shots_of_lettering,
    to_jpeg,
)

NAMES = "Directed by Helen Marsh and by Anna Example, music by the Island Orchestra"


def plain(level):
    return np.full((180, 320, 3), level, np.uint8)


def credits(ground=0, ink=255, lines=6):
    image = Image.fromarray(plain(ground))
    for line in range(lines):
        ImageDraw.Draw(image).text((20, 15 + 26 * line), NAMES[:44], fill=(ink,) * 3)
    return np.asarray(image)


def moon():
    image = Image.fromarray(plain(8))
    ImageDraw.Draw(image).ellipse((120, 50, 200, 130), fill=(230, 230, 220))
    return np.asarray(image)


def scene():
    return np.random.default_rng(0).integers(0, 256, (180, 320, 3), dtype=np.uint8)


def keyframes(*pictures):
    count = len(pictures)
    coded = [to_jpeg(picture) for picture in pictures]
    numbers = np.arange(count, dtype=np.int32)
    return Keyframes(numbers, numbers, numbers * 5.0, coded)


@pytest.mark.parametrize("level", [0, 16, 128, 255])
def test_a_picture_of_one_colour_is_blank(level):
    assert is_blank(plain(level))
    assert not is_lettered(plain(level))


@pytest.mark.parametrize("card", [credits(), credits(255, 0), credits(lines=1)])
def test_letters_on_a_plain_ground_are_a_title_card(card):
    assert is_lettered(card)


@pytest.mark.parametrize("picture", [moon(), scene()])
def test_what_shows_something_is_neither(picture):
    assert not is_blank(picture)
    assert not is_lettered(picture)


def test_shots_are_blank_or_lettered_when_all_their_keyframes_are():
    frames = keyframes(plain(0), scene(), credits(), scene(), plain(0), credits(), credits())
    assert blank_shots(frames, 7).tolist() == [True, False, False, False, True, False, False]
    assert shots_of_lettering(frames, range(7)) == {0, 2, 4, 5, 6}
    assert closing_lettering(frames, 7) == 4


def test_a_shot_with_one_picture_that_shows_something_is_not_blank():
    pictures = [to_jpeg(plain(0)), to_jpeg(moon())]
    frames = Keyframes(np.zeros(2, np.int32), np.arange(2), np.arange(2.0), pictures)
    assert not blank_shots(frames, 1).any()
    assert closing_lettering(frames, 1) == 1
