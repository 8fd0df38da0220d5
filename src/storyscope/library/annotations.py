"""People's versions of the stories of a video."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

from storyscope.core import Annotation, Shot, Span, Video
from storyscope.core.annotation import END_TOLERANCE_SECONDS
from storyscope.errors import AnnotationError, LibraryError
from storyscope.library.thumbnails import learn
from storyscope.store import SCAN, Store

log = logging.getLogger(__name__)


def keep_annotation(store: Store, video: Video, annotation: Annotation) -> None:
    """Store a person's version, and learn from the thumbnails chosen in it."""
    if abs(annotation.end - video.duration) > END_TOLERANCE_SECONDS:
        raise AnnotationError(
            f"the annotation by {annotation.annotator} ends at {annotation.end:.1f} s, "
            f"but {video.id} ends at {video.duration:.1f} s; is it of another video?"
        )
    annotation = _at_least_a_frame_long(annotation, video)
    # The timestamps of ten frames may be a thousand years apart.
    seconds = min(int(video.duration), video.frame_count)
    most = max(_shot_count(store, video.id), seconds)
    if len(annotation.starts) > most:
        raise AnnotationError(
            f"the annotation by {annotation.annotator} has {len(annotation.starts)} stories, and "
            f"{video.id} takes {most}: one per shot, or one per second where it has fewer shots"
        )
    before = kept_annotations(store, video.id).get(annotation.annotator)
    facts = json.dumps(asdict(annotation), ensure_ascii=False)
    store.put_annotation(video.id, annotation.annotator, facts)
    chosen = before.thumbnails if before else ()
    if any(annotation.thumbnails) and annotation.thumbnails != chosen:
        try:
            learn(store)
        except LibraryError as error:  # The version itself has been saved.
            log.warning("nothing was learned from the chosen frames: %s", error)


def kept_annotations(store: Store, video: str) -> dict[str, Annotation]:
    """Every person's version, by annotator."""
    kept = store.annotations(video)
    return {annotator: _annotation(json.loads(text)) for annotator, text in kept.items()}


def laid_over(annotation: Annotation, shots: Sequence[Shot]) -> tuple[list[Span], list[range]]:
    """The time span and shots of each story of a person's version."""
    edges = (*annotation.starts, annotation.end)
    last = len(shots) - 1
    firsts = [min(sum(shot.span.middle < edge for shot in shots), last) for edge in edges[:-1]]
    # A story inside a single shot still has that shot to show.
    parts = [range(a, max(b, a + 1)) for a, b in pairwise((*firsts, len(shots)))]
    return [Span(start, end) for start, end in pairwise(edges)], parts


def without_shots(annotation: Annotation) -> tuple[list[Span], list[range]]:
    """The time span of each story of a person's version, counted as one shot each: for a damaged
    video."""
    edges = (*annotation.starts, annotation.end)
    spans = [Span(start, end) for start, end in pairwise(edges)]
    return spans, [range(number, number + 1) for number in range(len(spans))]


def _at_least_a_frame_long(annotation: Annotation, video: Video) -> Annotation:
    """The annotation without stories shorter than a frame, which are joined to the one before."""
    shortest = 0.999 / video.fps if video.fps > 0 else 0.0
    kept: list[int] = []
    for number, start in enumerate(annotation.starts):
        if not kept or start - annotation.starts[kept[-1]] >= shortest:
            kept.append(number)
    return replace(
        annotation,
        starts=tuple(annotation.starts[number] for number in kept),
        titles=tuple(annotation.titles[number] for number in kept if annotation.titles),
        thumbnails=tuple(annotation.thumbnails[number] for number in kept if annotation.thumbnails),
    )


def _shot_count(store: Store, video: str) -> int:
    try:
        return len(store.load(video, SCAN).shots)
    except LibraryError:  # A version can be saved even if the video is damaged.
        return 0


def _annotation(facts: dict[str, Any]) -> Annotation:
    return Annotation(
        annotator=facts["annotator"],
        starts=tuple(facts["starts"]),
        end=facts["end"],
        titles=tuple(facts["titles"]),
        thumbnails=tuple(facts["thumbnails"]),
    )
