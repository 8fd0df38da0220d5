"""Absurd versions of stories, and their cost."""

import shutil
import tracemalloc

import pytest

from storyscope import Library
from storyscope.core import Annotation, Segmentation
from storyscope.errors import AnnotationError
from storyscope.evaluate import agree, mean_iou
from storyscope.library.comparing import consensus


@pytest.fixture
def library(indexed, tmp_path):
    return Library(shutil.copytree(indexed, tmp_path / "library"))


def test_more_stories_than_shots_and_seconds_are_refused(library):
    end = library.video("film").duration
    starts = tuple(end * number / 20_000 for number in range(20_000))
    with pytest.raises(AnnotationError, match=r"stories, and film takes \d+"):
        library.annotate("film", Annotation("eve", starts, end))
    assert library.annotations("film") == {}


def test_cuts_closer_than_a_frame_are_one(library):
    end = library.video("film").duration
    starts, titles = (0.0, 4.0, 4.0001, 4.0002, 9.0), ("a", "b", "c", "d", "e")
    library.annotate("film", Annotation("ann", starts, end, titles))
    kept = library.annotations("film")["ann"]
    assert (kept.starts, kept.titles) == ((0.0, 4.0, 9.0), ("a", "b", "e"))


def test_the_consensus_of_many_cuts_takes_little_memory():
    versions = [
        Segmentation(tuple(range(0, 10_000_000, 1000 + number)), 10_000_000) for number in range(3)
    ]
    tracemalloc.start()
    found = consensus(versions)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found in versions
    assert peak < 64 << 20
    others = [sum(mean_iou(one, other) for other in versions) for one in versions]
    assert others[versions.index(found)] == max(others)


def test_the_consensus_of_few_cuts_is_exact():
    versions = [Segmentation((0, 2, 3, 4), 5), Segmentation((0, 1), 5), Segmentation((0, 3), 5)]
    assert consensus(versions) == agree(versions).segmentation == Segmentation((0, 2, 3), 5)
