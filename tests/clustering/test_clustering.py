"""Clustering is exact: no other partition is cheaper, for any penalty."""

from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from storyscope.clustering import cluster, clusterings, story_path
from storyscope.clustering import penalty as rules
from storyscope.core import Segmentation
from storyscope.errors import InvalidFeatures, InvalidSetting

penalties = st.one_of(st.just(0.0), st.floats(1e-4, 50.0))


@st.composite
def embeddings(draw, max_shots=8):
    """Rows with duplicates, stories and noise of any scale."""
    shape = (draw(st.integers(1, max_shots)), draw(st.integers(1, 4)))
    whole = draw(hnp.arrays(np.float64, shape, elements=st.integers(-3, 3)))
    noise = draw(hnp.arrays(np.float64, shape, elements=st.floats(-1, 1)))
    return whole + draw(st.sampled_from([0.0, 0.01, 1.0])) * noise


def made_video(seed, *, stories=12, shots_per_story=8, dimensions=30, noise=0.5):
    """Stories far apart, with the segmentation that made them."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(max(2, shots_per_story - 3), shots_per_story + 4, size=stories)
    places = rng.normal(size=(stories, dimensions))
    rows = np.repeat(places, lengths, axis=0)
    rows = rows + noise * rng.normal(size=rows.shape)
    return rows, Segmentation((0, *np.cumsum(lengths)[:-1].tolist()), int(lengths.sum()))


def scatter(rows, segmentation):
    return sum(((rows[s.start : s.stop] - rows[s.start : s.stop].mean(0)) ** 2).sum()
               for s in segmentation)  # fmt: skip


def pressure(m, n):
    return m * (np.log(n / m) + 1) if m else 0.0


def price(rows, segmentation, penalty):
    return scatter(rows, segmentation) + penalty * pressure(len(segmentation) - 1, len(rows))


def every_partition(n):
    for m in range(n):
        for cuts in combinations(range(1, n), m):
            yield Segmentation((0, *cuts), n)


def full_table(rows):
    """D[m] for every m by the paper's dynamic program, written as its formula."""
    n = len(rows)
    wss = {(i, j): ((rows[i:j] - rows[i:j].mean(0)) ** 2).sum()
           for i in range(n) for j in range(i + 1, n + 1)}  # fmt: skip
    before = {j: wss[0, j] for j in range(1, n + 1)}
    least = [before[n]]
    for m in range(1, n):
        before = {
            j: min(before[k] + wss[k, j] for k in range(m, j) if k in before)
            for j in range(m + 1, n + 1)
        }
        least.append(before[n])
    return np.array(least)


@given(embeddings(), penalties)
@settings(max_examples=200, deadline=None)
def test_no_other_partition_is_cheaper(rows, penalty):
    found = cluster(rows, penalty)
    cheapest = min(price(rows, rival, penalty) for rival in every_partition(len(rows)))
    assert found.objective == pytest.approx(cheapest, rel=1e-9, abs=1e-9)
    assert found.objective == pytest.approx(price(rows, found.segmentation, penalty), abs=1e-9)
    assert found.penalty == penalty


@cache
def made_table(seed):
    """A video, and the smallest scatter for every number of stories."""
    rows, _ = made_video(seed, stories=14, dimensions=5, noise=1.0)
    return rows, full_table(rows)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("penalty", [0.0, 0.01, 0.3, 1.0, 3.0, 10.0, 40.0, 500.0])
def test_longer_videos_agree_with_the_full_table(seed, penalty):
    rows, least = made_table(seed)
    n = len(rows)
    prices = least + penalty * np.array([pressure(m, n) for m in range(n)])
    assert cluster(rows, penalty).objective == pytest.approx(prices.min(), rel=1e-10)


def test_several_penalties_together_give_what_each_gives_alone():
    rows, _ = made_video(12, noise=1.0)
    penalties = [0.1, "auto", 3.0, "paper", 40.0]
    assert clusterings(rows, penalties) == [cluster(rows, penalty) for penalty in penalties]
    assert clusterings(rows, []) == []


@given(embeddings(max_shots=20), st.tuples(penalties, penalties))
@settings(deadline=None)
def test_a_higher_penalty_never_gives_more_stories(rows, pair):
    few, many = (cluster(rows, penalty) for penalty in sorted(pair, reverse=True))
    assert len(few.segmentation) <= len(many.segmentation)


@given(embeddings(max_shots=7))
@settings(max_examples=60, deadline=None)
def test_the_papers_penalty_is_the_first_step_that_leaves_fewer_stories_than_shots(rows):
    n = len(rows)
    found = cluster(rows, "paper")
    assert found.penalty == pytest.approx(round(found.penalty, 3), abs=1e-12)
    assert found.penalty > 0
    assert n == 1 or len(found.segmentation) < n
    if found.penalty > 0.0015:
        assert len(cluster(rows, found.penalty - 0.001).segmentation) == n


