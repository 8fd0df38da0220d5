"""A person's version is edited step by step, and every step is checked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope.core import Annotation, Segmentation
from storyscope.errors import AnnotationError
from storyscope.library.comparing import in_milliseconds

MINE = Annotation("ann", (0.0, 10.0, 20.0), 30.0, ("A", "B", "C"), (None, 12.0, None))


def test_a_split_begins_an_untitled_story():
    split = MINE.split(15.0)
    assert split.starts == (0.0, 10.0, 15.0, 20.0)
    assert split.titles == ("A", "B", "", "C")
    assert split.thumbnails == (None, 12.0, None, None)


def test_a_merge_keeps_the_title_of_the_story_before():
    merged = MINE.merge(1)
    assert merged.starts == (0.0, 20.0)
    assert merged.titles == ("A", "C")


@given(st.floats(0.001, 29.999).filter(lambda at: at not in MINE.starts))
def test_a_merge_undoes_a_split(seconds):
    split = MINE.split(seconds)
    assert split.merge(split.starts.index(seconds)) == MINE


def test_a_boundary_moves_between_its_neighbours_only():
    assert MINE.move(1, 12.5).starts == (0.0, 12.5, 20.0)
    for bad in (0.0, 20.0, 25.0):
        with pytest.raises(AnnotationError, match="must begin between"):
            MINE.move(1, bad)


def test_titles_can_be_given_to_an_untitled_version():
    bare = Annotation("ann", (0.0, 10.0), 30.0)
    assert bare.retitle(1, "Ice").titles == ("", "Ice")


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_every_time_is_a_finite_number(bad):
    with pytest.raises(AnnotationError, match="numbers of seconds"):
        Annotation("ann", (0.0, bad), 30.0)
    with pytest.raises(AnnotationError, match="numbers of seconds"):
        Annotation("ann", (0.0, 10.0), bad)
    with pytest.raises(AnnotationError, match="numbers of seconds"):
        Annotation("ann", (0.0, 10.0), 30.0, thumbnails=(bad, None))


@given(st.lists(st.floats(0, 30, exclude_min=True, exclude_max=True), unique=True))
def test_every_version_of_a_video_can_be_compared(starts):
    version = Annotation("ann", (0.0, *sorted(starts)), 30.0)
    assert set(in_milliseconds(version.starts, 30_000).starts) >= {0}
    assert in_milliseconds((0.0, 10.0, 29.9996), 30_000) == Segmentation((0, 10_000), 30_000)


@pytest.mark.parametrize(
    "step",
    [
        lambda a: a.split(10.0),
        lambda a: a.split(30.0),
        lambda a: a.split(-1.0),
        lambda a: a.merge(0),
        lambda a: a.merge(3),
        lambda a: a.move(0, 5.0),
        lambda a: a.retitle(3, "x"),
    ],
)
def test_impossible_edits_are_refused(step):
    with pytest.raises(AnnotationError):
        step(MINE)
