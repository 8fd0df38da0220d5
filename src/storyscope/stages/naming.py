"""Titles of stories, from spoken words, on-screen text and recognised classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from storyscope.concepts import (
    Detections,
    SecondOpinion,
    detect_in_shots,
    load_trained,
    title_stories,
)
from storyscope.core import Film, Mined, Shot, Span, Story, Transcript, VisionOutput
from storyscope.features import shots_of_lettering
from storyscope.search import load_text_model


def story_spans(shots: Sequence[Shot], parts: Sequence[range]) -> list[Span]:
    """Start and end of each run of shots."""
    return [Span(shots[part.start].span.start, shots[part.stop - 1].span.end) for part in parts]


def untitled(video: str, spans: Sequence[Span], parts: Sequence[range]) -> list[Story]:
    return [
        Story(f"{video}/{number}", video, part, span)
        for number, (span, part) in enumerate(zip(spans, parts, strict=True), start=1)
    ]


class Material:
    """Sources of the titles of a video, for any boundaries.

    Results that are needed repeatedly, such as which shots show text, are cached.
    """

    def __init__(
        self,
        film: Film,
        words: Transcript | None,
        screen: Transcript | None,
        mined: Mined | None,
        seen: Detections,
        text_model: str,
        ask: SecondOpinion | None = None,
    ) -> None:
        self.film, self.words, self.screen, self.seen = film, words, screen, seen
        self.phrases = mined.phrases if mined else None
        self.ask = ask
        self._text_model = text_model
        self._vectors: dict[str, np.ndarray] = {}
        self.is_lettering = cache(self._is_lettering)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of texts; other numbers of stories mostly need the same texts again."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            vectors = load_text_model(self._text_model).encode(new)
            self._vectors.update(zip(new, vectors, strict=True))
        return np.stack([self._vectors[text] for text in texts])

    def _is_lettering(self, shot: int) -> bool:
        return bool(shots_of_lettering(self.film.keyframes, (shot,)))


def title(stories: Sequence[Story], material: Material) -> tuple[Story, ...]:
    """Title stories by spoken words, on-screen text and recognised classes."""
    titles = title_stories(
        stories,
        transcript=material.words,
        seen=material.seen,
        screen=material.screen,
        phrases=material.phrases,
        embed=material.embed,
        ask=material.ask,
        labels=lettering_labels(stories, material),
    )
    return tuple(
        replace(story, title=name, keywords=keywords, summary=summary)
        for story, (name, keywords, summary) in zip(stories, titles, strict=True)
    )


def lettering_labels(stories: Sequence[Story], material: Material) -> dict[int, str]:
    """Labels, by index, for a first story and for one near the end that are mostly text."""
    if len(stories) < 2:
        return {}
    labels = {0: "Opening titles"} if _is_lettering(stories[0], material) else {}
    late = (1 - CREDITS_SHARE) * material.film.shots[-1].span.end
    # The credits may still show something in the background.
    for place in range(len(stories) - 1, 0, -1):
        if stories[place].span.middle < late:
            break
        if _is_lettering(stories[place], material):
            return {**labels, place: "Credits"}
    return labels


CREDITS_SHARE = 0.2
"""Share of a film, at its end, in which a story of text is its credits."""


def _is_lettering(story: Story, material: Material) -> bool:
    lengths = {number: material.film.shots[number].span.length for number in story.shots}
    lettered = sum(length for number, length in lengths.items() if material.is_lettering(number))
    return 2 * lettered > sum(lengths.values())


def detections_of(film: Film, seen: VisionOutput, trained: Path) -> Detections:
    """The content of the pictures, shot by shot, by all available detectors."""
    return detect_in_shots(film.keyframes, seen, len(film.shots), trained=load_trained(trained))
