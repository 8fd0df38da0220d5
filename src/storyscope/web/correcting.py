"""People's own versions of the stories: kept, compared, and learned from."""

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
"""Names of versions that no person made."""
NO_TORCH = "the server needs torch for it: run `pip install storyscope[train]` and start it again"


class VersionTaken(AnnotationError):
    """A version of this name is kept already, and it is not the one that was to be replaced."""


class StoryVersion(BaseModel):
    """A person's version of the stories; times in seconds, the first story at 0."""

    starts: list[float] = Field(min_length=1, max_length=20_000)
    titles: list[str] = Field(default_factory=list, max_length=20_000)
    thumbnails: list[float | None] = Field(default_factory=list, max_length=20_000)


class OwnVersion(BaseModel):
    """Whose version is to be the library's own; nobody's makes it the automatic one."""

    annotator: str | None = Field(default=None, max_length=200)


class StoryNumber(BaseModel):
    """How many stories are wanted of a video, in one of three ways; in none, as the library's."""

    granularity: float | None = Field(default=None, ge=0, le=1)
    about: int | None = Field(default=None, ge=1, le=100_000)
    minutes: float | None = Field(default=None, gt=0, le=100_000)


class Lesson(BaseModel):
    """Whose versions to learn from; everybody's if nobody is named."""

    annotator: str | None = Field(default=None, max_length=200)


class Adoption(BaseModel):
    """Whether what was learned is to be used even if it is no better."""

    insist: bool = False


class Preference(BaseModel):
    """The second of the frame that should stand for a story."""

    seconds: float = Field(ge=0, le=1e6)


class TransitionVerdict(BaseModel):
    """Whether a gradual transition is wrong: a camera or a thing moved."""

    rejected: bool


@router.get("/videos/{video}/explanation")
def explanation(
    request: Request,
    video: str,
    granularity: Annotated[float | None, Query(ge=0, le=1)] = None,
    if_none_match: KnownTag = None,
) -> Response:
    """Why each automatic story begins where it does: how sure, and which cues say so."""
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
    """Reject the dissolve, fade or wipe into shot `number`, or take that back.

    `storyscope train --shots` teaches the shot detector by what was rejected.
    """
    library = library_of(request)
    reject_transition(library, library.video(video).id, number, rejected=verdict.rejected)


@router.get("/videos/{video}/annotations")
def list_annotations(
    request: Request, video: str, baselines: bool = False, if_none_match: KnownTag = None
) -> Response:
    """Every version, how far each pair agrees, and what agrees most with all people.

    With `baselines`, what anybody could do without looking, and other methods, are among them.
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

    With `If-None-Match: *` only where there is none of that name; with `If-Match` only in the
    place of the version with that tag. The answer carries the tag of what is kept now.
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
    """Make a person's version what search, export and the list use; null takes it back."""
    library_of(request).choose_own_version(video, wanted.annotator)


@router.put("/videos/{video}/stories/wanted", status_code=204)
def keep_count(request: Request, video: str, wanted: StoryNumber) -> None:
    """Set the number of stories of a video, for search, export and the list."""
    count = StoryCount(**wanted.model_dump())
    library_of(request).keep_story_count(video, count or None)


@router.get("/learning")
def learning(request: Request) -> dict[str, Any]:
    """State of the training on corrections, or the result of the last one.

    `corrected` names the videos that people have corrected; learning needs `needed` of them.
    `missing` says what this server lacks for it, or nothing.
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
    """Use the trained model, if it is better or `insist` is set; stories are then found again."""
    learner_of(request).adopt(insist=adoption.insist)
    indexer, ready = indexer_of(request), library_of(request).videos()
    paths = [Path(record.video.path) for record in ready if record.state == "ready"]
    return {"jobs": [indexer.add(path).id for path in paths]}


def refuse_name(annotator: str) -> None:
    """Refuse a name that is not a person's, or that no address can hold."""
    if annotator.strip().lower() in RESERVED_NAMES:
        raise AnnotationError(f"{annotator!r} is reserved; save the version under your own name")
    if not any(letter.isalnum() for letter in annotator):
        raise AnnotationError(f"a name needs a letter or a digit, got {annotator!r}")


def _tag(version: Annotation) -> str:
    return f'"{sha256(json.dumps(asdict(version)).encode()).hexdigest()[:24]}"'
