"""From what each sense says of a story to whether it answers, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from storyscope.core import Passages, Span
from storyscope.search.classes import conse
from storyscope.search.image_text import described
from storyscope.search.segment import Scores, Senses

RELEVANT = 0.16
"""A story that answers with a smaller chance is no answer."""
LIKELY = 0.5
"""A story that answers with a smaller chance does so perhaps."""
ALL_TERMS = 0.999
"""Shares are sums of fractions."""


@dataclass(frozen=True)
class Match:
    """Words of the query in a passage."""

    span: Span
    text: str
    kind: str
    """`said`, or `read` on screen."""
    share: float
    """Of the query's terms, from 0 to 1."""


@dataclass(frozen=True, eq=False)
class Heard:
    """What all senses say of every story."""

    scores: Scores
    said: np.ndarray
    """Share of the query's terms in the best passage of each story, heard..."""
    read: np.ndarray
    """...and on screen."""


@dataclass(frozen=True)
class Weights:
    """How much each sense counts, on the scale of log-odds.

    Chosen by `python -m benchmarks.search.search --fit` on the tuning half of our queries, so
    that a score is the share of such answers that are right.
    """

    said: float = 7.1
    meant: float = 8.6
    told: float = 10.7
    words_offset: float = -11.0
    named: float = 6.0
    seen: float = 4.0
    seen_offset: float = -2.2
    pictures: float = 0.32
    """Chance that a story answers in which the image network surely sees it; half will just do."""


WEIGHTS = Weights()


@dataclass(frozen=True, eq=False)
class Judged:
    """Every story's score and its parts, each an array from 0 to 1."""

    score: np.ndarray
    """Chance that the story answers, and..."""
    words: np.ndarray
    """...chance that it does so by its words."""
    said: np.ndarray
    meant: np.ndarray
    seen: np.ndarray
    """Chance that it answers by its pictures."""
    read: np.ndarray

    def only(self, alive: np.ndarray) -> Judged:
        """The same, but nothing speaks for stories that are gone."""
        return replace(self, score=np.where(alive, self.score, 0))

    def parts(self, story: int) -> dict[str, float]:
        """What each sense says of one story."""
        return {name: float(getattr(self, name)[story]) for name in PARTS}


PARTS = ("said", "meant", "seen", "read")


def judge(heard: Heard, weights: Weights = WEIGHTS) -> Judged:
    """Fuse: a story answers by its words or by its pictures.

        score = 1 - (1 - p(words)) (1 - p(pictures))

    However sure the image network is, it is often mistaken: p(pictures) has a ceiling.
    """
    scores, said, read = heard.scores, heard.said, heard.read
    there = (scores.meant != 0) | (said > 0) | (read > 0)
    words = _chance(
        weights.said * np.maximum(said, read)
        + weights.meant * scores.meant
        + weights.told * scores.told
        + weights.words_offset
    )
    pictures = _chance(
        weights.named * scores.named + weights.seen * scores.seen + weights.seen_offset
    )
    # What is asked for word by word is there, however little its meaning weighs.
    words = np.where(np.maximum(said, read) > ALL_TERMS, np.maximum(words, LIKELY), words)
    words = np.where(there, words, 0)
    pictures = np.where((scores.seen != 0) | (scores.named > 0), pictures, 0)
    pictures = weights.pictures * np.maximum(pictures, scores.pictured)
    score = 1 - (1 - words) * (1 - pictures)
    meant = np.clip(np.maximum(scores.meant, scores.told), 0, 1)
    return Judged(score, words, said, meant, pictures, read)


def picture_relevance(
    passages: Passages,
    rows: np.ndarray,
    senses: Senses,
    meanings: np.ndarray,
    weights: Weights = WEIGHTS,
) -> np.ndarray:
    """How far keyframes of a video show what is asked for, from 0 to 1; 0 for all but `rows`."""
    relevance = np.zeros(len(passages.seconds))
    if senses.caption is not None:
        if passages.looks.shape[1] == len(senses.caption):
            cosines = passages.looks[rows].astype(np.float32) @ senses.caption
            relevance[rows] = described(cosines, passages.best_rivals[rows])
        return relevance
    classes, shares = passages.classes[rows], passages.shares[rows].astype(np.float32)
    odds = np.full(len(rows), weights.seen_offset)
    if senses.looks is not None and len(rows):
        odds += weights.seen * (conse(classes, shares, meanings) @ senses.looks)
    if senses.names is not None:
        odds += weights.named * (shares * senses.names[classes]).sum(axis=1)
    relevance[rows] = _chance(odds)
    return relevance


def _chance(log_odds: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -30, 30))))
