"""Every baseline finds clear stories, is deterministic, and handles unusual videos."""

import pickle
import sys
from functools import cache
from importlib.util import find_spec
from itertools import combinations, pairwise

import numpy as np
import pytest

from storyscope.baselines import BASELINES, baseline
from storyscope.baselines.nw import alignment_scores, boundaries
from storyscope.baselines.osg import estimated_count, group
from storyscope.baselines.spectral import spectral_labels
from storyscope.baselines.stg import crossing_links
from storyscope.core import Features, Segmentation
from storyscope.errors import InvalidFeatures, MissingDependency, UnknownName
from storyscope.evaluate import AnnotatedVideo, leave_one_out, mean_iou
from storyscope.evaluate.trivial import equal_times

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
EVERY = [pytest.param(name, marks=needs_torch if name == "sdn" else ()) for name in BASELINES]
LOOKING = EVERY[2:]


def made_film(seed, *, stories=8, shots_per_story=7, noise=0.15):
    """A film whose stories look and sound different, with shots of 3 to 6 seconds."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(shots_per_story - 2, shots_per_story + 3, size=stories)
    story = np.repeat(np.arange(stories), lengths)
    frames = np.concatenate([[0], rng.integers(75, 150, size=len(story)).cumsum()]).tolist()

    def feature(name, dimensions):
        rows = rng.normal(size=(stories, dimensions))[story]
        return Features(name, rows + noise * rng.normal(size=rows.shape), producer="made")

    starts = np.flatnonzero(np.diff(story, prepend=-1))
    return AnnotatedVideo(
        name=f"film {seed}",
        fps=25.0,
        frame_count=frames[-1],
        shots=tuple(pairwise(frames)),
        features={"look": feature("look", 40), "sound": feature("sound", 12)},
        truth=Segmentation(tuple(frames[start] for start in starts), frames[-1]),
    )


@pytest.fixture(scope="module")
def films():
    return [made_film(seed) for seed in range(5)]


@pytest.fixture(scope="module")
def fitted(films):
    """Every baseline, trained once on all films but the first."""
    return cache(lambda name: baseline(name).fit(films[1:], seed=0))


@pytest.mark.parametrize("name", LOOKING)
def test_clear_stories_of_a_film_never_seen_are_found(name, films):
    scores = leave_one_out(films, baseline(name), only=[0, 1])
    assert np.mean([score.mean_iou for score in scores]) > 0.9


@pytest.mark.parametrize("name", EVERY)
def test_the_same_seed_gives_the_same_stories(name, films, fitted):
    second = baseline(name).fit(films[1:], seed=0)
    assert fitted(name).find(films[0].without_truth()) == second.find(films[0].without_truth())


@pytest.mark.parametrize("name", EVERY)
def test_a_detector_survives_pickling(name, films, fitted):
    detector = fitted(name)
    again = pickle.loads(pickle.dumps(detector))
    assert again.find(films[0].without_truth()) == detector.find(films[0].without_truth())


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("shots", [1, 2, 3])
def test_a_video_of_a_few_shots_is_segmented(name, shots, fitted):
    detector = fitted(name)
    tiny = made_film(9, stories=1, shots_per_story=shots + 2)
    short = AnnotatedVideo(
        name="short",
        fps=25.0,
        frame_count=tiny.shots[shots - 1][1],
        shots=tiny.shots[:shots],
        features={
            name: Features(name, feature.vectors[:shots], producer="made")
            for name, feature in tiny.features.items()
        },
        truth=Segmentation((0,), tiny.shots[shots - 1][1]),
    )
    assert detector.find(short.without_truth()).end == shots


@pytest.mark.parametrize("name", EVERY)
def test_a_video_of_identical_shots_is_segmented(name, films, fitted):
    detector = fitted(name)
    film = films[0].without_truth()
    still = {
        name: Features(name, np.ones_like(feature.vectors), producer="made")
        for name, feature in film.features.items()
    }
    found = detector.find(type(film)(**{**vars(film), "features": still}))
    assert found.end == len(film.shots)


def test_visual_baselines_beat_uniform_cuts(films):
    def score(name):
        return np.mean([s.mean_iou for s in leave_one_out(films, baseline(name), only=[0, 1])])

    assert score("osg") > score("uniform") > score("one-per-shot")


def test_an_unknown_baseline_is_refused():
    with pytest.raises(UnknownName, match="choose from one-per-shot, uniform, raw-clustering"):
        baseline("magic")


def test_a_video_without_features_is_refused(films):
    film = films[0].without_truth()
    with pytest.raises(InvalidFeatures, match="film 0 has no features"):
        baseline("osg").fit([], seed=0).find(type(film)(**{**vars(film), "features": {}}))


def test_the_siamese_network_names_the_extra_it_needs(films, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingDependency, match=r"storyscope\[train\]"):
        baseline("sdn").fit(films, seed=0)


def test_equal_times_fall_on_the_nearest_changes_of_shot():
    assert equal_times([0, 10, 48, 55, 100], 2) == Segmentation((0, 2), 4)
    assert equal_times([0, 10, 20, 30, 40], 4) == Segmentation((0, 1, 2, 3), 4)
    assert equal_times([0, 100], 5) == Segmentation((0,), 1)


@pytest.mark.parametrize("cost", ["add", "norm"])
@pytest.mark.parametrize("seed", range(5))
def test_no_other_grouping_of_as_many_stories_is_cheaper(cost, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(9, 2))
    distances = np.linalg.norm(points[:, None] - points[None, :], axis=2)

    def price(segmentation):
        blocks = [distances[np.ix_(list(s), list(s))] for s in segmentation]
        total = sum(block.sum() for block in blocks)
        return total if cost == "add" else total / sum(block.size for block in blocks)

    for count in range(1, 6):
        rivals = [Segmentation((0, *cuts), 9) for cuts in combinations(range(1, 9), count - 1)]
        found = group(distances, count, cost=cost)
        assert len(found) == count
        assert price(found) == pytest.approx(min(price(rival) for rival in rivals))


def test_the_elbow_counts_blocks_of_shots():
    rng = np.random.default_rng(0)
    story = np.repeat(np.arange(6), 10)
    points = rng.normal(size=(6, 20))[story] + 0.01 * rng.normal(size=(60, 20))
    distances = np.linalg.norm(points[:, None] - points[None, :], axis=2)
    assert 5 <= estimated_count(distances) <= 7


def test_links_that_share_a_shot_hold_a_story_together():
    linked = np.zeros((7, 7), dtype=bool)
    for i, j in [(0, 2), (2, 3), (5, 6)]:
        linked[i, j] = linked[j, i] = True
    assert crossing_links(linked).tolist() == [True, True, True, False, False, True]


def test_spectral_clustering_separates_disconnected_graphs():
    affinity = np.kron(np.eye(4), np.ones((5, 5)))
    labels = spectral_labels(affinity, 4, seed=0)
    assert len({tuple(np.flatnonzero(labels == label)) for label in labels}) == 4


def test_alternating_shots_align_and_a_new_pattern_does_not():
    labels = np.array([0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3])
    scores = alignment_scores(labels, 2.0 * np.eye(4) - 1.0, window=4)
    assert scores.argmin() == 5
    assert boundaries(scores, 0.5) == Segmentation((0, 6), 12)


def test_alignment_scores_equal_the_recurrence_written_out():
    rng = np.random.default_rng(1)
    labels, window = rng.integers(4, size=15), 5
    match = rng.normal(size=(4, 4))
    found = alignment_scores(labels, match, window)

    def best(before, after):
        if not before or not after:
            return -0.5 * (len(before) + len(after))
        return max(
            best(before[:-1], after[:-1]) + match[before[-1], after[-1]],
            best(before[:-1], after) - 0.5,
            best(before, after[:-1]) - 0.5,
        )

    for cut in range(2, 14):
        length = min(window, cut, 15 - cut)
        before, after = labels[cut - length : cut].tolist(), labels[cut : cut + length].tolist()
        assert found[cut - 1] == pytest.approx(best(before, after) / length)


def test_a_film_judged_by_its_own_truth_is_perfect(films):
    assert all(mean_iou(film.truth, film.truth) == 1.0 for film in films)
