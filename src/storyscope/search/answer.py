"""Rank stories for a query: what is said, what is meant, what is seen, what is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from storyscope.core import Passages, Span, Story, format_time

PARTS = ("said", "meant", "seen", "read")
RELEVANT = 0.5
"""A story below this is no answer."""


@dataclass(frozen=True)
class Logistic:
    """Turns a raw score into how likely it is that the story answers."""

    middle: float
    width: float

    def __call__(self, score: np.ndarray) -> np.ndarray:
        return np.asarray(1 / (1 + np.exp(-(score - self.middle) / self.width)))


MEANT = Logistic(middle=0.36, width=0.035)
SEEN = Logistic(middle=0.36, width=0.035)


@dataclass(frozen=True, eq=False)
class Filed:
    """One video as a search sees it."""

    stories: Sequence[Story]
    passages: Passages
    sights: Sequence[str]
    """[pictures], the likeliest thing in each."""


@dataclass(frozen=True)
class Match:
    """Words of the query in a passage."""

    span: Span
    text: str
    kind: str
    share: float
    """Of the query's terms, from 0 to 1."""


@dataclass(frozen=True, eq=False)
class Answer:
    """A story that answers, and why."""

    story: Story
    score: float
    parts: dict[str, float]
    evidence: str
    relevance: np.ndarray
    """[pictures of the video], how far each shows what was asked for, from 0 to 1."""


def answer(filed: Filed, query: np.ndarray, matches: Sequence[Match]) -> list[Answer]:
    """The stories of one video that answer, in the order they are told; perhaps none."""
    passages = filed.passages
    meant = MEANT(passages.text_vectors.astype(np.float32) @ query)
    seen = SEEN(passages.picture_vectors.astype(np.float32) @ query)
    middles = passages.spans.mean(axis=1)
    answers = []
    for story in filed.stories:
        windows = [n for n, middle in enumerate(middles) if middle in story.span]
        pictures = [n for n, second in enumerate(passages.seconds) if second in story.span]
        words = [match for match in matches if match.span.middle in story.span]
        parts = {
            "said": max((m.share for m in words if m.kind == "said"), default=0.0),
            "meant": max((float(meant[n]) for n in windows), default=0.0),
            "seen": max((float(seen[n]) for n in pictures), default=0.0),
            "read": max((m.share for m in words if m.kind == "read"), default=0.0),
        }
        score = 1 - float(np.prod([1 - part for part in parts.values()]))
        if score >= RELEVANT:
            window = max(windows, key=lambda n: float(meant[n]), default=None)
            picture = max(pictures, key=lambda n: float(seen[n]), default=None)
            evidence = _evidence(parts, words, filed, window, picture)
            answers.append(Answer(story, score, parts, evidence, seen))
    return answers


def _evidence(
    parts: dict[str, float],
    words: Sequence[Match],
    filed: Filed,
    window: int | None,
    picture: int | None,
) -> str:
    """One line that says why, from the part that is surest."""
    surest = max(PARTS, key=lambda name: parts[name])
    if surest in ("said", "read"):
        match = max((m for m in words if m.kind == surest), key=lambda m: m.share)
        return f"{surest} at {format_time(match.span.start)}: “{match.text}”"
    if surest == "meant" and window is not None:
        start = filed.passages.spans[window][0]
        return f"said at {format_time(start)}: “{filed.passages.texts[window]}”"
    return f"seen: {filed.sights[picture]}" if picture is not None else ""
