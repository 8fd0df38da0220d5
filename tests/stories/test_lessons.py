"""Ways to read one annotated video again."""

import numpy as np
import pytest

from story_films import made_up_film
from storyscope.stories.relations import Rhythm
from storyscope.stories.similarity import cues_of, look
from storyscope.stories.training import Lesson, Recipe, train


def lesson(seed):
    shots, features, truth = made_up_film(seed)
    return Lesson(look(cues_of(features)), Rhythm.of(shots), truth)


def told(lesson):
    """Each story by what does not depend on where it stands: its lengths and inner likenesses."""
    return sorted(
        (
            *np.diff(lesson.rhythm.edges)[story.start : story.stop].round(6),
            *lesson.views.appearance[story.start : story.stop, story.start : story.stop].ravel(),
        )
        for story in lesson.truth
    )


@pytest.mark.parametrize("seed", range(5))
def test_another_order_tells_the_same_stories(seed):
    film = lesson(seed)
    other = film.reordered(np.random.default_rng(seed))
    assert told(other) == told(film)
    assert other.truth.end == film.truth.end
    assert np.ptp(other.rhythm.edges) == pytest.approx(np.ptp(film.rhythm.edges))
    assert other.rhythm.transitions[0] == 0


def test_another_order_is_another_order():
    film = lesson(0)
    orders = {
        film.reordered(np.random.default_rng(seed)).rhythm.edges.tobytes() for seed in range(8)
    }
    assert len(orders) > 4


def test_another_order_is_learned_from():
    pytest.importorskip("torch")
    films = [lesson(seed) for seed in range(2)]
    recipe = Recipe(members=1, steps=4, hidden=4, reordered=0.5)
    plain = Recipe(members=1, steps=4, hidden=4)
    first, again = (train(films, recipe, seed=1).digest for _ in range(2))
    assert first == again != train(films, plain, seed=1).digest
