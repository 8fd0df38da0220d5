"""Mean IoU, coverage, overflow and boundary scores, compared with simple implementations."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope.core import Segmentation
from storyscope.errors import AnnotationError
from storyscope.evaluate import (
    average_precision,
    boundary_score,
    coverage_overflow,
    mean_iou,
)


@st.composite
def segmentations(draw, end: int) -> Segmentation:
    cuts = draw(st.sets(st.integers(1, end - 1))) if end > 1 else set()
    return Segmentation.from_cuts(sorted(cuts), end)


@st.composite
def pairs(draw, max_end: int = 12) -> tuple[Segmentation, Segmentation]:
    end = draw(st.integers(1, max_end))
    return draw(segmentations(end)), draw(segmentations(end))


def slow_iou(a: range, b: range) -> float:
    return len(set(a) & set(b)) / len(set(a) | set(b))


def slow_mean_iou(a: Segmentation, b: Segmentation) -> float:
    one = sum(max(slow_iou(s, t) for t in b) for s in a) / len(a)
    other = sum(max(slow_iou(s, t) for s in a) for t in b) / len(b)
    return (one + other) / 2


def slow_coverage(found: Segmentation, truth: Segmentation) -> float:
    return sum(
        max(len(set(f) & set(t)) for f in found) / len(t) * len(t) / truth.end for t in truth
    )


def slow_overflow(found: Segmentation, truth: Segmentation) -> float:
    stories = list(truth)
    if len(stories) == 1:
        return 0.0
    total = 0.0
    for i, story in enumerate(stories):
        neighbours = sum(len(stories[j]) for j in (i - 1, i + 1) if 0 <= j < len(stories))
        outside = sum(len(set(f) - set(story)) for f in found if set(f) & set(story))
        total += min(1.0, outside / neighbours) * len(story) / truth.end
    return total


def slow_matches(found: list[int], true: list[int], tolerance: int) -> int:
    """The maximum number of pairs over all orders."""
    best = 0
    for order in permutations(found):
        free, pairs_made = set(true), 0
        for cut in order:
            near = sorted(t for t in free if abs(t - cut) <= tolerance)
            if near:
                free.discard(near[0])
                pairs_made += 1
        best = max(best, pairs_made)
    return best


@given(pairs())
def test_mean_iou_is_what_counting_positions_gives(pair):
    a, b = pair
    assert mean_iou(a, b) == pytest.approx(slow_mean_iou(a, b))


@given(pairs(max_end=60))
def test_mean_iou_is_symmetric_and_one_only_for_equals(pair):
    a, b = pair
    assert mean_iou(a, b) == pytest.approx(mean_iou(b, a), abs=1e-15)
    assert 0 < mean_iou(a, b) <= 1
    assert (mean_iou(a, b) == pytest.approx(1.0, abs=1e-12)) == (a == b)


@given(pairs(max_end=30), st.integers(2, 9))
def test_no_measure_depends_on_the_unit_of_length(pair, unit):
    found, truth = pair
    scale = range(0, unit * found.end + 1, unit)
    assert mean_iou(found.on(scale), truth.on(scale)) == pytest.approx(mean_iou(found, truth))
    wide, narrow = (
        coverage_overflow(f.on(s), t.on(s))
        for f, t, s in ((found, truth, scale), (found, truth, range(found.end + 1)))
    )
    assert wide.coverage == pytest.approx(narrow.coverage)
    assert wide.overflow == pytest.approx(narrow.overflow)


@given(pairs())
def test_coverage_and_overflow_are_what_counting_positions_gives(pair):
    found, truth = pair
    score = coverage_overflow(found, truth)
    assert score.coverage == pytest.approx(slow_coverage(found, truth))
    assert score.overflow == pytest.approx(slow_overflow(found, truth))


@given(pairs(max_end=60))
def test_a_perfect_answer_covers_all_and_overflows_nowhere(pair):
    truth, _ = pair
    score = coverage_overflow(truth, truth)
    assert (score.coverage, score.overflow, score.f_score) == (1.0, 0.0, 1.0)


@given(pairs(), pairs())
def test_scores_of_two_videos_add_up_to_the_score_of_both(one, other):
    both = coverage_overflow(*one) + coverage_overflow(*other)
    lengths = np.array([one[1].end, other[1].end])
    coverages = [coverage_overflow(*pair).coverage for pair in (one, other)]
    overflows = [coverage_overflow(*pair).overflow for pair in (one, other)]
    assert both.coverage == pytest.approx(np.average(coverages, weights=lengths))
    assert both.overflow == pytest.approx(np.average(overflows, weights=lengths))


def test_one_true_story_cannot_overflow_and_is_covered_by_its_longest_piece():
    score = coverage_overflow(Segmentation((0, 4), 10), Segmentation((0,), 10))
    assert (score.coverage, score.overflow) == (0.6, 0.0)


def test_one_found_story_covers_everything_and_overflows_everything():
    score = coverage_overflow(Segmentation((0,), 10), Segmentation((0, 4), 10))
    assert (score.coverage, score.overflow, score.f_score) == (1.0, 1.0, 0.0)


def test_one_story_per_shot_overflows_nowhere_and_covers_one_shot_of_each_story():
    score = coverage_overflow(Segmentation(tuple(range(10)), 10), Segmentation((0, 4), 10))
    assert (score.coverage, score.overflow) == (0.2, 0.0)


def test_the_first_and_last_story_have_one_neighbour_only():
    truth = Segmentation((0, 2, 8), 10)
    late_first_cut = coverage_overflow(Segmentation((0, 4, 8), 10), truth)
    # story 1 reaches 2 of the 6 frames after it; story 2 reaches 2 of its 2 + 2 neighbours
    assert late_first_cut.overflow == pytest.approx((2 * 2 / 6 + 6 * 2 / 4) / 10)


def test_a_found_story_reaching_past_both_neighbours_overflows_by_one_at_most():
    truth = Segmentation((0, 10, 12, 14), 24)
    score = coverage_overflow(Segmentation((0,), 24), truth)
    assert score.overflow == 1.0


def test_one_frame_stories_count_as_stories():
    ones = Segmentation((0, 1, 2), 3)
    assert mean_iou(ones, Segmentation((0,), 3)) == pytest.approx(1 / 3)
    assert mean_iou(Segmentation((0,), 1), Segmentation((0,), 1)) == 1.0


def test_one_story_against_all_singletons_shares_one_position():
    whole, shots = Segmentation((0,), 8), Segmentation(tuple(range(8)), 8)
    assert mean_iou(whole, shots) == pytest.approx(1 / 8)


def test_videos_of_different_length_are_refused_with_both_lengths():
    for measure in (mean_iou, coverage_overflow, boundary_score):
        with pytest.raises(AnnotationError, match="10 and 11"):
            measure(Segmentation((0,), 10), Segmentation((0,), 11))


@given(pairs(max_end=8), st.integers(0, 4))
def test_the_maximum_number_of_cuts_is_paired(pair, tolerance):
    found, truth = pair
    score = boundary_score(found, truth, tolerance=tolerance)
    swapped = boundary_score(truth, found, tolerance=tolerance)
    assert score.matched == slow_matches(list(found.cuts), list(truth.cuts), tolerance)
    assert (score.precision, score.recall) == (swapped.recall, swapped.precision)
    assert score.f1 == swapped.f1


def test_no_cuts_are_perfect_if_there_are_no_true_ones():
    none = Segmentation((0,), 5)
    assert boundary_score(none, none).f1 == 1.0
    assert average_precision([], [], none) == 1.0


def test_two_found_cuts_cannot_share_a_true_one():
    score = boundary_score(Segmentation((0, 4, 6), 10), Segmentation((0, 5), 10), tolerance=1)
    assert (score.matched, score.precision, score.recall) == (1, 0.5, 1.0)


@given(
    st.integers(2, 12).flatmap(
        lambda end: st.tuples(
            segmentations(end),
            st.dictionaries(st.integers(1, end - 1), st.integers(0, 3)),
            st.integers(0, 2),
        )
    )
)
def test_average_precision_admits_cuts_from_the_surest_down(case):
    truth, scored, tolerance = case
    cuts = list(scored)
    area, last_recall = 0.0, 0.0
    for threshold in sorted(set(scored.values()), reverse=True):
        admitted = sorted(cut for cut, score in scored.items() if score >= threshold)
        score = boundary_score(
            Segmentation.from_cuts(admitted, truth.end), truth, tolerance=tolerance
        )
        area += (score.recall - last_recall) * score.precision
        last_recall = score.recall
    expected = area if truth.cuts else 1.0
    scores = [scored[cut] for cut in cuts]
    assert average_precision(cuts, scores, truth, tolerance=tolerance) == pytest.approx(expected)


def test_true_cuts_ranked_first_have_average_precision_one():
    truth = Segmentation((0, 3, 7), 10)
    assert average_precision([3, 7, 5], [0.9, 0.8, 0.1], truth) == 1.0
    assert average_precision([3, 7, 5], [0.9, 0.1, 0.8], truth) == pytest.approx(0.5 + 0.5 * 2 / 3)