def test_the_papers_penalty_equals_its_closed_form_on_the_full_table():
    rows, _ = made_video(5, stories=9, dimensions=6, noise=1.0)
    n = len(rows)
    g = np.array([pressure(m, n) for m in range(n)])
    ratio = (full_table(rows)[:-1] / (g[-1] - g[:-1])).min()
    assert cluster(rows, "paper").penalty == pytest.approx(np.ceil(ratio * 1000) / 1000, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_path_is_the_lower_hull_of_the_full_table(seed):
    rows, _ = made_video(seed, stories=8, dimensions=4, noise=1.0)
    least = full_table(rows)
    points = story_path(rows)
    for point in points:
        m = point.partition.change_points
        assert point.partition.scatter == pytest.approx(least[m], rel=1e-9, abs=1e-9)
        assert point.lowest_price <= point.highest_price
    m = np.arange(len(rows))
    hull = np.interp(m, [p.partition.change_points for p in points],
                     [p.partition.scatter for p in points])  # fmt: skip
    assert (least >= hull - 1e-9).all()
    slopes = -np.diff(hull)
    assert (np.diff(slopes) <= 1e-9).all()


def test_neighbours_on_the_path_cost_the_same_at_one_penalty():
    rows, _ = made_video(1, stories=6, dimensions=3)
    points = story_path(rows)
    assert points[0].highest_price == np.inf
    assert points[-1].lowest_price == 0.0
    for few, many in pairwise(points):
        assert len(few.partition.segmentation) < len(many.partition.segmentation)
        assert few.lowest_price == many.highest_price


def test_whatever_the_penalty_the_answer_is_on_the_path():
    rows, _ = made_video(2, stories=10, dimensions=4, noise=1.0)
    counts = {len(point.partition.segmentation) for point in story_path(rows)}
    for penalty in np.geomspace(0.01, 100, 25):
        assert len(cluster(rows, float(penalty)).segmentation) in counts


def test_the_path_can_be_limited_to_some_counts():
    rows, _ = made_video(3, stories=10)
    whole = story_path(rows)
    part = story_path(rows, fewest=4, most=20)
    wanted = [p.partition for p in whole if 4 <= len(p.partition.segmentation) <= 20]
    assert [p.partition.segmentation for p in part] == [p.segmentation for p in wanted]
    with pytest.raises(InvalidSetting, match="fewest=5 and most=2"):
        story_path(rows, fewest=5, most=2)


@pytest.mark.parametrize("dimensions", [2, 5, 30, 300])
@pytest.mark.parametrize("shots_per_story", [5, 8, 20])
def test_auto_finds_clear_stories_in_any_number_of_dimensions(dimensions, shots_per_story):
    rows, truth = made_video(
        dimensions, shots_per_story=shots_per_story, dimensions=dimensions, noise=0.05
    )
    assert cluster(rows, "auto").segmentation == truth


@given(st.integers(0, 10_000), st.integers(1, 12))
@settings(max_examples=30, deadline=None)
def test_duplicate_shots_do_not_move_the_stories_of_auto(seed, count):
    rows, truth = made_video(seed, noise=0.2)
    rng = np.random.default_rng(seed)
    doubled = np.sort(rng.choice(len(rows), size=count, replace=False))
    longer = np.insert(rows, doubled, rows[doubled], axis=0)
    moved = tuple(start + int((doubled < start).sum()) for start in truth.starts)
    assert cluster(rows, "auto").segmentation == truth
    assert cluster(longer, "auto").segmentation == Segmentation(moved, len(longer))


def test_one_pair_of_duplicates_shatters_the_papers_rule_but_not_auto():
    rows, truth = made_video(9, noise=0.2)
    assert cluster(rows, "paper").segmentation == truth
    rows[1] = rows[0]
    assert len(cluster(rows, "paper").segmentation) == len(rows) - 1
    assert cluster(rows, "auto").segmentation == truth


@given(embeddings(max_shots=12))
@settings(max_examples=60, deadline=None)
def test_auto_is_the_cheapest_partition_for_the_penalty_it_names(rows):
    found = cluster(rows, "auto")
    again = cluster(rows, found.penalty)
    assert found == again
    assert len(found.segmentation) <= max(1, len(rows) // 2)


@pytest.mark.parametrize("unit", [1e-3, 7.0, 1e4])
def test_the_unit_of_the_vectors_makes_no_difference_to_auto(unit):
    rows, _ = made_video(10, noise=1.0)
    found, scaled = cluster(rows, "auto"), cluster(unit * rows, "auto")
    assert scaled.segmentation == found.segmentation
    assert scaled.penalty == pytest.approx(unit**2 * found.penalty, rel=1e-6)


def test_auto_judges_a_very_long_video_in_pieces(monkeypatch):
    rows, truth = made_video(13, stories=50, dimensions=10, noise=0.1)
    whole = cluster(rows, "auto")
    monkeypatch.setattr(rules, "LONGEST_PIECE", 100)
    in_pieces = cluster(rows, "auto")
    assert in_pieces.penalty != whole.penalty
    assert in_pieces.segmentation == whole.segmentation == truth


@pytest.mark.parametrize("dimensions", [2, 30])
def test_auto_finds_one_story_in_noise(dimensions):
    noise = np.random.default_rng(0).normal(size=(400, dimensions))
    assert len(cluster(noise, "auto").segmentation) == 1


def test_stories_of_identical_shots_are_found_exactly():
    rows, truth = made_video(11, shots_per_story=4, noise=0.0)
    assert cluster(rows, "auto").segmentation == truth


@pytest.mark.parametrize("stories", [2, 3, 4, 8, 20])
@pytest.mark.parametrize("shots_per_story", [2, 3, 5])
def test_identical_shots_are_segmented_like_nearly_identical_ones(stories, shots_per_story):
    rng = np.random.default_rng(10 * stories + shots_per_story)
    rows = np.repeat(rng.normal(size=(stories, 16)), shots_per_story, axis=0)
    nearly = rows + 1e-6 * rng.normal(size=rows.shape)
    truth = Segmentation(tuple(range(0, len(rows), shots_per_story)), len(rows))
    assert cluster(rows).segmentation == cluster(nearly).segmentation == truth


@pytest.mark.parametrize("seed", range(4))
def test_a_video_with_every_shot_doubled_keeps_its_stories(seed):
    rows, truth = made_video(seed, noise=0.5)
    doubled = Segmentation(tuple(2 * start for start in truth.starts), 2 * len(rows))
    assert cluster(rows).segmentation == truth
    assert cluster(np.repeat(rows, 2, axis=0)).segmentation == doubled


@pytest.mark.parametrize("penalty", ["auto", "paper", 0.0, 1.0])
def test_one_shot_is_one_story(penalty):
    found = cluster([[1.0, 2.0]], penalty)
    assert found.segmentation == Segmentation((0,), 1)
    assert found.objective == 0.0


def test_two_shots_are_split_if_that_is_cheaper_than_the_penalty():
    rows = [[0.0], [2.0]]
    together = 2.0 / (np.log(2) + 1)
    assert len(cluster(rows, together * 0.99).segmentation) == 2
    assert len(cluster(rows, together * 1.01).segmentation) == 1


@pytest.mark.parametrize("penalty", ["auto", "paper", 0.0, 1.0])
@pytest.mark.parametrize("rows", [np.ones((50, 3)), np.zeros((50, 3)), np.zeros((50, 0))])
def test_identical_shots_are_one_story_even_without_a_penalty(rows, penalty):
    found = cluster(rows, penalty)
    assert found.segmentation == Segmentation((0,), 50)
    assert found.objective == 0.0


def test_without_penalty_only_identical_neighbours_share_a_story():
    assert cluster([[0.0], [0.0], [1.0], [0.0]], 0.0).segmentation == Segmentation((0, 2, 3), 4)


def test_a_constant_feature_changes_nothing():
    rows, _ = made_video(4)
    wide = np.hstack([rows, np.full((len(rows), 3), 1e6)])
    for penalty in ("auto", "paper", 2.0):
        assert cluster(wide, penalty).segmentation == cluster(rows, penalty).segmentation


def test_far_from_the_origin_the_answer_is_the_same():
    rows, _ = made_video(6)
    assert cluster(rows + 1e7, 2.0).segmentation == cluster(rows, 2.0).segmentation


def test_more_columns_than_rows_are_no_different():
    rows, _ = made_video(7, stories=5, dimensions=2000)
    turn = np.linalg.qr(rows.T, mode="r").T
    assert cluster(rows, 3.0).objective == pytest.approx(cluster(turn, 3.0).objective, rel=1e-9)


def test_thousands_of_shots_keep_their_stories():
    rows, truth = made_video(8, stories=400, shots_per_story=12, noise=0.2)
    assert cluster(rows, 2.0).segmentation == truth


@pytest.mark.parametrize(
    "rows",
    [
        [[1.0], [np.nan]],
        [[np.inf]],
        np.zeros((0, 3)),
        np.zeros(4),
        np.zeros((2, 2, 2)),
        [["a"]],
        [[1e200], [0.0]],
    ],
)
def test_rows_that_are_not_numbers_are_refused(rows):
    with pytest.raises(InvalidFeatures):
        cluster(rows)


def test_the_error_names_the_shot_that_is_not_a_number():
    with pytest.raises(InvalidFeatures, match="shot 2"):
        cluster([[0.0], [1.0], [np.nan]])


@pytest.mark.parametrize("penalty", [-1.0, float("nan"), float("inf"), "loud"])
def test_an_invalid_penalty_is_refused(penalty):
    with pytest.raises(InvalidSetting, match="'auto' or 'paper'"):
        cluster([[0.0], [1.0]], penalty)
