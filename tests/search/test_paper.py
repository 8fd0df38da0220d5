"""The paper's R: the best shot of a story by presence of the concept and by aesthetics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope.search.paper import nearest_concept, rank_stories


def by_definition(shots, presence, picture_shots, beauty, alpha):
    of_shot = lambda s: [b for p, b in zip(picture_shots, beauty, strict=True) if p == s]  # noqa: E731
    return max(
        (alpha * presence[s] + (1 - alpha) * max(of_shot(s)) for s in shots if of_shot(s)),
        default=None,
    )


@given(st.integers(0, 1000), st.floats(0, 1))
def test_a_story_scores_as_its_definition_says(seed, alpha):
    chance = np.random.default_rng(seed)
    presence, stories = chance.random(12), [range(0, 5), range(5, 6), range(6, 12)]
    picture_shots = np.sort(chance.integers(0, 12, 20))
    beauty = chance.random(20)
    for shots, got in zip(
        stories, rank_stories(stories, presence, picture_shots, beauty, alpha=alpha), strict=True
    ):
        want = by_definition(shots, presence, picture_shots, beauty, alpha)
        assert (got is None) == (want is None)
        if got is not None:
            assert got.score == pytest.approx(want)
            assert picture_shots[got.picture] in shots
            assert got.score == pytest.approx(alpha * got.presence + (1 - alpha) * got.beauty)


def test_the_concept_most_like_the_query_is_taken():
    concepts = np.eye(3)
    assert nearest_concept(np.array([0.1, 0.9, 0.2]), concepts) == 1
    assert nearest_concept(np.zeros(3), concepts) is None
    assert nearest_concept(np.ones(3), np.zeros((0, 3))) is None
