"""The ranking machine finds the optimum it claims, and learns what it is shown."""

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
    chance = np.random.default_rng(4)
    frames = ranker.centre + chance.normal(size=(40, 10)) * ranker.scale
    order = ranker.score(frames).argsort()
    taken, passed = frames[order[:10]], frames[order[-10:]]
    amended = prefer(ranker, taken, passed)
    before = swapped_share(ranker.score(taken), ranker.score(passed))
    after = swapped_share(amended.score(taken), amended.score(passed))
    assert before == 1
    assert after < 0.3


def test_choices_that_agree_with_the_ranker_leave_it_alone():
    ranker = load_ranker()
    direction = ranker.scale * np.sign(ranker.weights)
    frame = ranker.centre[None]
    amended = prefer(ranker, frame + 3 * direction, frame - 3 * direction)
    np.testing.assert_array_equal(amended.weights, ranker.weights)


def test_choices_must_come_in_pairs():
    with pytest.raises(ValueError, match="2 chosen frames against 1"):
        prefer(load_ranker(), np.zeros((2, 10)), np.zeros((1, 10)))


def test_a_ranker_survives_its_file(tmp_path):
    ranker = load_ranker()
    save_ranker(ranker, tmp_path / "mine.json")
    again = load_ranker(tmp_path / "mine.json")
    assert isinstance(again, Ranker)
    assert again.digest == ranker.digest


@pytest.mark.parametrize("content", ["", "[]", '{"backbone": "x"}', "\x00"])
def test_a_damaged_ranker_file_is_a_clear_error(tmp_path, content):
    (tmp_path / "mine.json").write_text(content)
    with pytest.raises(ModelError, match=r"mine\.json is no thumbnail ranker"):
        load_ranker(tmp_path / "mine.json")
