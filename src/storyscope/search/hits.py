"""The best stories -> their matching passages, relevant keyframes and line of evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from storyscope.core import SOUND_MARK, Passages, Span, Story, format_time
from storyscope.models import class_names
from storyscope.search.passages import containing_story
from storyscope.search.query import QueryVectors
from storyscope.search.scores import LIKELY_SCORE, frame_relevance

SPOKEN_REACH = 4.0
"""Seconds around a matching passage in which keyframes probably show what is spoken about."""
SPOKEN, ON_SCREEN, SOUND, TOPIC, VISUAL = "Spoken", "On screen", "Sound", "Topic", "Visual"
POSSIBLE = "Possible match"


@dataclass(frozen=True)
class PassageMatch:
    """A passage that contains terms of the query."""

    span: Span
    text: str
    kind: str
    """`SPOKEN`, `ON_SCREEN` or `SOUND`."""
    share: float
    """Share of the query's terms, from 0 to 1."""


def find_matches(passages: Passages, story: Story, shares: np.ndarray) -> list[PassageMatch]:
    """Passages of the story that contain terms of the query, in order.

    `shares` holds the share of the query's terms in each passage: spoken ones, then text on screen.
    """
    spoken = len(passages.texts)
    found = []
    for number in np.flatnonzero(shares).tolist():
        if number < spoken:
            span = Span(*passages.spans[number].tolist())
            match = PassageMatch(span, passages.texts[number], SPOKEN, float(shares[number]))
        else:
            second = passages.screen_seconds[number - spoken]
            text = passages.screen_texts[number - spoken]
            kind = SOUND if text.startswith(SOUND_MARK) else ON_SCREEN
            text = text.removeprefix(SOUND_MARK)
            match = PassageMatch(Span(second, second), text, kind, float(shares[number]))
        if match.span.middle in story.span:
            found.append(match)
    return found


def contains_phrases(matches: Sequence[PassageMatch], phrases: Sequence[str]) -> bool:
    """Whether every phrase occurs literally in one of the passages."""
    return all(any(_contains(match.text, phrase) for match in matches) for phrase in phrases)


def story_relevance(
    passages: Passages,
    story: Story,
    query: QueryVectors,
    class_vectors: np.ndarray,
    matches: Sequence[PassageMatch] = (),
) -> np.ndarray:
    """How well each keyframe of the story shows the query, from 0 to 1."""
    rows = _inside(passages.seconds, story)
    relevance = frame_relevance(passages, rows, query, class_vectors)
    for match in matches:
        apart = passages.seconds - match.span.middle
        nearness = np.exp(-(apart**2) / (2 * SPOKEN_REACH**2))
        relevance = np.maximum(relevance, 0.5 * match.share * nearness)
    return relevance


def word_evidence(
    matches: Sequence[PassageMatch], passages: Passages, story: Story, query: QueryVectors
) -> tuple[str, str]:
    """The modality, time and text of the best passage: by its terms, otherwise by its topic."""
    best = max(matches, key=lambda match: match.share, default=None)
    if best is not None:
        return best.kind, f"{format_time(best.span.start)}: “{best.text}”"
    windows = _inside(passages.spans.mean(axis=1), story)
    if not len(windows) or query.text is None:
        return "", ""
    nearest = windows[np.argmax(passages.text_vectors[windows] @ query.text)]
    return TOPIC, f"{format_time(passages.spans[nearest][0])}: “{passages.texts[nearest]}”"


def visual_evidence(
    passages: Passages, story: Story, query: QueryVectors, relevance: np.ndarray
) -> tuple[str, str]:
    """The modality, time and content of the keyframe that shows the query best."""
    frames = _inside(passages.seconds, story)
    if not len(frames):
        return "", ""
    frame = int(frames[np.argmax(relevance[frames])])
    content = _main_class(passages, frame, query)
    if query.image_text is not None and passages.looks.any():
        content = "the picture matches your words"
    return VISUAL, f"{format_time(passages.seconds[frame])}: {content}"


def evidence_line(score: float, modality: str, found: str) -> str:
    """The line of evidence: "Spoken, 1:04: “...”", or "Possible match, 7:08: hare" if uncertain."""
    if not found:
        return ""
    return f"{modality if score >= LIKELY_SCORE else POSSIBLE}, {found}"


def _main_class(passages: Passages, frame: int, query: QueryVectors) -> str:
    """The class that contributes most to the score of a keyframe: one that the query names,
    otherwise the most probable one."""
    names, classes = class_names(), passages.classes[frame]
    named = query.class_weights if query.class_weights is not None else np.zeros(len(names))
    weight = passages.shares[frame].astype(float) * (named[classes] + 1e-3)
    return names[int(classes[weight.argmax()])]


def _inside(seconds: np.ndarray, story: Story) -> np.ndarray:
    return np.flatnonzero(containing_story(seconds, [story]) >= 0)


def _contains(text: str, phrase: str) -> bool:
    words = " ".join(re.findall(r"\w+", text.lower()))
    return " ".join(re.findall(r"\w+", phrase)) in words
