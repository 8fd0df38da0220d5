"""Each story's score in each modality -> the probability that the story is relevant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from storyscope.core import Passages
from storyscope.core.logistic import sigmoid
from storyscope.search.classes import conse
from storyscope.search.image_match import match_probability
from storyscope.search.query import QueryVectors

MIN_SCORE = 0.16
"""A story with a lower probability is not a hit."""
LIKELY_SCORE = 0.5
"""A hit with a lower probability is a possible match."""
ALL_TERMS = 0.999
"""Share above which a passage contains all terms, with tolerance for rounding."""


class VectorScores(NamedTuple):
    """Scores of every story by vectors: one number per story in each array, 0 for no data."""

    best_window: np.ndarray
    """Cosine of the query with the nearest window of the story's transcript."""
    whole_story: np.ndarray
    """Cosine of the query with the whole transcript of the story."""
    visual: np.ndarray
    """Cosine of the query with the nearest shot, by ConSE."""
    named_classes: np.ndarray
    """Probability of the classes that the query names, in the shot where it is largest."""
    image_text: np.ndarray
    """Probability that the query describes the best shot, by an image-text model; negative if no
    such model encoded the story."""


class ModalityScores(NamedTuple):
    """Scores of every story in every modality: one number per story in each array."""

    vectors: VectorScores
    spoken: np.ndarray
    """Share of the query's terms in the best spoken passage."""
    on_screen: np.ndarray
    """Share of the query's terms in the best text on screen."""


@dataclass(frozen=True)
class Weights:
    """Log-odds weights of the modalities.

    Chosen by `python -m benchmarks.search.search --fit` on the tuning half of our queries, so that
    a score is the share of such hits that are right.
    """

    spoken: float = 7.1
    best_window: float = 8.6
    whole_story: float = 10.7
    words_offset: float = -11.0
    named_classes: float = 6.0
    visual: float = 4.0
    visual_offset: float = -2.2
    visual_ceiling: float = 0.32
    """Maximum probability of a story by the classes of the image network alone, which are often
    wrong."""


WEIGHTS = Weights()


@dataclass(frozen=True, eq=False)
class FusedScores:
    """Every story's score and its parts, each an array of numbers from 0 to 1."""

    score: np.ndarray
    """Probability that the story is relevant."""
    words: np.ndarray
    """Probability that it is relevant by its words."""
    spoken: np.ndarray
    """Share of the query's terms in the best spoken passage."""
    topic: np.ndarray
    """Similarity of the query to the transcript."""
    visual: np.ndarray
    """Probability that it is relevant by its pictures."""
    on_screen: np.ndarray
    """Share of the query's terms in the best text on screen."""

    def only(self, current: np.ndarray) -> FusedScores:
        """The same scores, with 0 for stories that are not current."""
        return replace(self, score=np.where(current, self.score, 0))

    def parts(self, story: int) -> dict[str, float]:
        """The parts of one story's score, under the names of the JSON interface."""
        values = (self.spoken, self.topic, self.visual, self.on_screen)
        return named_parts(*(float(part[story]) for part in values))


def named_parts(
    spoken: float = 0.0, topic: float = 0.0, visual: float = 0.0, on_screen: float = 0.0
) -> dict[str, float]:
    """The parts of a hit's score as `search --json` names them."""
    return {"said": spoken, "meant": topic, "seen": visual, "read": on_screen}


def fuse(scores: ModalityScores, weights: Weights = WEIGHTS) -> FusedScores:
    """Fuse the modalities: a story may match by its words or by its pictures.

        score = 1 - (1 - p(words)) (1 - p(visual))

    The image network is often wrong even where it is confident: by its classes alone, p(visual) has
    a ceiling. If an image-text model encoded the story, its probability already includes the
    classes.
    """
    vectors, spoken, on_screen = scores
    terms = np.maximum(spoken, on_screen)
    words = sigmoid(
        weights.spoken * terms
        + weights.best_window * vectors.best_window
        + weights.whole_story * vectors.whole_story
        + weights.words_offset
    )
    # A passage that contains all terms is a hit, even if its topic is different.
    words = np.where(terms > ALL_TERMS, np.maximum(words, LIKELY_SCORE), words)
    words = np.where((vectors.best_window != 0) | (terms > 0), words, 0)
    conse_visual = sigmoid(
        weights.named_classes * vectors.named_classes
        + weights.visual * vectors.visual
        + weights.visual_offset
    )
    has_classes = (vectors.visual != 0) | (vectors.named_classes > 0)
    by_classes = weights.visual_ceiling * np.where(has_classes, conse_visual, 0)
    visual = np.where(vectors.image_text >= 0, vectors.image_text, by_classes)
    score = 1 - (1 - words) * (1 - visual)
    topic = np.clip(np.maximum(vectors.best_window, vectors.whole_story), 0, 1)
    return FusedScores(score, words, spoken, topic, visual, on_screen)


def frame_relevance(
    passages: Passages,
    rows: np.ndarray,
    query: QueryVectors,
    class_vectors: np.ndarray,
    weights: Weights = WEIGHTS,
) -> np.ndarray:
    """How well each keyframe of a video shows the query, from 0 to 1; 0 for all but `rows`."""
    relevance = np.zeros(len(passages.seconds))
    classes, shares = passages.classes[rows], passages.shares[rows].astype(np.float32)
    log_odds, class_cosines = np.full(len(rows), weights.visual_offset), np.zeros(len(rows))
    if query.visual is not None and len(rows):
        class_cosines = conse(classes, shares, class_vectors) @ query.visual
        log_odds += weights.visual * class_cosines
    if query.class_weights is not None:
        log_odds += weights.named_classes * (shares * query.class_weights[classes]).sum(axis=1)
    relevance[rows] = sigmoid(log_odds)
    if query.image_text is not None and passages.looks.shape[1] == len(query.image_text):
        cosines = passages.looks[rows].astype(np.float32) @ query.image_text
        matches = match_probability(cosines, passages.backgrounds[rows], class_cosines)
        relevance[rows] = np.where(matches >= 0, matches, relevance[rows])
    return relevance
