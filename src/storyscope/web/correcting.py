"""People's own versions of the stories: saving, comparing, and training on them."""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathPart
from fastapi.responses import Response
from pydantic import BaseModel, Field

from storyscope.core import Annotation, StoryCount
from storyscope.cues import evidence_labels
from storyscope.errors import AnnotationError
from storyscope.library.transitions import reject_transition
from storyscope.web.answers import (
    Annotator,
    KnownTag,
    indexer_of,
    learner_of,
    library_of,
    tagged,
)

router = APIRouter()
RESERVED_NAMES = {"machine", "automatic", "consensus", "storyscope"}
"""Reserved names of versions."""
NO_TORCH = (
    "torch is not installed on the server: run `pip install storyscope[train]` and restart it"
)


class VersionTaken(AnnotationError):
    """A version with this name exists, and it is not the one that was to be replaced."""


class StoryVersion(BaseModel):
    """A person's version of the stories; times in seconds, the first story at 0."""

    starts: list[float] = Field(min_length=1, max_length=20_000)
    titles: list[str] = Field(default_factory=list, max_length=20_000)
    thumbnails: list[float | None] = Field(default_factory=list, max_length=20_000)


class OwnVersion(BaseModel):
    """The annotator of the version that becomes the current one; null for the automatic one."""

    annotator: str | None = Field(default=None, max_length=200)


class StoryNumber(BaseModel):
    """The number of stories of a video, in one of three ways; without any, the library's settings
    apply."""

    granularity: float | None = Field(default=None, ge=0, le=1)
    about: int | None = Field(default=None, ge=1, le=100_000)
    minutes: float | None = Field(default=None, gt=0, le=100_000)


class Lesson(BaseModel):
    """The annotator whose versions to train on; all if none is given."""

    annotator: str | None = Field(default=None, max_length=200)


class Adoption(BaseModel):
    """Whether to use the trained model even if it is not better."""

    insist: bool = False


class Preference(BaseModel):
    """The time in seconds of the frame that becomes the thumbnail of a story."""

    seconds: float = Field(ge=0, le=1e6)


class TransitionVerdict(BaseModel):
    """Whether a gradual transition is wrong: a moving camera or object."""

    rejected: bool


@router.get("/videos/{video}/explanation")
def explanation(
    request: Request,
    video: str,
    granularity: Annotated[float | None, Query(ge=0, le=1)] = None,
    if_none_match: KnownTag = None,
) -> Response:
    """Why each automatic story begins where it does: its confidence, and the cues for it."""
    library = library_of(request)
    reasons = library.explain(video, granularity=granularity)
    importance = library.cue_importance(video)
    facts = {"boundaries": reasons, "importance": importance, "labels": evidence_labels()}
    return tagged(facts, if_none_match)


@router.put("/videos/{video}/stories/{number}/thumbnail")
def prefer_thumbnail(
    request: Request, video: str, number: Annotated[int, PathPart(ge=1)], wanted: Preference
) -> dict[str, float]:
    """Choose the thumbnail of an automatic story, and learn from the choice."""
    library = library_of(request)
    story = library.story(f"{library.video(video).id}/{number}")
    return {"seconds": library.prefer_thumbnail(story, wanted.seconds)}


@router.put("/videos/{video}/shots/{number}/transition", status_code=204)
def judge_transition(
    request: Request, video: str, number: Annotated[int, PathPart(ge=2)], verdict: TransitionVerdict
) -> None:
    """Reject the dissolve, fade or wipe into shot `number`, or undo this.

    `storyscope train --shots` trains the shot detector on rejected transitions.
    """
    library = library_of(request)
    reject_transition(library, library.video(video).id, number, rejected=verdict.rejected)


@router.get("/videos/{video}/annotations")
def list_annotations(
    request: Request, video: str, baselines: bool = False, if_none_match: KnownTag = None
) -> Response:
    """Every version, the agreement of each pair, and the consensus of all people.

    With `baselines`, trivial baselines and other methods are included.
    """
    library = library_of(request)
    return tagged(library.comparison(video, baselines=baselines), if_none_match)


