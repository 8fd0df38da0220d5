"""A title and keywords for every story, from what is said, seen and written in it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import log
from typing import NamedTuple

import numpy as np

from storyscope.concepts.detectors import Seen
from storyscope.concepts.english import PALE_WORDS
from storyscope.concepts.phrases import plain_phrases, singular
from storyscope.concepts.taxonomy import UNRELIABLE
from storyscope.core import Phrase, Story, Transcript
from storyscope.core.language import stop_words


class StoryTitle(NamedTuple):
    """What a story is called, and the words it is found by."""

    title: str
    keywords: tuple[str, ...]


def title_stories(
    stories: Sequence[Story],
    *,
    transcript: Transcript | None = None,
    seen: Seen | None = None,
    screen: Transcript | None = None,
    phrases: Sequence[Phrase] | None = None,
) -> list[StoryTitle]:
    """Name every story of one video, each by what sets it apart from the others.

    `phrases` are the noun phrases of the transcript where a grammar found them
    (`concepts.mine`); without them a plain search over the transcript's words does. Titles are
    distinct within the video. A story with no words is named by what is seen in it, and by its
    number when nothing is known.
    """
    if phrases is None:
        phrases = plain_phrases(transcript) if transcript else []
    language = transcript.language if transcript else "en"
    mentions = [*phrases, *(_screen_phrases(screen) if screen else [])]
    said = _said_candidates(stories, mentions, language)
    shown = _seen_candidates(stories, seen) if seen else [[] for _ in stories]
    ranked = [_merge(words, sights) for words, sights in zip(said, shown, strict=True)]
    titles = _distinct_titles(ranked)
    return [
        StoryTitle(title, tuple(c.text for c in candidates[:MOST_KEYWORDS]))
        for title, candidates in zip(titles, ranked, strict=True)
    ]


MOST_KEYWORDS = 8
LONGEST_TITLE = 48
SECOND_PHRASE = 0.55
"""A second phrase joins the title when it scores at least this share of the first."""
FEW_MENTIONS = 4


@dataclass(frozen=True)
class _Candidate:
    text: str
    key: tuple[str, ...]
    score: float
    mentions: int
    seen: bool = False


def _said_candidates(
    stories: Sequence[Story], mentions: Sequence[Phrase], language: str
) -> list[list[_Candidate]]:
    """Each story's phrases, best first.

    A phrase counts more the oftener this story says it and the fewer stories say it at all:

        score = (1 + log mentions) log(1 + stories / stories that say it)
    """
    told = [_within(story, mentions) for story in stories]
    counts = [_counts(phrases) for phrases in told]
    spread = Counter(key for count in counts for key in count)
    rankings = []
    for phrases, count in zip(told, counts, strict=True):
        texts = _texts(phrases, language)
        candidates = []
        for key, mentioned in count.items():
            text, is_name = texts[key]
            if _is_pale(key, language):
                continue
            score = (1 + log(mentioned)) * log(1 + len(stories) / spread[key])
            score *= (1.15 if is_name else 1.0) * (1.2 if len(key) > 1 else 1.0)
            candidates.append(_Candidate(text, key, score, mentioned))
        candidates.sort(key=lambda candidate: -candidate.score)
        rankings.append(_without_nested(candidates))
    return rankings


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
    """How each phrase is oftenest written, and whether it is a name."""
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


def _without_nested(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Of phrases that share a word keep the first, told as fully as half its mentions tell it."""
    kept: list[_Candidate] = []
    used: set[str] = set()
    for candidate in candidates:
        if used.intersection(candidate.key):
            continue
        fuller = [
            other
            for other in candidates
            if len(other.key) > len(candidate.key)
            and set(candidate.key) <= set(other.key)
            and 2 * other.mentions >= candidate.mentions
            and not used.intersection(other.key)
        ]
        chosen = max(fuller, key=lambda other: other.mentions, default=candidate)
        kept.append(chosen)
        used.update(chosen.key)
    return kept


def _screen_phrases(screen: Transcript) -> list[Phrase]:
    """Lines written in the picture are short and chosen with care; each is read by itself."""
    lines = groupby(screen.words, key=lambda word: word.span)
    return [
        replace(phrase, is_name=True)
        for _, words in lines
        for phrase in plain_phrases(replace(screen, words=tuple(words)), is_prose=False)
        if all(len(part) > 2 for part in phrase.key)
    ]


