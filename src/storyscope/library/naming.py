"""Titles for stories with automatic or manual boundaries."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from storyscope.concepts import TRAINED_FILE
from storyscope.config import SearchConfig
from storyscope.core import Annotation, Film, Span, Story
from storyscope.errors import AnnotationError, LibraryError
from storyscope.library.annotations import laid_over, without_shots
from storyscope.search import chosen_image_text, second_opinion
from storyscope.stages.naming import Material, detections_of, title, untitled
from storyscope.store import MINED, PASSAGES, SCAN, SCREEN, TRANSCRIPT, VISION, Store

if TYPE_CHECKING:
    from storyscope.library.local import LocalLibrary

log = logging.getLogger(__name__)


SOURCES = (SCAN, TRANSCRIPT, SCREEN, MINED, VISION, PASSAGES)
"""Artefacts that titles are computed from."""
VIDEOS_IN_MEMORY = 4
"""Videos whose words and recognised classes are cached: regrouping is usually repeated."""
ANSWERS_IN_MEMORY = 64
"""Segmentations whose titles are cached."""


class StoryNamer:
    """Titles stories, and caches its sources and results."""

    def __init__(self, store: Store, films: Callable[[str, str | None], Film]) -> None:
        self._store, self._films = store, films
        self._material = lru_cache(VIDEOS_IN_MEMORY)(self._gather)
        self._named = lru_cache(ANSWERS_IN_MEMORY)(self._name)

    def name(
        self, video: str, spans: Sequence[Span], parts: Sequence[range], search: SearchConfig
    ) -> list[Story]:
        """The stories of these spans and shots, with new titles."""
        keys = tuple(self._store.key(video, source) for source in SOURCES)
        trained = self._store.document(TRAINED_FILE)
        changed = trained.stat().st_mtime_ns if trained.exists() else 0
        given = (video, keys, changed, search)
        return list(self._named(given, tuple(spans), tuple(parts)))

    def _name(
        self, given: Given, spans: tuple[Span, ...], parts: tuple[range, ...]
    ) -> tuple[Story, ...]:
        return title(untitled(given[0], spans, parts), self._material(given))

    def _gather(self, given: Given) -> Material:
        video, keys, _, search = given
        load = self._store.load
        film = self._films(video, keys[0])
        seen = detections_of(film, load(video, VISION), self._store.document(TRAINED_FILE))
        words, screen, mined = load(video, TRANSCRIPT), load(video, SCREEN), load(video, MINED)
        ask = second_opinion(load(video, PASSAGES), chosen_image_text(search.image_text))
        return Material(film, words, screen, mined, seen, search.text_model, ask)


Given = tuple[str, tuple[str | None, ...], int, SearchConfig]
"""A video, the keys of its sources, when detectors were last trained, and the models in use."""


def stories_marked(library: LocalLibrary, video: str, annotation: Annotation) -> list[Story]:
    """The stories of an annotation; without shots if the video is damaged."""
    try:
        spans, parts = laid_over(annotation, library.shots(video))
        named = library.named(video, spans, parts)
    except LibraryError as error:
        log.warning("%s is shown without its shots: %s", video, error)
        spans, parts = without_shots(annotation)
        named = untitled(video, spans, parts)
    return [
        replace(story, title=annotation.title(number) or story.title)
        for number, story in enumerate(named)
    ]


def annotated_stories(library: LocalLibrary, video: str, annotator: str) -> list[Story]:
    """The stories of one person's version."""
    annotations = library.annotations(video)
    if annotator not in annotations:
        people = ", ".join(annotations) or "nobody yet"
        raise AnnotationError(f"{annotator!r} has not annotated {video}; annotated by {people}")
    return stories_marked(library, video, annotations[annotator])
