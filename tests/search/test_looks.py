"""Shots are encoded once, long ones more often, and blank pictures never."""

from itertools import pairwise

import numpy as np
import pytest

from storyscope.core import Keyframes, Looks, Shot, Span, Transition
from storyscope.search import looks as looking
from storyscope.search.looks import (
    candidates,
    image_vectors,
    look_at_keyframes,
    most_looks,
    most_varied,
)


class Brightness:
    """An encoder that returns the brightness of a picture."""

    producer = "brightness"

    def __init__(self):
        self.seen = []

    def encode_images(self, pictures):
        self.seen += [float(picture.mean()) for picture in pictures]
        return np.array([[picture.mean() / 255, 1.0] for picture in pictures])

    def comparable(self, pictures):
        return pictures

    def encode_texts(self, texts):
        return np.tile([[1.0, 0.0], [0.0, 1.0]], (len(texts), 1))[: len(texts)]


@pytest.fixture
def network(monkeypatch, tmp_path):
    monkeypatch.setenv("STORYSCOPE_CACHE", str(tmp_path))
    network = Brightness()
    monkeypatch.setattr(looking, "load_image_text", lambda name: network)
    return network


def film(*lengths, per_shot=3):
    """Shots of these seconds, each with keyframes at equal distances."""
    edges = np.concatenate([[0], np.cumsum(lengths)])
    cut = Transition("cut", 0, 0)
    shots = [
        Shot(Span(a, b), range(int(25 * a), int(25 * b)), cut if a else Transition("start", 0, 0))
        for a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]
    seconds = [a + (k + 0.5) / per_shot * (b - a) for a, b in pairwise(edges)
               for k in range(per_shot)]  # fmt: skip
    numbers = np.repeat(np.arange(len(lengths)), per_shot).astype(np.int32)
    frames = (25 * np.array(seconds)).astype(np.int64)
    return Keyframes(numbers, frames, np.array(seconds), ()), shots


def picture(level, noise=40):
    rng = np.random.default_rng(level)
    return np.clip(level + rng.normal(0, noise, (36, 64, 3)), 0, 255).astype(np.uint8)


def test_a_short_shot_is_looked_at_once_and_a_long_one_more_often():
    keyframes, shots = film(3.0, 30.0, per_shot=6)
    groups = candidates(keyframes, shots)
    assert len(groups) == 1 + 3
    assert sorted(row for group in groups for row in group) == list(range(12))
    assert groups[0][0] in (2, 3), "the middle of the shot comes first"


def test_blank_pictures_are_passed_over(network):
    keyframes, shots = film(3.0, 3.0)
    blank = np.zeros((36, 64, 3), np.uint8)
    pictures = [picture(100), blank, blank, blank, blank, blank]
    looks = look_at_keyframes("any", keyframes, shots, pictures)
    assert looks.rows.tolist() == [0]
    assert len(network.seen) == 1
    assert looks.producer == "brightness"


def test_pictures_that_are_the_same_are_looked_at_once(network):
    keyframes, shots = film(*[3.0] * 6, per_shot=1)
    near, far = picture(80), picture(200)
    looks = look_at_keyframes("any", keyframes, shots, [near, far] * 3)
    assert looks.rows.tolist() == list(range(6))
    assert len(network.seen) == 2
    np.testing.assert_array_equal(looks.vectors, np.tile(looks.vectors[:2], (3, 1)))
    assert looks.vectors[0, 0] < looks.vectors[1, 0]


def test_a_film_is_looked_at_so_many_times_a_minute_and_the_rest_borrow_from_the_nearest():
    rng = np.random.default_rng(0)
    centres = rng.uniform(0, 255, (5, 432)).astype(np.float32)
    layouts = np.repeat(centres, 4, axis=0) + rng.normal(0, 5, (20, 432)).astype(np.float32)
    chosen, stands_for = most_varied(layouts, 5)
    assert sorted(place // 4 for place in chosen) == [0, 1, 2, 3, 4]
    assert [chosen[place] // 4 for place in stands_for] == [n // 4 for n in range(20)]
    everything, own = most_varied(layouts, 50)
    assert sorted(everything) == list(range(20))
    assert [everything[place] for place in own] == list(range(20))


def test_the_number_of_looks_follows_the_length_of_the_film():
    assert most_looks(60 * 60.0) - most_looks(30 * 60.0) == 30 * 5
    assert most_looks(0.0) == 100


def test_a_film_of_few_frames_a_second_is_looked_at_no_more_often_than_its_frames_are_worth():
    hour = 3600.0
    assert most_looks(hour, frames=90_000) == most_looks(hour) == 400
    assert most_looks(hour, frames=360) == 106


def test_a_film_of_nothing_but_black_has_no_looks(network):
    keyframes, shots = film(3.0)
    looks = look_at_keyframes("any", keyframes, shots, [np.zeros((36, 64, 3), np.uint8)] * 3)
    assert len(looks.rows) == 0
    assert network.seen == []


def test_a_keyframe_takes_the_nearest_look_at_its_own_shot(network):
    keyframes, _ = film(30.0, 3.0)
    vectors = np.array([[1.0, 0.0], [0.0, 1.0]], np.float16)
    images = image_vectors("any", Looks(np.array([0, 2]), vectors, "b"), keyframes)
    found, around = images.vectors, images.backgrounds
    assert found[:3].tolist() == [[1, 0], [1, 0], [0, 1]]
    assert not found[3:].any()
    assert (around[:3, 1] > 0).all()
    assert not around[3:].any()
