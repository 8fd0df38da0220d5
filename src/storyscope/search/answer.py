"""Rank stories for a query: what is said, what is meant, what is seen, what is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from storyscope.core import Hit, Passages, Span, Story, Thumbnail, format_time

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
    beauty: np.ndarray
    """[pictures] from 0 to 1."""
    sights: Sequence[str]
    """[pictures], the likeliest thing in each."""


@dataclass(frozen=True)
class Match:
    """Words of the query in a passage."""

    span: Span
    text: str
    kind: str
    share: float
    """Of the query's terms, weighted by how rare they are, from 0 to 1."""


def answer(
    filed: Filed, query: np.ndarray, matches: Sequence[Match], *, beauty: float = 0.3
) -> list[Hit]:
    """The stories of one video that answer, best first; perhaps none."""
    passages = filed.passages
    meant = MEANT(passages.text_vectors.astype(np.float32) @ query)
    seen = SEEN(passages.picture_vectors.astype(np.float32) @ query)
    hits = []
    for story in filed.stories:
        inside = [
            n for n, (start, end) in enumerate(passages.spans) if (start + end) / 2 in story.span
        ]
        shown = np.flatnonzero(
            (passages.seconds >= story.span.start) & (passages.seconds < story.span.end)
        )
        words = [match for match in matches if match.span.middle in story.span]
        parts = {
            "said": max((m.share for m in words if m.kind == "said"), default=0.0),
            "meant": max((float(meant[n]) for n in inside), default=0.0),
            "seen": max((float(seen[n]) for n in shown), default=0.0),
            "read": max((m.share for m in words if m.kind == "read"), default=0.0),
        }
        score = 1 - float(np.prod([1 - part for part in parts.values()]))
        if score >= RELEVANT:
            picture = _picture(shown, seen, filed.beauty, beauty)
            thumbnail = Thumbnail(
                story.id,
                float(passages.seconds[picture]) if picture is not None else story.span.middle,
                score,
            )
            evidence = _evidence(parts, words, filed, inside, meant, picture)
            hits.append(Hit(story.video, story, thumbnail, score, parts, evidence))
    return sorted(hits, key=lambda hit: (-hit.score, hit.story.span.start))


def _picture(shown: np.ndarray, seen: np.ndarray, looks: np.ndarray, beauty: float) -> int | None:
    if not len(shown):
        return None
    return int(shown[np.argmax((1 - beauty) * seen[shown] + beauty * looks[shown])])


def _evidence(
    parts: dict[str, float],
    words: Sequence[Match],
    filed: Filed,
    inside: Sequence[int],
    meant: np.ndarray,
    picture: int | None,
) -> str:
    strongest = max(PARTS, key=lambda name: parts[name])
    if strongest in ("said", "read"):
        match = max((m for m in words if m.kind == strongest), key=lambda m: m.share)
        return f"{strongest} at {format_time(match.span.start)}: “{match.text}”"
    if strongest == "meant":
        window = max(inside, key=lambda n: float(meant[n]))
        start = filed.passages.spans[window][0]
        return f"said at {format_time(start)}: “{filed.passages.texts[window]}”"
    return f"seen: {filed.sights[picture]}" if picture is not None else ""
