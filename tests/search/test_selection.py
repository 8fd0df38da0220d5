"""Candidates of a database are the stories with the best estimates of their words."""

import numpy as np
import pytest

from storyscope.search.scores import WEIGHTS
from storyscope.search.selection import estimate_words
from storyscope.store import FoundPassages, Neighbours


def neighbours(cosines):
    stories, values = zip(*cosines, strict=True)
    return Neighbours(np.array(stories), np.array(values, np.float32))


def found(passages):
    stories, terms = zip(*passages, strict=True)
    return FoundPassages(np.array(stories), np.arange(len(stories)), np.array(terms, bool))


def test_an_estimate_is_the_score_of_words_from_the_best_values_that_are_known():
    topics = neighbours([(7, 0.6), (3, 0.4)])
    windows = neighbours([(3, 0.8), (5, 0.7), (3, 0.5)])
    said = neighbours([(9, 0.1), (7, 0.6)])
    passages = found([(9, [1, 0]), (9, [1, 1]), (7, [0, 1]), (8, [1, 1])])
    estimates = estimate_words(topics, windows, said, passages)
    # Share of terms, nearest window, topic. Story 5 has the topic of the last of the nearest.
    known = {3: (0, 0.8, 0.4), 5: (0, 0.7, 0.4), 7: (0.5, 0.6, 0.6), 9: (1, 0.1, 0.1)}
    weights = np.array([WEIGHTS.spoken, WEIGHTS.best_window, WEIGHTS.whole_story])
    wanted = {story: weights @ values + WEIGHTS.words_offset for story, values in known.items()}
    assert dict(zip(estimates.stories.tolist(), estimates.log_odds, strict=True)) == {
        story: pytest.approx(value, abs=1e-5) for story, value in wanted.items()
    }
    assert estimates.stories.tolist() == sorted(wanted, key=lambda story: -wanted[story])


def test_neighbours_without_terms_are_estimated_by_their_vectors():
    estimates = estimate_words(neighbours([(2, 0.1), (1, 0.3)]), neighbours([(2, 0.9)]))
    assert estimates.stories.tolist() == [2, 1]