LEAST_PROBABILITY = 0.05


def _seen_candidates(stories: Sequence[Story], seen: Seen) -> list[list[_Candidate]]:
    """What each story shows more of than the video does as a whole.

    score = w p log(1 + p / mean p)

    with p the story's mean probability of the concept and w its narrowness: one for a single
    class, less for a concept of many, so that a sure "dog" beats an unsure "beagle" and a sure
    "beagle" beats them both.
    """
    probabilities = np.asarray(seen.probabilities, dtype=float)
    means = np.stack([probabilities[s.shots.start : s.shots.stop].mean(axis=0) for s in stories])
    usual = means.mean(axis=0) + 1e-9
    scores = seen.narrowness() * means * np.log1p(means / usual)
    rankings = []
    for mean, score in zip(means, scores, strict=True):
        order = np.argsort(-score, kind="stable")[: 3 * MOST_KEYWORDS]
        candidates = [
            _Candidate(
                seen.names[i],
                tuple(singular(part) for part in seen.names[i].split()),
                float(score[i]),
                mentions=1,
                seen=True,
            )
            for i in _unrelated(order.tolist(), seen)
            if mean[i] >= LEAST_PROBABILITY and seen.names[i] not in UNRELIABLE
        ]
        rankings.append(_without_nested(candidates))
    return rankings


def _unrelated(order: Sequence[int], seen: Seen) -> Iterator[int]:
    """Of concepts that take in one another (bear, polar bear) only the first."""
    covered: set[int] = set()
    for concept in order:
        covers = seen.covers[concept] if seen.covers else frozenset()
        if not covered.intersection(covers):
            covered |= covers
            yield concept


def _merge(said: list[_Candidate], shown: list[_Candidate]) -> list[_Candidate]:
    """Words lead; a sight that is also said moves them up, and fills in where words are few."""
    sights = {word for candidate in shown[:MOST_KEYWORDS] for word in candidate.key}
    lifted = sorted(said, key=lambda c: -c.score * (1.3 if sights.intersection(c.key) else 1.0))
    spoken = {word for candidate in lifted[:MOST_KEYWORDS] for word in candidate.key}
    unsaid = [candidate for candidate in shown if not spoken.intersection(candidate.key)]
    if sum(candidate.mentions for candidate in said) < FEW_MENTIONS:
        return [*unsaid[:2], *lifted, *unsaid[2:]]
    return [*lifted[: MOST_KEYWORDS - 2], *unsaid[:2], *lifted[MOST_KEYWORDS - 2 :]]


def _distinct_titles(ranked: Sequence[Sequence[_Candidate]]) -> list[str]:
    """One or two phrases a story; a title that is taken is told apart by the next phrase."""
    taken: set[frozenset[str]] = set()
    titles = []
    for number, candidates in enumerate(ranked, start=1):
        proposals = _proposals(candidates)
        free = [proposal for proposal in proposals if _meaning(proposal) not in taken]
        if free:
            taken.add(_meaning(free[0]))
            titles.append(_written(free[0]))
        elif proposals:
            titles.append(f"{_written(proposals[0])} ({number})")
        else:
            titles.append(f"Story {number}")
    return titles


def _proposals(candidates: Sequence[_Candidate]) -> list[list[_Candidate]]:
    """The phrases a title could be made of, in order of preference."""
    if not candidates:
        return []
    first, *others = candidates
    pairs = [[first, other] for other in others]
    close = [
        pair
        for pair in pairs[:2]
        if pair[1].score >= SECOND_PHRASE * first.score and pair[1].seen == first.seen
    ]
    proposals = [*close[:1], [first], *(pair for pair in pairs if pair not in close[:1])]
    return [p for p in proposals if len(_written(p)) <= LONGEST_TITLE] or [[first]]


def _meaning(phrases: Sequence[_Candidate]) -> frozenset[str]:
    return frozenset(word for phrase in phrases for word in phrase.key)


def _written(phrases: Sequence[_Candidate]) -> str:
    text = ", ".join(phrase.text for phrase in phrases)
    return text[:1].upper() + text[1:]
