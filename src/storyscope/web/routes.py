"""Videos and their stories: the methods of `Library` over HTTP."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from storyscope.core import Video
from storyscope.library.transitions import is_rejected
from storyscope.web.answers import (
    KnownTag,
    MaybeAnnotator,
    Wanted,
    library_of,
    named_facts,
    tagged,
    titles_of,
)

router = APIRouter()
VideoOrder = Literal["title", "recent", "longest", "stories"]


class Renaming(BaseModel):
    """The title of a video; an empty one restores the file's own."""

    title: str = Field(max_length=200)


@router.get("/videos")
def list_videos(
    request: Request,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    sort: Annotated[VideoOrder | None, Query()] = None,
    q: Annotated[str, Query(max_length=200)] = "",
    if_none_match: KnownTag = None,
) -> Response:
    """List videos, a page at a time, sorted by id or by `sort`.

    With `q`, only those whose titles contain all its words. Sorting and filtering apply to the
    whole library, before paging.
    """
    library = library_of(request)
    facts = library.facts()
    records = {record.video.id: record for record in library.store.records()}
    titles = titles_of(request).of_each(record.video for record in records.values())
    names: dict[str, str] = {}
    videos = []
    for fact in facts:
        record = records.get(fact["id"])
        if record is None:  # removed this moment
            continue
        video = named_facts(request, fact, title=titles[fact["id"]]) | {
            "file": _file_facts(record.video),
            "modified": record.modified_ns / 1e9,
        }
        twin = next((names[other] for other in fact.get("same_film", ()) if other in names), "")
        videos.append(video | {"same_as": twin})
        names[video["id"]] = video["title"] or video["id"]
    chosen = ordered_videos([each for each in videos if _is_called(each, q)], sort)
    page = {"total": len(chosen), "offset": offset, "videos": chosen[offset : offset + limit]}
    return tagged(page, if_none_match)


@router.get("/videos/{video}")
def show_video(request: Request, video: str, if_none_match: KnownTag = None) -> Response:
    """One video: its facts, its stories, its annotators, its speakers and its faces."""
    library = library_of(request)
    facts = library.story_facts(video, library.stories(video))
    facts["video"] = named_facts(request, facts["video"])
    facts["annotators"] = list(library.annotations(video))
    facts["own"] = library.own_version(video)
    facts["cues"] = library.cues(video)
    facts["speakers"] = library.speakers(video)
    facts["faces"] = library.faces(video)
    facts["damage"] = library.damage(video)
    facts["file"] = _file_facts(library.video(video))
    return tagged(facts, if_none_match)


@router.patch("/videos/{video}", status_code=204)
def rename_video(request: Request, video: str, wanted: Renaming) -> None:
    """Change the title of a video; its id stays the same."""
    title = " ".join(wanted.title.split())
    titles_of(request).rename(library_of(request).video(video), title)


@router.delete("/videos/{video}", status_code=204)
def remove_video(request: Request, video: str) -> None:
    """Remove a video from the library; its file is not touched."""
    library_of(request).remove(video)


@router.get("/videos/{video}/stories")
def list_stories(
    request: Request,
    video: str,
    count: Wanted,
    annotator: MaybeAnnotator = None,
    if_none_match: KnownTag = None,
) -> Response:
    """The stories, in the requested number, or as a person marked them; each with its thumbnail.

    `wanted` is the number stored for this video: a `granularity`, `about` so many, or about so many
    `minutes` each; empty if there are as many as were found. `granularity` is that of the automatic
    stories that are returned.
    """
    library = library_of(request)
    stories = library.with_story_count(count).stories(video, annotator=annotator)
    facts = library.story_facts(video, stories) | {"wanted": library.story_count(video).facts}
    if annotator is None and (count or library.own_version(video) is None):
        facts["granularity"] = library.path(video).granularity_of(len(stories))
    facts["video"] = named_facts(request, facts["video"])
    chosen = library.chosen_pictures(video, annotator) if annotator else (None,) * len(stories)
    thumbnails = library.thumbnails(video, stories)
    for thumbnail, fact, picked in zip(thumbnails, facts["stories"], chosen, strict=True):
        if picked is None and annotator is None and "preferred" in thumbnail.parts:
            picked = thumbnail.seconds
        fact["chosen"] = picked
        fact["thumbnail"] = thumbnail.seconds if picked is None else picked
    return tagged(facts, if_none_match)


@router.get("/videos/{video}/path")
def show_path(request: Request, video: str, if_none_match: KnownTag = None) -> Response:
    """Every granularity at once: the shot changes, most important first.

    The first k of `order`, each the number of the shot it leads into, begin k + 1 stories;
    `natural` is the number of stories that were found.
    """
    path = library_of(request).path(video)
    return tagged({"order": path.order, "natural": path.natural}, if_none_match)


@router.get("/videos/{video}/shots")
def list_shots(request: Request, video: str, if_none_match: KnownTag = None) -> Response:
    """Every shot with the transition that leads into it, and the times of its keyframes.

    `rejected` says that a person marked the transition as wrong.
    """
    library = library_of(request)
    pictures: dict[int, list[float]] = defaultdict(list)
    for number, second in library.picture_times(video):
        pictures[number].append(second)
    shots = [
        {
            "start": shot.span.start,
            "end": shot.span.end,
            "first_frame": shot.frames.start,
            "end_frame": shot.frames.stop,
            "transition": shot.transition.kind,
            "transition_frames": [shot.transition.first_frame, shot.transition.end_frame],
            "confidence": round(shot.transition.confidence, 3),
            "uncertain": shot.transition.is_uncertain,
            "rejected": rejected,
            "pictures": pictures[place],
        }
        for place, (shot, rejected) in enumerate(
            zip(library.shots(video), is_rejected(library, library.video(video).id), strict=True)
        )
    ]
    return tagged({"shots": shots}, if_none_match)


@router.get("/videos/{video}/transcript")
def show_transcript(request: Request, video: str, if_none_match: KnownTag = None) -> Response:
    """The transcript, word by word; empty if there is none."""
    words = library_of(request).transcript(video)
    facts = {
        "language": words.language if words else "und",
        "source": words.source if words else "",
        "words": [[w.text, w.span.start, w.span.end] for w in words.words] if words else [],
    }
    return tagged(facts, if_none_match)


def ordered_videos(videos: list[dict[str, Any]], sort: str | None) -> list[dict[str, Any]]:
    """The facts of videos in the requested order; by default in the order of the store."""
    keys: dict[str, Callable[[dict[str, Any]], Any]] = {
        "title": lambda video: _natural(video["title"] or video["id"]),
        "recent": lambda video: -video["modified"],
        "longest": lambda video: -video["duration"],
        "stories": lambda video: -video["stories"],
    }
    return sorted(videos, key=keys[sort]) if sort else videos


def _natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts "Part 2" before "Part 10"."""
    parts = re.findall(r"\d+|\D+", name.casefold())
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _is_called(video: dict[str, Any], words: str) -> bool:
    name = (video["title"] or video["id"]).casefold()
    return all(word in name for word in words.casefold().split())


def _file_facts(video: Video) -> dict[str, Any]:
    """The file as it was indexed, by its name: the server does not reveal its folder."""
    return asdict(video) | {"path": Path(video.path).name}
