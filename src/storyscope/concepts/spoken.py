"""Names for stories from spoken words and on-screen text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from math import log

import numpy as np

from storyscope.concepts.candidates import Candidate, without_nested
from storyscope.concepts.english import PALE_WORDS
from storyscope.concepts.phrases import plain_phrases
from storyscope.core import Phrase, Story, Transcript, Word
from storyscope.core.language import stop_words

Embed = Callable[[Sequence[str]], np.ndarray]
"""A function from texts to vectors, one row each, close to each other if the meaning is similar."""


def spoken_candidates(
    stories: Sequence[Story], mentions: Sequence[Phrase], language: str
) -> list[list[Candidate]]:
    """Each story's phrases, best first.

    A phrase scores higher the more often this story says it and the fewer stories say it at all:

        score = (1 + log mentions) log(1 + stories / stories that say it)
    """
    phrases_of = [_within(story, mentions) for story in stories]
    counts = [_counts(phrases) for phrases in phrases_of]
    spread = Counter(key for count in counts for key in count)
    rankings = []
    for phrases, count in zip(phrases_of, counts, strict=True):
        texts = _texts(phrases, language)
        candidates = []
        for key, mentioned in count.items():
            text, is_name = texts[key]
            if _is_pale(key, language):
                continue
            score = (1 + log(mentioned)) * log(1 + len(stories) / spread[key])
            score *= (1.15 if is_name else 1.0) * (1.2 if len(key) > 1 else 1.0)
            candidates.append(Candidate(text, key, score, mentioned))
        candidates.sort(key=lambda candidate: -candidate.score)
        rankings.append(without_nested(candidates))
    return rankings


def ranked_by_similarity(
    stories: Sequence[Story],
    rankings: Sequence[list[Candidate]],
    transcript: Transcript,
    embed: Embed,
) -> list[list[Candidate]]:
    """The same candidates, sorted by similarity of meaning to the whole text of their story.

    In a short story every word occurs once; its subject is what the rest of it is about.
    """
    reranked = []
    for story, candidates in zip(stories, rankings, strict=True):
        shortlist = candidates[:SHORTLIST]
        windows = _windows(transcript.within(story.span))
        if not shortlist or not windows:
            reranked.append(candidates)
            continue
        vectors = np.asarray(embed([*windows, *(c.text for c in shortlist)]), dtype=float)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        meaning = vectors[: len(windows)].mean(axis=0)
        likeness = np.maximum(0.0, vectors[len(windows) :] @ meaning)
        nearer = [
            replace(candidate, score=candidate.score * (LEAST_NEARNESS + like))
            for candidate, like in zip(shortlist, likeness.tolist(), strict=True)
        ]
        reranked.append([*sorted(nearer, key=lambda c: -c.score), *candidates[SHORTLIST:]])
    return reranked


SHORTLIST = 24
LEAST_NEARNESS = 0.2
WINDOW_WORDS = 80


def _windows(words: Sequence[Word]) -> list[str]:
    texts = [word.text for word in words]
    return [
        " ".join(texts[start : start + WINDOW_WORDS])
        for start in range(0, len(texts), WINDOW_WORDS)
    ]


def _within(story: Story, mentions: Iterable[Phrase]) -> list[Phrase]:
    return [phrase for phrase in mentions if phrase.span.middle in story.span]


def _counts(phrases: Sequence[Phrase]) -> Counter[tuple[str, ...]]:
    """Mentions of every phrase, and of its last word: a polar bear is a bear too."""
    counts: Counter[tuple[str, ...]] = Counter()
    for phrase in phrases:
        counts[phrase.key] += 1
        if len(phrase.key) > 1 and not phrase.is_name:
            counts[phrase.key[-1:]] += 1
    return counts


def _texts(phrases: Sequence[Phrase], language: str) -> dict[tuple[str, ...], tuple[str, bool]]:
    """The most frequent spelling of each phrase, and whether it is a name."""
    forms: dict[tuple[str, ...], Counter[tuple[str, bool]]] = defaultdict(Counter)
    for phrase in phrases:
        forms[phrase.key][phrase.text, phrase.is_name] += 1
        if len(phrase.key) > 1 and not phrase.is_name:
            forms[phrase.key[-1:]][phrase.text.split()[-1], False] += 1
    return {key: max(form, key=lambda f: (form[f], f)) for key, form in forms.items()}


def _is_pale(key: tuple[str, ...], language: str) -> bool:
    """Words that say nothing about what a story is about."""
    stops = stop_words(language)
    return all(
        len(word) < 2 or word in PALE_WORDS or word in stops or not word[0].isalpha()
        for word in key
    )


def screen_phrases(screen: Transcript) -> list[Phrase]:
    """Lines on screen are short and deliberate, so each is treated separately."""
    lines = groupby(screen.words, key=lambda word: word.span)
    return [
        replace(phrase, is_name=True)
        for _, words in lines
        for phrase in plain_phrases(replace(screen, words=tuple(words)), is_prose=False)
        if all(len(part) > 2 for part in phrase.key)
    ]
