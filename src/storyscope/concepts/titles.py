"""A title, keywords and a summary for every story, from speech, pictures and on-screen text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from storyscope.concepts.candidates import Candidate
from storyscope.concepts.detectors import Detections
from storyscope.concepts.phrases import plain_phrases
from storyscope.concepts.spoken import (
    Embed,
    ranked_by_similarity,
    screen_phrases,
    spoken_candidates,
)
from storyscope.concepts.summaries import about_the_file, summarise, without
from storyscope.concepts.visual import SecondOpinion, visual_candidates
from storyscope.core import Phrase, Story, Transcript


class StoryTitle(NamedTuple):
    """The title and keywords of a story."""

    title: str
    keywords: tuple[str, ...]
    summary: str = ""
    """One sentence of the transcript, or empty."""


def title_stories(
    stories: Sequence[Story],
    *,
    transcript: Transcript | None = None,
    seen: Detections | None = None,
    screen: Transcript | None = None,
    phrases: Sequence[Phrase] | None = None,
    embed: Embed | None = None,
    ask: SecondOpinion | None = None,
    labels: Mapping[int, str] | None = None,
) -> list[StoryTitle]:
    """Name every story of one video, each by what sets it apart from the others.

    `phrases` are the noun phrases of the transcript where a grammar found them
    (`concepts.mine`); without them a plain search over the transcript's words does. `embed`
    turns texts into vectors; with it a story is named by what most of it is about. `ask` asks a
    second network whether a story shows what the image network sees in it. `labels` names
    stories by their place in `stories` for what they are, such as "Credits"; nothing else is said
    of those. Titles are distinct within the video. A story with no words is named by what is seen
    in it, and by its number when nothing is known.
    """
    labels = labels or {}
    notes = about_the_file(transcript) if transcript else []
    if transcript:
        transcript = without(transcript, notes)
    if phrases is None:
        phrases = plain_phrases(transcript) if transcript else []
    phrases = [phrase for phrase in phrases if not any(phrase.span.middle in s for s in notes)]
    language = transcript.language if transcript else "en"
    mentions = [*phrases, *(screen_phrases(screen) if screen else [])]
    spoken = spoken_candidates(stories, mentions, language)
    if transcript and embed:
        spoken = ranked_by_similarity(stories, spoken, transcript, embed)
    visual = visual_candidates(stories, seen, ask) if seen else [[] for _ in stories]
    visual = [[c for c in each if c.probability >= MIN_CLASS_PROBABILITY] for each in visual]
    ranked = [_merge(phrases, classes) for phrases, classes in zip(spoken, visual, strict=True)]
    for number in labels:
        ranked[number] = []
    titles = _distinct_titles(ranked)
    summaries = summarise(stories, transcript, embed) if transcript else [""] * len(stories)
    return [
        StoryTitle(labels[number], ())
        if number in labels
        else StoryTitle(
            title, tuple(c.text for c in candidates if not c.is_weak)[:MOST_KEYWORDS], summary
        )
        for number, (title, candidates, summary) in enumerate(
            zip(titles, ranked, summaries, strict=True)
        )
    ]


MOST_KEYWORDS = 8
LONGEST_TITLE = 48
SECOND_PHRASE = 0.55
SECOND_CLASS = 0.4
"""A second phrase is added to the title if it scores at least this share of the first."""
FEW_MENTIONS = 4
MIN_CLASS_PROBABILITY = 0.5
"""Minimum probability of a recognised class in titles and keywords: no name is better than a wrong
one."""


def _merge(spoken: list[Candidate], visual: list[Candidate]) -> list[Candidate]:
    """Spoken phrases come first; a recognised class that is also spoken moves them up, and classes
    fill in if there are few words."""
    visible = {word for candidate in visual[:MOST_KEYWORDS] for word in candidate.key}
    lifted = sorted(spoken, key=lambda c: -c.score * (1.3 if visible.intersection(c.key) else 1.0))
    mentioned = {word for candidate in lifted[:MOST_KEYWORDS] for word in candidate.key}
    others = [candidate for candidate in visual if not mentioned.intersection(candidate.key)]
    if sum(candidate.mentions for candidate in spoken) < FEW_MENTIONS:
        return [*others[:2], *lifted, *others[2:]]
    return [*lifted[: MOST_KEYWORDS - 2], *others[:2], *lifted[MOST_KEYWORDS - 2 :]]


def _distinct_titles(ranked: Sequence[Sequence[Candidate]]) -> list[str]:
    """One or two phrases per story; duplicate titles are distinguished by the next phrase."""
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


def _proposals(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """The phrases that a title could be made of, in order of preference; weak ones come last."""
    strong = [candidate for candidate in candidates if not candidate.is_weak]
    if not strong:
        return []
    first, *others = strong
    pairs = [[first, other] for other in others]
    close = [pair for pair in pairs[:2] if _is_close(*pair)][:1]
    proposals = [*close, [first], *(pair for pair in pairs if pair not in close)]
    proposals += [[other] for other in others[:3]]
    proposals += [list(pair) for pair in combinations(others[:4], 2)]
    proposals += [[first, candidate] for candidate in candidates if candidate.is_weak]
    return [p for p in proposals if len(_written(p)) <= LONGEST_TITLE] or [[first]]


def _is_close(first: Candidate, second: Candidate) -> bool:
    """Whether the second phrase scores nearly as high, and is from the same modality."""
    share = SECOND_CLASS if first.seen else SECOND_PHRASE
    return first.seen == second.seen and second.score >= share * first.score


def _meaning(phrases: Sequence[Candidate]) -> frozenset[str]:
    return frozenset(word for phrase in phrases for word in phrase.key)


def _written(phrases: Sequence[Candidate]) -> str:
    text = ", ".join(phrase.text for phrase in phrases)
    return text[:1].upper() + text[1:]
