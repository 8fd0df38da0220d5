"""Neighbours and words found by a database -> the stories whose words probably match best.

A cosine of the index and a share of terms estimate a score closely; only the best estimates are
worth reading the rows that score a story exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from storyscope.search.scores import WEIGHTS, Weights
from storyscope.store import FoundPassages, Neighbours

_NUMBERS = np.zeros(0, np.int64)
NONE = Neighbours(_NUMBERS, np.zeros(0, np.float32))
NO_PASSAGES = FoundPassages(_NUMBERS, _NUMBERS, np.zeros((0, 0), bool))


class WordEstimates(NamedTuple):
    """Stories by the estimated log-odds that their words match, best first."""

    stories: np.ndarray
    log_odds: np.ndarray


def estimate_words(
    topics: Neighbours,
    windows: Neighbours,
    said: Neighbours = NONE,
    passages: FoundPassages = NO_PASSAGES,
    weights: Weights = WEIGHTS,
) -> WordEstimates:
    """Estimate the log-odds of words of all neighbours, and of the stories found by their terms.

    `topics` and `windows` are the nearest whole transcripts and text windows, `said` the topics of
    stories that contain terms, and `passages` those that contain terms, also of other stories.
    """
    stories = np.unique(np.concatenate([topics.stories, windows.stories, said.stories]))
    # A topic that is not among the nearest is no nearer than the last of them.
    farthest = np.full(len(stories), topics.cosines[-1] if len(topics.cosines) else 0.0)
    known = np.concatenate([topics.stories, said.stories])
    topic = _largest(stories, known, np.concatenate([topics.cosines, said.cosines]), farthest)
    window = _largest(stories, windows.stories, windows.cosines, topic)
    shares = passages.terms.sum(axis=1) / max(passages.terms.shape[1], 1)
    inside = np.isin(passages.stories, stories)
    none = np.zeros(len(stories))
    share = _largest(stories, passages.stories[inside], shares[inside], none)
    log_odds = (
        weights.spoken * share
        + weights.best_window * window
        + weights.whole_story * topic
        + weights.words_offset
    )
    order = np.argsort(-log_odds, kind="stable")
    return WordEstimates(stories[order], log_odds[order])


def _largest(
    stories: np.ndarray, owners: np.ndarray, values: np.ndarray, default: np.ndarray
) -> np.ndarray:
    """Each story's largest value, otherwise its default; `stories` are sorted."""
    found = np.full(len(stories), -np.inf)
    np.maximum.at(found, np.searchsorted(stories, owners), values)
    return np.where(np.isinf(found), default, found)
