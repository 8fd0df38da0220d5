"""The paper's two rankers on the same pairs."""

import numpy as np
import pytest

from storyscope.core import Keyframes, Segmentation, VisionOutput
from storyscope.errors import AnnotationError
from storyscope.experiments.aesthetics import marked_frames, rank_videos, ranker_of_marks

SHOTS = [(10 * shot, 10 * shot + 10) for shot in range(16)]
STORIES = Segmentation((0, 8), 16)
MARKS = (0, 1, 2, 3) * 4


def film(seed, *, marks=MARKS):
    """Keyframes three a shot; the middle one's first hypercolumn number is its marks."""
    random = np.random.default_rng(seed)
    frames = np.array([first + step for first, _ in SHOTS for step in (1, 5, 9)])
    columns = random.normal(0, 0.1, (48, 10)).astype(np.float32)
    columns[1::3, 0] += np.array(marks)
    keyframes = Keyframes(frames // 10, frames, frames / 25, [b""] * 48)
    maps = random.normal(size=(48, 6)).astype(np.float16)
    vision = VisionOutput(maps, np.zeros((48, 1000), np.float16), columns, "vgg16@0")
    return marked_frames(keyframes, vision, SHOTS, STORIES, marks)


def test_pairs_are_frames_of_one_story_and_the_first_was_marked_more():
    found = film(0)
    assert len(found.pairs) == 48
    for better, worse in found.pairs:
        assert better // 8 == worse // 8
        assert found.marks[better] > found.marks[worse]


def test_the_cause_of_marks_is_learned_and_noise_is_not():
    rows = rank_videos({"one": film(1), "two": film(2), "three": film(3)}, backbone="vgg16")
    assert [row.pairs for row in rows] == [48, 48, 48]
    assert all(row.hypercolumns < 5 for row in rows)
    assert max(row.ranking_cnn for row in rows) > 20


def test_the_ranker_is_for_the_network_whose_numbers_it_read():
    ranker = ranker_of_marks([film(1), film(2)], backbone="vgg16")
    assert ranker.backbone == "vgg16"
    held_out = film(3)
    order = np.argsort(ranker.score(held_out.hypercolumns[:4]))
    assert order.tolist() == [0, 1, 2, 3]


def test_marks_without_any_preference_are_refused():
    with pytest.raises(AnnotationError, match="two videos or more"):
        rank_videos({"one": film(1), "two": film(2, marks=[1] * 16)}, backbone="vgg16")
