"""People's versions of a video's stories, as a library keeps them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from storyscope.core import Annotation, Shot, Span, Video
from storyscope.core.annotation import END_TOLERANCE_SECONDS
from storyscope.errors import AnnotationError
from storyscope.library.thumbnails import learn
from storyscope.store import Store


def keep_annotation(store: Store, video: Video, annotation: Annotation) -> None:
    """Keep a person's version, and learn from the pictures that were chosen in it."""
    if abs(annotation.end - video.duration) > END_TOLERANCE_SECONDS:
        raise AnnotationError(
            f"the annotation by {annotation.annotator} ends at {annotation.end:.1f} s, "
            f"but {video.id} ends at {video.duration:.1f} s; is it of another video?"
        )
    before = kept_annotations(store, video.id).get(annotation.annotator)
    facts = json.dumps(asdict(annotation), ensure_ascii=False)
    store.put_annotation(video.id, annotation.annotator, facts)
    chosen = before.thumbnails if before else ()
    if any(annotation.thumbnails) and annotation.thumbnails != chosen:
        learn(store)


def kept_annotations(store: Store, video: str) -> dict[str, Annotation]:
    """Every person's version, by annotator."""
    kept = store.annotations(video)
    return {annotator: _annotation(json.loads(text)) for annotator, text in kept.items()}


def laid_over(annotation: Annotation, shots: Sequence[Shot]) -> tuple[list[Span], list[range]]:
    """When each of a person's stories is, and the shots that show it."""
    edges = (*annotation.starts, annotation.end)
    last = len(shots) - 1
    firsts = [min(sum(shot.span.middle < edge for shot in shots), last) for edge in edges[:-1]]
    # A story that lies inside one shot still has that shot to show.
    parts = [range(a, max(b, a + 1)) for a, b in pairwise((*firsts, len(shots)))]
    return [Span(start, end) for start, end in pairwise(edges)], parts


def _annotation(facts: dict[str, Any]) -> Annotation:
    return Annotation(
        annotator=facts["annotator"],
        starts=tuple(facts["starts"]),
        end=facts["end"],
        titles=tuple(facts["titles"]),
        thumbnails=tuple(facts["thumbnails"]),
    )
