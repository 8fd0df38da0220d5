"""One line that says why a story answers, and which of its pictures show it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from storyscope.core import Passages, Span, Story, format_time
from storyscope.models import class_names
from storyscope.search.answer import LIKELY, Match, picture_relevance
from storyscope.search.segment import Senses
from storyscope.search.shots import owner_of

SAID_REACH = 4.0
"""Seconds around a passage whose words match in which a picture is thought to show it."""


def matches_in(passages: Passages, story: Story, shares: np.ndarray) -> list[Match]:
    """Passages of the story that hold words of the query, in their order.

    `shares` holds the share of the query's terms in each passage: heard ones, then those on screen.
    """
    heard = len(passages.texts)
    found = []
    for number in np.flatnonzero(shares).tolist():
        if number < heard:
            span = Span(*passages.spans[number].tolist())
            match = Match(span, passages.texts[number], "said", float(shares[number]))
        else:
            second = passages.screen_seconds[number - heard]
            text = passages.screen_texts[number - heard]
            match = Match(Span(second, second), text, "read", float(shares[number]))
        if match.span.middle in story.span:
            found.append(match)
    return found


def holds_phrases(words: Sequence[Match], phrases: Sequence[str]) -> bool:
    """Whether every phrase stands word by word in one of the passages."""
    return all(any(_holds(match.text, phrase) for match in words) for phrase in phrases)


def shown_relevance(
    passages: Passages, story: Story, senses: Senses, meanings: np.ndarray, words: Sequence[Match]
) -> np.ndarray:
    """How far each keyframe of the story shows what is asked for, from 0 to 1."""
    rows = np.flatnonzero(owner_of(passages.seconds, [story]) >= 0)
    relevance = picture_relevance(passages, rows, senses, meanings)
    for match in words:
        apart = passages.seconds - match.span.middle
        nearness = np.exp(-(apart**2) / (2 * SAID_REACH**2))
        relevance = np.maximum(relevance, 0.5 * match.share * nearness)
    return relevance


def evidence(
    score: float,
    words: Sequence[Match],
    passages: Passages,
    story: Story,
    senses: Senses,
    relevance: np.ndarray,
    *,
    by_words: bool,
) -> str:
    """Words that match, else words that mean it; what is seen unless it answers `by_words`."""
    if by_words:
        because = _words(words, passages, story, senses)
    else:
        because = _picture(passages, story, senses, relevance)
    return because if score >= LIKELY or not because else f"perhaps: {because}"


def _words(words: Sequence[Match], passages: Passages, story: Story, senses: Senses) -> str:
    best = max(words, key=lambda match: match.share, default=None)
    if best is not None:
        return f"{best.kind} at {format_time(best.span.start)}: “{best.text}”"
    windows = np.flatnonzero(owner_of(passages.spans.mean(axis=1), [story]) >= 0)
    if not len(windows) or senses.meaning is None:
        return ""
    nearest = windows[np.argmax(passages.text_vectors[windows] @ senses.meaning)]
    return f"said at {format_time(passages.spans[nearest][0])}: “{passages.texts[nearest]}”"


def _picture(passages: Passages, story: Story, senses: Senses, relevance: np.ndarray) -> str:
    pictures = np.flatnonzero(owner_of(passages.seconds, [story]) >= 0)
    if not len(pictures):
        return ""
    picture = int(pictures[np.argmax(relevance[pictures])])
    sight = _sight(passages, picture, senses)
    if senses.caption is not None:
        sight = f"it fits the words {relevance[picture]:.2f}"
    return f"seen at {format_time(passages.seconds[picture])}: {sight}"


def _sight(passages: Passages, picture: int, senses: Senses) -> str:
    """The class that tells most of why a picture fits: the named one, else the likeliest."""
    names, classes = class_names(), passages.classes[picture]
    named = senses.names if senses.names is not None else np.zeros(len(names))
    weight = passages.shares[picture].astype(float) * (named[classes] + 1e-3)
    return names[int(classes[weight.argmax()])]


def _holds(text: str, phrase: str) -> bool:
    words = " ".join(re.findall(r"\w+", text.lower()))
    return " ".join(re.findall(r"\w+", phrase)) in words