@router.put("/videos/{video}/annotations/{annotator:path}", status_code=204)
def put_annotation(
    request: Request,
    video: str,
    annotator: Annotator,
    version: StoryVersion,
    if_match: KnownTag = None,
    if_none_match: KnownTag = None,
) -> Response:
    """Save a person's version of the stories.

    With `If-None-Match: *`, only if there is none with that name; with `If-Match`, only if it
    replaces the version with that tag. The response has the tag of the saved version.
    """
    library = library_of(request)
    refuse_name(annotator)
    kept = library.annotations(video).get(annotator)
    known = kept is not None and if_match is not None and if_match == _tag(kept)
    if (if_none_match == "*" and kept is not None) or (if_match is not None and not known):
        raise VersionTaken(f"{annotator!r} has another version of {video}; choose another name")
    duration = library.video(video).duration
    wanted = Annotation(
        annotator,
        tuple(version.starts),
        duration,
        tuple(version.titles),
        tuple(version.thumbnails),
    )
    library.annotate(video, wanted)
    tag = _tag(library.annotations(video)[annotator])
    return Response(status_code=204, headers={"ETag": tag})


@router.delete("/videos/{video}/annotations/{annotator:path}", status_code=204)
def delete_annotation(request: Request, video: str, annotator: Annotator) -> None:
    """Delete a person's version."""
    library_of(request).discard_annotation(video, annotator)


@router.put("/videos/{video}/own", status_code=204)
def choose_own(request: Request, video: str, wanted: OwnVersion) -> None:
    """Make a person's version the one that search, export and the list use; null makes it the
    automatic one."""
    library_of(request).choose_own_version(video, wanted.annotator)


@router.put("/videos/{video}/stories/wanted", status_code=204)
def keep_count(request: Request, video: str, wanted: StoryNumber) -> None:
    """Set the number of stories of a video, for search, export and the list."""
    count = StoryCount(**wanted.model_dump())
    library_of(request).keep_story_count(video, count or None)


@router.get("/learning")
def learning(request: Request) -> dict[str, Any]:
    """State of the training on corrections, or the result of the last one.

    `corrected` lists the videos that people have corrected; training needs `needed` of them.
    `missing` describes what this server lacks for it; it is empty if nothing.
    """
    library = library_of(request)
    people = {
        record.video.id: list(library.annotations(record.video.id))
        for record in library.videos()
        if record.state == "ready"
    }
    corrected = [{"video": video, "people": names} for video, names in people.items() if names]
    missing = "" if find_spec("torch") else NO_TORCH
    return learner_of(request).facts() | {"corrected": corrected, "needed": 1, "missing": missing}


@router.post("/learning", status_code=202)
def learn(request: Request, lesson: Lesson) -> dict[str, Any]:
    """Train on people's versions; each video in turn is left out and scored before and after."""
    learner_of(request).start(lesson.annotator)
    return learner_of(request).facts()


@router.delete("/learning")
def stop_learning(request: Request) -> dict[str, Any]:
    """Stop training; nothing is changed."""
    learner_of(request).cancel()
    return learner_of(request).facts()


@router.post("/learning/adoption", status_code=202)
def adopt(request: Request, adoption: Adoption) -> dict[str, Any]:
    """Use the trained model, if it is better or `insist` is set; stories are then detected
    again."""
    learner_of(request).adopt(insist=adoption.insist)
    indexer, ready = indexer_of(request), library_of(request).videos()
    paths = [Path(record.video.path) for record in ready if record.state == "ready"]
    return {"jobs": [indexer.add(path).id for path in paths]}


def refuse_name(annotator: str) -> None:
    """Reject a reserved name, or one that no address can contain."""
    if annotator.strip().lower() in RESERVED_NAMES:
        raise AnnotationError(f"{annotator!r} is reserved; save the version under your own name")
    if not any(letter.isalnum() for letter in annotator):
        raise AnnotationError(f"a name needs a letter or a digit, got {annotator!r}")


def _tag(version: Annotation) -> str:
    return f'"{sha256(json.dumps(asdict(version)).encode()).hexdigest()[:24]}"'
