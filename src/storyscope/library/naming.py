"""Stories with titles, whoever drew their boundaries."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from storyscope.concepts import TRAINED_FILE
from storyscope.core import Annotation, Span, Story
from storyscope.errors import AnnotationError, LibraryError
from storyscope.library.annotations import laid_over, without_shots
from storyscope.search import chosen_image_text, second_opinion
from storyscope.stages.indexing import title, untitled
from storyscope.store import MINED, PASSAGES, SCREEN, TRANSCRIPT, VISION

if TYPE_CHECKING:
    from storyscope.library.local import LocalLibrary

log = logging.getLogger(__name__)


def name_stories(
    library: LocalLibrary, video: str, spans: Sequence[Span], parts: Sequence[range]
) -> list[Story]:
    """Stories over these shots, with titles made for them."""
    store = library.store
    words, screen = store.load(video, TRANSCRIPT), store.load(video, SCREEN)
    mined, seen = store.load(video, MINED), store.load(video, VISION)
    stories, film = untitled(video, spans, parts), library.film(video)
    trained, search = store.document(TRAINED_FILE), library.config.search
    ask = second_opinion(store.load(video, PASSAGES), chosen_image_text(search.image_text))
    known = (film, words, screen, mined, seen, trained, search.text_model, ask)
    return list(title(stories, *known))


def stories_marked(library: LocalLibrary, video: str, annotation: Annotation) -> list[Story]:
    """The stories as an annotation marks them; without shots where the video is damaged."""
    try:
        spans, parts = laid_over(annotation, library.shots(video))
        named = name_stories(library, video, spans, parts)
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
