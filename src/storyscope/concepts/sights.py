"""Names for stories from what is seen in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from storyscope.concepts.candidates import Candidate, without_nested
from storyscope.concepts.detectors import Seen
from storyscope.concepts.taxonomy import UNRELIABLE, VAGUE_GROUPS
from storyscope.core import Story
from storyscope.core.plurals import singular

LEAST_PROBABILITY = 0.05
COMMON = 0.05
"""Every concept counts as if it were at least this usual: rare mistakes tell nothing."""
CREDITS = 0.4
"""A story that shows writing with this probability is credits or a title card."""
MOST_SIGHTS = 4


def seen_candidates(stories: Sequence[Story], seen: Seen) -> list[list[Candidate]]:
    """What each story shows more of than the video does as a whole.

        score = w p log(1 + (p / (mean p + 0.05))^2)

    with p the story's mean probability of the concept and w its narrowness: one for a single
    class, less for a concept of many, so that a sure "dog" beats an unsure "beagle" and a sure
    "beagle" beats them both.
    """
    probabilities = np.asarray(seen.probabilities, dtype=float)
    means = np.stack([probabilities[s.shots.start : s.shots.stop].mean(axis=0) for s in stories])
    contrast = means / (means.mean(axis=0) + COMMON)
    scores = seen.narrowness() * means * np.log1p(contrast**2)
    useful = np.array([name not in UNRELIABLE | VAGUE_GROUPS for name in seen.names])
    rankings = []
    for number, (mean, score) in enumerate(zip(means, scores, strict=True)):
        if _shows_writing(mean, seen):
            rankings.append([_writing(number, len(stories))])
            continue
        order = np.argsort(-score, kind="stable")
        fitting = order[useful[order] & (mean[order] >= LEAST_PROBABILITY)]
        candidates = [
            _candidate(seen.names[i], float(score[i]), float(mean[i]))
            for i in _unrelated(fitting, seen)
        ]
        kept = sorted(without_nested(candidates), key=lambda candidate: candidate.is_weak)
        rankings.append(kept[:MOST_SIGHTS])
    return rankings


def _candidate(name: str, score: float, probability: float) -> Candidate:
    key = tuple(singular(part) for part in name.split())
    return Candidate(name, key, score, mentions=1, seen=True, probability=probability)


def _shows_writing(mean: np.ndarray, seen: Seen) -> bool:
    return "writing" in seen.names and bool(mean[seen.names.index("writing")] >= CREDITS)


def _writing(number: int, count: int) -> Candidate:
    """The network takes a picture full of letters for a website or a menu."""
    if number == count - 1:
        name = "credits"
    else:
        name = "opening titles" if number == 0 else "text on screen"
    return Candidate(name, tuple(name.split()), 1.0, mentions=1, seen=True)


def _unrelated(order: Iterable[int], seen: Seen) -> Iterator[int]:
    """Of concepts that take in one another (bear, polar bear) only the first."""
    covered: set[int] = set()
    for concept in order:
        covers = seen.covers[concept] if seen.covers else frozenset()
        if not covered.intersection(covers):
            covered |= covers
            yield concept
