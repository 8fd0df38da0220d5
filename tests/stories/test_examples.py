"""Other videos that are made of one annotated video."""

import numpy as np
import pytest

from story_films import made_up_film
from storyscope.stories.examples import (
    StoryExample,
    as_news,
    denser,
    projected,
    reordered,
    sparser,
    variants,
)
from storyscope.stories.relations import Rhythm
from storyscope.stories.similarity import comparable, similarities
from storyscope.stories.training import Recipe, train


def example(seed):
    shots, features, truth = made_up_film(seed, stories=12)
    return StoryExample(tuple(features), Rhythm.of(shots), truth)


def told(example):
    """Each story by what does not depend on where it stands: its lengths and its features."""
    return sorted(
        (
            *np.diff(example.rhythm.edges)[story.start : story.stop].round(6),
            *example.features[0].vectors[story.start : story.stop].ravel(),
        )
        for story in example.truth
    )


@pytest.mark.parametrize("seed", range(5))
def test_another_order_tells_the_same_stories(seed):
    film = example(seed)
    other = reordered(film, np.random.default_rng(seed))
    assert told(other) == told(film)
    assert np.ptp(other.rhythm.edges) == pytest.approx(np.ptp(film.rhythm.edges))
    assert other.rhythm.transitions[0] == 0


@pytest.mark.parametrize("seed", range(5))
def test_a_video_cut_slower_or_faster_has_the_same_stories_at_the_same_times(seed):
    film, rng = example(seed), np.random.default_rng(seed)
    begins = film.rhythm.edges[list(film.truth.starts)] - film.rhythm.edges[0]
    for other, fewer in ((sparser(film, rng), True), (denser(film, rng), False)):
        assert (len(other.rhythm) < len(film.rhythm)) == fewer
        there = other.rhythm.edges[list(other.truth.starts)] - other.rhythm.edges[0]
        np.testing.assert_allclose(there, begins, atol=1e-6)
        assert all(len(each) == len(other.rhythm) for each in other.features)


def test_another_network_gives_other_numbers_and_correlated_similarities():
    film = example(1)
    other = projected(film, np.random.default_rng(0))
    assert other.features[0].vectors.shape != film.features[0].vectors.shape
    assert other.features[1] is film.features[1]
    pairs = np.triu_indices(len(film.rhythm), 1)
    rows = (comparable(each.features[0].vectors) for each in (film, other))
    before, after = (similarities(each, each)[pairs] for each in rows)
    assert np.corrcoef(before, after)[0, 1] > 0.5


@pytest.mark.parametrize("seed", range(5))
def test_a_news_programme_has_short_items_and_a_shot_that_returns(seed):
    film = example(seed)
    news = as_news(film, np.random.default_rng(seed))
    assert max(len(item) for item in news.truth) <= 15
    assert len(news.truth) >= 12
    firsts = comparable(news.features[0].vectors)[list(news.truth.starts)]
    closest = np.sort(similarities(firsts, firsts) - 2 * np.eye(len(firsts)), axis=1)[:, -1]
    assert np.mean(closest > 0.9) > 0.2


def test_variants_are_the_same_for_a_seed_and_are_learned_from():
    pytest.importorskip("torch")
    film = example(0)
    first, again = (variants(film, np.random.default_rng(3)) for _ in range(2))
    assert [told(each) for each in first] == [told(each) for each in again]
    recipe, plain = Recipe(steps=4, hidden=4), Recipe(steps=4, hidden=4, varied=False)
    one, same = (train([film], recipe, seed=1).digest for _ in range(2))
    assert one == same != train([film], plain, seed=1).digest
