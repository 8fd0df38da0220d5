"""Agreement between annotators, compared with brute force over all segmentations."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storyscope.core import Segmentation
from storyscope.errors import AnnotationError
from storyscope.evaluate import agree, agree_as_in_paper, mean_iou
from storyscope.evaluate.agreement.graph import candidate_positions


def agreement_of(segmentation, annotations) -> float:
    return sum(mean_iou(segmentation, each) for each in annotations) / len(annotations)


def best_of_all(annotations, cuts=None) -> float:
    """Brute force, with the IoU of every pair of intervals looked up in a table."""
    end = annotations[0].end
    allowed = range(end + 1) if cuts is None else sorted({0, end, *cuts})
    table = {pair: _slow_likeness(*pair, annotations) for pair in combinations(allowed, 2)}
    best = 0.0
    for size in range(len(allowed) - 1):
        for chosen in combinations(allowed[1:-1], size):
            stories = [table[pair] for pair in pairwise((0, *chosen, end))]
            own = sum(likeness for likeness, _ in stories) / len(stories)
            theirs = sum(map(max, zip(*(gains for _, gains in stories), strict=True)))
            best = max(best, (own + theirs) / (2 * len(annotations)))
    return best


def _slow_likeness(x, y, annotations):
    likeness, gains = 0.0, []
    for annotation in annotations:
        ious = [
            max(0, min(y, s.stop) - max(x, s.start)) / (max(y, s.stop) - min(x, s.start))
            for s in annotation
        ]
        likeness += max(ious)
        gains += [iou / len(annotation) for iou in ious]
    return likeness, gains


@st.composite
def annotations(draw, max_end=10, max_annotators=6):
    end = draw(st.integers(1, max_end))
    cuts = st.sets(st.integers(1, end - 1)) if end > 1 else st.just(set())
    each = cuts.map(lambda chosen: Segmentation.from_cuts(sorted(chosen), end))
    return draw(st.lists(each, min_size=1, max_size=max_annotators))


@given(annotations())
@settings(max_examples=300, deadline=None)
def test_no_segmentation_agrees_more(annotated):
    found = agree(annotated)
    assert found.exact
    assert found.mean_iou == pytest.approx(best_of_all(annotated), abs=1e-9)
    assert found.mean_iou == agreement_of(found.segmentation, annotated)
    assert found.bound == found.mean_iou


@given(annotations(max_end=9), st.data())
@settings(max_examples=150, deadline=None)
def test_no_segmentation_with_allowed_cuts_agrees_more(annotated, data):
    end = annotated[0].end
    cuts = data.draw(st.sets(st.integers(0, end)))
    found = agree(annotated, cuts=cuts)
    assert set(found.segmentation.cuts) <= cuts
    assert found.exact
    assert found.mean_iou == pytest.approx(best_of_all(annotated, cuts), abs=1e-9)


@given(annotations(max_end=9), st.lists(st.integers(1, 50), min_size=9, max_size=9))
@settings(max_examples=100, deadline=None)
def test_shots_of_unequal_length_are_weighed_by_their_frames(annotated, lengths):
    edges = [0, *np.cumsum(lengths[: annotated[0].end]).tolist()]
    in_frames = [each.on(edges) for each in annotated]
    found = agree(in_frames, cuts=edges)
    assert set(found.segmentation.edges) <= set(edges)
    assert found.mean_iou == pytest.approx(best_of_all(in_frames, edges), abs=1e-9)


@given(annotations(max_end=9), st.data())
@settings(max_examples=150, deadline=None)
def test_the_candidate_cuts_hold_a_best_segmentation(annotated, data):
    end = annotated[0].end
    cuts = data.draw(st.none() | st.sets(st.integers(0, end)))
    candidates = candidate_positions(annotated, cuts).tolist()
    best = best_of_all(annotated, cuts)
    assert best_of_all(annotated, candidates) == pytest.approx(best, abs=1e-12)


@given(annotations(max_end=20, max_annotators=8))
@settings(max_examples=60, deadline=None)
def test_the_paper_never_agrees_more(annotated):
    papers = agree_as_in_paper(annotated)
    ours = agree(annotated)
    assert papers.mean_iou == agreement_of(papers.segmentation, annotated)
    assert papers.mean_iou <= ours.mean_iou + 1e-12


def test_five_shots_where_the_paper_misses_the_best():
    annotated = [Segmentation.from_cuts(cuts, 5) for cuts in ([2, 3, 4], [1], [3])]
    assert agree(annotated).segmentation.cuts == (2, 3)
    assert agree(annotated).mean_iou == pytest.approx(2 / 3)
    assert agree_as_in_paper(annotated).mean_iou < 2 / 3


@given(annotations(max_end=7, max_annotators=4))
@settings(max_examples=60, deadline=None)
def test_the_papers_program_is_its_recurrence(annotated):
    assert agree_as_in_paper(annotated).mean_iou == pytest.approx(slow_paper(annotated), abs=1e-9)


def slow_paper(annotated) -> float:
    """D[i, v] with whole paths kept, and w2 as the difference of two sums of maxima."""
    end = annotated[0].end

    def j2(path):
        return (
            sum(
                sum(
                    max(
                        max(0, min(y, s.stop) - max(x, s.start))
                        / (max(y, s.stop) - min(x, s.start))
                        for x, y in path
                    )
                    for s in each
                )
                / len(each)
                for each in annotated
            )
            if path
            else 0.0
        )

    best = 0.0
    for count in range(1, end + 1):
        paths = {0: (0.0, [])}
        for _ in range(count):
            longer = {}
            for v in range(1, end + 1):
                options = [
                    (
                        value
                        + _slow_likeness(x, v, annotated)[0] / count
                        + j2([*path, (x, v)])
                        - j2(path),
                        [*path, (x, v)],
                    )
                    for x, (value, path) in paths.items()
                    if x < v
                ]
                if options:
                    longer[v] = max(options, key=lambda option: round(option[0], 9))
            paths = longer
        best = max(best, paths[end][0])
    return best / (2 * len(annotated))


def test_one_annotator_agrees_with_themselves():
    alone = Segmentation((0, 3, 4, 90), 100)
    assert agree([alone]).segmentation == alone
    assert agree([alone, alone, alone]).mean_iou == 1.0


def test_sixteen_annotators_are_no_special_case():
    rng = np.random.default_rng(0)
    annotated = [
        Segmentation.from_cuts(sorted(rng.choice(np.arange(1, 9), 3, replace=False)), 9)
        for _ in range(16)
    ]
    assert agree(annotated).mean_iou == pytest.approx(best_of_all(annotated), abs=1e-9)


def noisy_annotators(rng, *, shots, stories, annotators):
    base = rng.choice(np.arange(1, shots), stories - 1, replace=False)
    for _ in range(annotators):
        cuts = base[rng.random(len(base)) > 0.15]
        cuts = cuts + rng.integers(-1, 2, len(cuts)) * (rng.random(len(cuts)) < 0.3)
        more = rng.choice(np.arange(1, shots), stories // 7, replace=False)
        yield Segmentation.from_cuts(np.unique(np.clip([*cuts, *more], 1, shots - 1)), shots)


def test_a_long_film_with_many_annotators_is_decided():
    annotated = list(
        noisy_annotators(np.random.default_rng(5), shots=450, stories=60, annotators=5)
    )
    found = agree(annotated, time_limit=None)
    assert found.exact
    assert found.mean_iou >= max(agreement_of(each, annotated) for each in annotated)
    cuts = found.segmentation.cuts
    for cut in cuts:
        without = Segmentation.from_cuts([other for other in cuts if other != cut], 450)
        assert agreement_of(without, annotated) <= found.mean_iou


def test_out_of_time_gives_a_segmentation_and_a_bound_that_holds():
    annotated = list(
        noisy_annotators(np.random.default_rng(6), shots=120, stories=20, annotators=6)
    )
    hasty = agree(annotated, time_limit=0.0)
    best = agree(annotated, time_limit=None)
    assert not hasty.exact
    assert hasty.mean_iou <= best.mean_iou <= hasty.bound
    assert hasty.mean_iou == agreement_of(hasty.segmentation, annotated)


def test_the_same_annotators_give_the_same_segmentation():
    annotated = list(noisy_annotators(np.random.default_rng(7), shots=60, stories=9, annotators=4))
    assert agree(annotated) == agree(annotated)


def test_annotators_of_different_videos_are_refused():
    with pytest.raises(AnnotationError, match="10 and 12"):
        agree([Segmentation((0,), 10), Segmentation((0,), 12)])


def test_no_annotator_is_refused():
    with pytest.raises(AnnotationError, match="got 0"):
        agree([])


def test_cuts_beyond_the_end_are_refused():
    with pytest.raises(AnnotationError, match="0 to the end 10, got 0 to 12"):
        agree([Segmentation((0, 5), 10)], cuts=[5, 12])
    for broken in (3.9, float("nan"), float("inf")):
        with pytest.raises(AnnotationError, match="whole positions"):
            agree([Segmentation((0, 5), 10)], cuts=[5, broken])
