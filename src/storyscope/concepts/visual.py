"""Names for stories from the classes recognised in their pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import exp, log

import numpy as np

from storyscope.concepts.candidates import Candidate, without_nested
from storyscope.concepts.detectors import Detections
from storyscope.concepts.taxonomy import UNRELIABLE, VAGUE_GROUPS
from storyscope.core import Story
from storyscope.core.plurals import singular

SecondOpinion = Callable[[Story, Sequence[str]], Sequence[float] | None]
"""How many standard deviations each name stands out from other names for the pictures of a story,
by another network; None if that network did not encode them."""

LEAST_PROBABILITY = 0.05
COMMON = 0.05
"""Minimum mean probability of a concept in a video: rare mistakes must not look significant."""
CREDITS = 0.4
"""A story that shows text with this probability is credits or a title card."""
MOST_SIGHTS = 4
CHANCE_ALONE = (0.72, -0.52)
CHANCE_CONFIRMED = (0.6, 0.81, -1.85)
"""Weights of the log-odds and of the second network, and the offset, for the probability that a
recognised class is right; `python -m benchmarks.search.sights` fits them to classes that a person
checked."""


def visual_candidates(
    stories: Sequence[Story], seen: Detections, ask: SecondOpinion | None = None
) -> list[list[Candidate]]:
    """What each story shows more of than the video does as a whole, and how sure that is.

        score = w p log(1 + (p / (mean p + 0.05))^2)

    with p the story's mean probability of the concept and w its narrowness: one for a single
    class, less for a concept of many, so that a sure "dog" beats an unsure "beagle" and a sure
    "beagle" beats them both. A candidate's probability is the chance that it is right: `ask` asks
    a second network.
    """
    probabilities = np.asarray(seen.probabilities, dtype=float)
    means = np.stack([probabilities[s.shots.start : s.shots.stop].mean(axis=0) for s in stories])
    contrast = means / (means.mean(axis=0) + COMMON)
    scores = seen.narrowness() * means * np.log1p(contrast**2)
    too_vague = UNRELIABLE | VAGUE_GROUPS
    useful = np.array([name not in too_vague for name in seen.names])
    writing = seen.names.index("writing") if "writing" in seen.names else None
    rankings = []
    for number, (story, mean, score) in enumerate(zip(stories, means, scores, strict=True)):
        if writing is not None and mean[writing] >= CREDITS:
            rankings.append([_writing(number, len(stories))])
            continue
        fitting = np.flatnonzero(useful & (mean >= LEAST_PROBABILITY))
        fitting = fitting[np.argsort(-score[fitting], kind="stable")]
        candidates = [
            _candidate(seen.names[i], float(score[i]), float(mean[i]))
            for i in _unrelated(fitting, seen)
        ]
        kept = sorted(without_nested(candidates), key=lambda candidate: candidate.is_weak)
        rankings.append(_judged(story, kept[:MOST_SIGHTS], ask))
    return rankings


def chance_right(probability: float, stands_out: float | None = None) -> float:
    """Probability that a class is right, given the probability by the image network."""
    odds = min(max(probability, 0.02), 0.98)
    log_odds = log(odds / (1 - odds))
    if stands_out is None:
        weight, offset = CHANCE_ALONE
        return 1 / (1 + exp(-(weight * log_odds + offset)))
    weight, second, offset = CHANCE_CONFIRMED
    return 1 / (1 + exp(-(weight * log_odds + second * stands_out + offset)))


def _judged(
    story: Story, candidates: Sequence[Candidate], ask: SecondOpinion | None
) -> list[Candidate]:
    names = [candidate.text for candidate in candidates]
    opinions = ask(story, names) if ask and names else None
    if opinions is None:
        return [replace(c, probability=chance_right(c.probability)) for c in candidates]
    return [
        replace(c, probability=chance_right(c.probability, float(opinion)))
        for c, opinion in zip(candidates, opinions, strict=True)
    ]


def _candidate(name: str, score: float, probability: float) -> Candidate:
    key = tuple(singular(part) for part in name.split())
    return Candidate(name, key, score, mentions=1, seen=True, probability=probability)


def _writing(number: int, count: int) -> Candidate:
    """The network classifies a picture full of text as a website or a menu."""
    if number == count - 1:
        name = "credits"
    else:
        name = "opening titles" if number == 0 else "text on screen"
    return Candidate(name, tuple(name.split()), 1.0, mentions=1, seen=True)


def _unrelated(order: Iterable[int], seen: Detections) -> Iterator[int]:
    """Of concepts that include one another (bear, polar bear), keep only the first."""
    covered: set[int] = set()
    for concept in order:
        covers = seen.covers[concept] if seen.covers else frozenset()
        if not covered.intersection(covers):
            covered |= covers
            yield concept
