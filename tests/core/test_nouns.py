"""The core data types check their invariants."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope.core import Segmentation, Shot, Span, Transition
from storyscope.errors import InvalidSegmentation, InvalidShot, InvalidSpan


@st.composite
def segmentations(draw, max_end=40):
    end = draw(st.integers(1, max_end))
    cuts = draw(st.sets(st.integers(1, end - 1))) if end > 1 else set()
    return Segmentation.from_cuts(sorted(cuts), end)


@given(segmentations())
def test_stories_tile_the_positions_without_gap_or_overlap(segmentation):
    assert [p for story in segmentation for p in story] == list(range(segmentation.end))
    assert len(list(segmentation)) == len(segmentation)


@pytest.mark.parametrize(
    ("starts", "end"),
    [((), 5), ((1,), 5), ((0, 0), 5), ((0, 3, 2), 5), ((0, 5), 5), ((0,), 0), ((0, 1.5), 5)],
)
def test_invalid_starts_are_refused(starts, end):
    with pytest.raises(InvalidSegmentation):
        Segmentation(starts, end)


@given(segmentations(max_end=12))
def test_a_segmentation_keeps_its_stories_on_another_scale(segmentation):
    edges = [position * 25 for position in range(segmentation.end + 1)]
    frames = segmentation.on(edges)
    assert frames.end == segmentation.end * 25
    assert [len(story) for story in frames] == [25 * len(story) for story in segmentation]


def test_a_scale_of_the_wrong_length_is_refused():
    with pytest.raises(InvalidSegmentation, match="4 edges, got 2"):
        Segmentation((0,), 3).on([0, 10])


def test_a_span_cannot_run_backwards():
    with pytest.raises(InvalidSpan):
        Span(2.0, 1.0)
    with pytest.raises(InvalidSpan):
        Span(0.0, float("nan"))


def test_spans_are_half_open():
    assert 0.0 in Span(0, 1)
    assert 1.0 not in Span(0, 1)
    assert Span(0, 2).overlap(Span(1, 5)) == 1.0
    assert Span(0, 1).overlap(Span(1, 5)) == 0.0


def test_a_shot_without_frames_is_refused():
    with pytest.raises(InvalidShot):
        Shot(Span(0, 1), range(5, 5), Transition("cut", 5, 5))
    with pytest.raises(InvalidShot):
        Transition("swirl", 0, 1)
