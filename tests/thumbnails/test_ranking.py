"""The ranking SVM finds its optimum, and learns from examples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from storyscope.errors import ModelError
from storyscope.thumbnails import Ranker, load_ranker, prefer, save_ranker, train_ranker
from storyscope.thumbnails.ranking import fit_ranking, ranking_objective, swapped_share

numbers = st.floats(-2, 2, allow_nan=False, width=32)
pairs_of_two = st.integers(1, 6).flatmap(
    lambda count: arrays.arrays(np.float64, (count, 2), elements=numbers)
)


@given(pairs_of_two, st.sampled_from([0.05, 1.0, 5.0]))
def test_no_point_of_a_fine_grid_is_cheaper(pairs, cost):
    fit = fit_ranking(pairs, np.zeros_like(pairs), cost=cost)
    reach = np.linspace(-4, 4, 81)
    grid = np.stack(np.meshgrid(reach, reach), axis=-1).reshape(-1, 2)
    slack = np.maximum(0, 1 - grid @ pairs.T).sum(axis=1)
    cheapest = (0.5 * (grid**2).sum(axis=1) + cost * slack).min()
    assert fit.objective <= cheapest + 1e-4 * max(cheapest, 1)


@given(pairs_of_two)
def test_the_gap_certifies_the_optimum(pairs):
    rough = fit_ranking(pairs, np.zeros_like(pairs), tolerance=1e-1)
    fine = fit_ranking(pairs, np.zeros_like(pairs), tolerance=1e-7)
    assert rough.gap >= -1e-9
    assert fine.objective >= rough.objective - rough.gap - 1e-7
    assert fine.objective == pytest.approx(ranking_objective(fine.weights, pairs, cost=1.0))


def test_separable_pairs_are_all_put_in_order():
    chance = np.random.default_rng(0)
    truth = np.array([2.0, -1.0, 0.5])
    pairs = chance.normal(size=(200, 3))
    pairs *= np.sign(pairs @ truth)[:, None]
    pairs = pairs[np.abs(pairs @ truth) > 0.2]
    fit = fit_ranking(pairs, np.zeros_like(pairs), cost=100.0)
    assert (pairs @ fit.weights > 0).all()
    cosine = fit.weights @ truth / np.linalg.norm(fit.weights) / np.linalg.norm(truth)
    assert cosine > 0.98


def test_the_answer_agrees_with_another_solver():
    svm = pytest.importorskip("sklearn.svm")
    chance = np.random.default_rng(1)
    pairs = chance.normal(0.3, 1, size=(120, 5))
    both, labels = np.concatenate([pairs, -pairs]), np.repeat([1, -1], len(pairs))
    other = svm.LinearSVC(loss="hinge", C=0.5, fit_intercept=False, tol=1e-8, max_iter=1_000_000)
    other.fit(both, labels)
    fit = fit_ranking(pairs, np.zeros_like(pairs), cost=1.0, tolerance=1e-8)
    np.testing.assert_allclose(fit.weights, other.coef_[0], atol=2e-3)


def test_no_pairs_leave_the_weights_where_they_were():
    start = np.array([1.0, 2.0])
    fit = fit_ranking(np.zeros((0, 2)), np.zeros((0, 2)), start=start)
    assert fit.weights.tolist() == [1.0, 2.0]


def test_swapped_pairs_are_counted_and_ties_count_half():
    assert swapped_share(np.array([3, 1, 2, 5]), np.array([1, 2, 2, 4])) == pytest.approx(1.5 / 4)


def test_a_ranker_learns_which_number_tells_good_from_worse():
    chance = np.random.default_rng(2)
    good = chance.normal(size=(60, 10))
    worse = good.copy()
    worse[:, 4] -= chance.uniform(0.5, 2, 60)
    ranker = train_ranker(good, [worse], backbone="any")
    assert swapped_share(ranker.score(good), ranker.score(worse)) == 0
    assert np.abs(ranker.weights).argmax() == 4
    assert ranker.score(good).std() == pytest.approx(1)
    assert ((ranker.beauty(good) > 0) & (ranker.beauty(good) < 1)).all()


def test_the_order_of_beauty_is_the_order_of_scores():
    frames = np.random.default_rng(3).normal(size=(50, 10)) * load_ranker().scale
    ranker = load_ranker()
    assert ranker.beauty(frames).argsort().tolist() == ranker.score(frames).argsort().tolist()


def test_a_persons_choices_change_the_order_they_contradict():
    ranker = load_ranker()
    stories = _stories(ranker, count=10)
    order = [ranker.score(story).argsort() for story in stories]
    choices = [(story[o[0]], story[o[1:]]) for story, o in zip(stories, order, strict=True)]
    amended = prefer(ranker, choices)
    assert _swapped(ranker, choices) == 1
    assert _swapped(amended, choices) < 0.2


def test_a_taste_is_carried_over_to_stories_not_yet_seen():
    ranker = load_ranker()
    taste = np.zeros(10)
    taste[2] = -1 / ranker.scale[2]
    choices = []
    for story in _stories(ranker, count=40):
        best = int((story @ taste).argmax())
        choices.append((story[best], np.delete(story, best, axis=0)))
    amended = prefer(ranker, choices[:20])
    assert _swapped(amended, choices[20:]) < 0.6 * _swapped(ranker, choices[20:])


def test_choices_that_agree_with_the_ranker_leave_it_alone():
    ranker = load_ranker()
    direction = ranker.scale * np.sign(ranker.weights)
    choice = (ranker.centre + 3 * direction, (ranker.centre - 3 * direction)[None])
    np.testing.assert_array_equal(prefer(ranker, [choice]).weights, ranker.weights)


def test_a_choice_among_many_weighs_no_more_than_one_among_few():
    ranker = load_ranker()
    taken, passed = _stories(ranker, count=1)[0][:2]
    few = prefer(ranker, [(taken, passed[None])])
    many = prefer(ranker, [(taken, np.tile(passed, (30, 1)))])
    np.testing.assert_allclose(few.weights, many.weights, atol=1e-2)


def test_no_choice_changes_nothing():
    ranker = load_ranker()
    alone = (np.zeros(10), np.zeros((0, 10)))
    assert prefer(ranker, []) is ranker
    assert prefer(ranker, [alone]) is ranker


def test_a_ranker_survives_its_file(tmp_path):
    ranker = load_ranker()
    save_ranker(ranker, tmp_path / "mine.json")
    again = load_ranker(tmp_path / "mine.json")
    assert isinstance(again, Ranker)
    assert again.digest == ranker.digest


@pytest.mark.parametrize("content", ["", "[]", '{"backbone": "x"}', "\x00"])
def test_a_damaged_ranker_file_is_a_clear_error(tmp_path, content):
    (tmp_path / "mine.json").write_text(content)
    with pytest.raises(ModelError, match=r"mine\.json is not a thumbnail ranker"):
        load_ranker(tmp_path / "mine.json")


def _stories(ranker, *, count):
    chance = np.random.default_rng(4)
    return ranker.centre + chance.normal(size=(count, 8, 10)) * ranker.scale


def _swapped(ranker, choices):
    shares = [
        swapped_share(np.repeat(ranker.score(taken), len(rest)), ranker.score(rest))
        for taken, rest in choices
    ]
    return float(np.mean(shares))
