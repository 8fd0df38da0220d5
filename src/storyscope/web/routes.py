"""The REST API: the verbs of `Library` over HTTP."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, UploadFile
from fastapi import Path as PathPart
from fastapi.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)
from pydantic import BaseModel, Field

from storyscope.core import Annotation
from storyscope.errors import MediaError
from storyscope.library import Library
from storyscope.web.indexing import Indexer

router = APIRouter()
Annotator = Annotated[str, PathPart(min_length=1, max_length=200)]
KnownTag = Annotated[str | None, Header()]
CONTENT_TYPES = {
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".webm": "video/webm",
    ".ogv": "video/ogg",
}
WEB_CONTAINERS = {"mp4", "webm", "ogg"}
WEB_CODECS = {"h264", "vp8", "vp9", "av1", "theora"}


class AddByPath(BaseModel):
    """A video, or a folder of them, that lies inside one of the declared media folders."""

    path: str = Field(max_length=4096)
    transcript: str | None = Field(default=None, max_length=4096)


class StoryVersion(BaseModel):
    """A person's version of the stories; times in seconds, the first story at 0."""

    starts: list[float] = Field(min_length=1, max_length=20_000)
    titles: list[str] = Field(default_factory=list, max_length=20_000)
    thumbnails: list[float | None] = Field(default_factory=list, max_length=20_000)


@router.get("/videos")
def list_videos(
    request: Request,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    if_none_match: KnownTag = None,
) -> Response:
    """Videos in the order of their ids, a page at a time."""
    library = library_of(request)
    facts = library.facts()
    shown = facts[offset : offset + limit]
    videos = [fact | {"file": asdict(library.video(fact["id"]))} for fact in shown]
    page = {"total": len(facts), "offset": offset, "videos": videos}
    return tagged(page, if_none_match)


@router.get("/videos/{video}")
def show_video(request: Request, video: str, if_none_match: KnownTag = None) -> Response:
    """One video: its facts, its stories and who annotated it."""
    library = library_of(request)
    facts = library.story_facts(video, library.stories(video))
    facts["annotators"] = list(library.annotations(video))
    facts["cues"] = library.cues(video)
    return tagged(facts, if_none_match)


@router.delete("/videos/{video}", status_code=204)
def remove_video(request: Request, video: str) -> None:
    """Forget a video; its file is not touched."""
    library_of(request).remove(video)


@router.get("/videos/{video}/stories")
def list_stories(
    request: Request,
    video: str,
    granularity: Annotated[float | None, Query(ge=0, le=1)] = None,
    count: Annotated[int | None, Query(ge=1, le=100_000)] = None,
    annotator: Annotated[str | None, Query(max_length=200)] = None,
    if_none_match: KnownTag = None,
) -> Response:
    """The stories, at any granularity, or as a person marked them; each with its thumbnail."""
    library = library_of(request)
    stories = library.stories(video, granularity=granularity, count=count, annotator=annotator)
    facts = library.story_facts(video, stories)
    chosen = library.chosen_pictures(video, annotator) if annotator else (None,) * len(stories)
    for story, fact, picked in zip(stories, facts["stories"], chosen, strict=True):
        fact["chosen"] = picked
        fact["thumbnail"] = library.thumbnail(video, story).seconds if picked is None else picked
    return tagged(facts, if_none_match)


@router.get("/videos/{video}/shots")
def list_shots(request: Request, video: str, if_none_match: KnownTag = None) -> Response:
    """Every shot with the transition that leads into it, and the times of its keyframes."""
    library = library_of(request)
    pictures = library.picture_times(video)
    shots = [
        {
            "start": shot.span.start,
            "end": shot.span.end,
            "first_frame": shot.frames.start,
            "end_frame": shot.frames.stop,
            "transition": shot.transition.kind,
            "pictures": [second for number, second in pictures if number == place],
        }
        for place, shot in enumerate(library.shots(video))
    ]
    return tagged({"shots": shots}, if_none_match)


@router.get("/videos/{video}/transcript")
def show_transcript(request: Request, video: str, if_none_match: KnownTag = None) -> Response:
    """What is said, word by word; no words when nothing is known."""
    words = library_of(request).transcript(video)
    facts = {
        "language": words.language if words else "und",
        "source": words.source if words else "",
        "words": [[w.text, w.span.start, w.span.end] for w in words.words] if words else [],
    }
    return tagged(facts, if_none_match)


@router.get("/search")
def search(
    request: Request,
    q: Annotated[str, Query(max_length=400)],
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> dict[str, Any]:
    """Stories that answer the text, best first; nothing relevant is an answer too."""
    hits = library_of(request).search(q, limit=limit)
    return {
        "query": q,
        "hits": [
            {
                "video": hit.video,
                "story": {
                    "id": hit.story.id,
                    "start": hit.story.span.start,
                    "end": hit.story.span.end,
                    "title": hit.story.title,
                    "keywords": list(hit.story.keywords),
                    "shots": [hit.story.shots.start, hit.story.shots.stop],
                },
                "thumbnail": {
                    "seconds": hit.thumbnail.seconds,
                    "because": hit.thumbnail.because,
                },
                "score": hit.score,
                "parts": dict(hit.parts),
                "evidence": hit.evidence,
            }
            for hit in hits
        ],
    }


@router.get("/videos/{video}/picture")
def picture(request: Request, video: str, at: Annotated[float, Query(ge=0)]) -> Response:
    """The keyframe nearest to a time, as a JPEG."""
    path = library_of(request).picture(video, at)
    return FileResponse(path, media_type="image/jpeg", headers={"Cache-Control": "max-age=3600"})


@router.get("/videos/{video}/media")
def media(request: Request, video: str) -> Response:
    """The film itself, by ranges."""
    path = Path(library_of(request).video(video).path)
    if not path.is_file():
        raise MediaError(f"the file of {video} is not where it was; add it again")
    kind = CONTENT_TYPES.get(path.suffix.lower(), "application/octet-stream")
    return FileResponse(path, media_type=kind)


@router.get("/videos/{video}/playable")
def playable(request: Request, video: str) -> dict[str, Any]:
    """Whether browsers are likely to play the file, and if not, why and what helps."""
    from storyscope.media import probe

    facts = probe(library_of(request).video(video).path)
    reason = why_unplayable(facts.container, facts.codec)
    return {"playable": not reason, "reason": reason}


@router.get("/videos/{video}/chapters.vtt")
def chapters(
    request: Request, video: str, annotator: Annotated[str | None, Query(max_length=200)] = None
) -> Response:
    """The stories as a chapter track for the player."""
    return _exported(library_of(request), video, "webvtt", annotator, "text/vtt")


@router.get("/videos/{video}/export/{format}")
def export(
    request: Request,
    video: str,
    format: str,
    annotator: Annotated[str | None, Query(max_length=200)] = None,
) -> Response:
    """The stories in any format that is text."""
    response = _exported(library_of(request), video, format, annotator, "text/plain; charset=utf-8")
    from storyscope.formats import find_format

    name = f"{library_of(request).video(video).id}{find_format(format).suffix}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@router.get("/formats")
def formats() -> dict[str, Any]:
    """What `export` can write."""
    from storyscope.formats import FORMATS, find_format

    kinds = [find_format(name) for name in FORMATS]
    texts = [kind for kind in kinds if kind.write is not None]
    return {"formats": [{"name": k.name, "summary": k.summary, "loses": k.loses} for k in texts]}


@router.get("/videos/{video}/annotations")
def list_annotations(request: Request, video: str) -> dict[str, Any]:
    """Every person's version, how far each pair agrees, and what agrees most with all."""
    return library_of(request).comparison(video)


@router.put("/videos/{video}/annotations/{annotator:path}", status_code=204)
def put_annotation(
    request: Request, video: str, annotator: Annotator, version: StoryVersion
) -> None:
    """Keep a person's version beside the machine's."""
    library = library_of(request)
    library.annotate(
        video,
        Annotation(
            annotator,
            tuple(version.starts),
            library.video(video).duration,
            tuple(version.titles),
            tuple(version.thumbnails),
        ),
    )


@router.delete("/videos/{video}/annotations/{annotator:path}", status_code=204)
def delete_annotation(request: Request, video: str, annotator: Annotator) -> None:
    """Forget a person's version."""
    library_of(request).discard_annotation(video, annotator)


@router.post("/videos", status_code=202)
def add_by_path(request: Request, wanted: AddByPath) -> dict[str, Any]:
    """Index a video, or a folder of them, that lies in a media folder of this server."""
    from storyscope.media import find_videos

    folders: tuple[Path, ...] = request.app.state.media_folders
    paths = find_videos([_inside(Path(wanted.path), folders)])
    words = _inside(Path(wanted.transcript), folders) if wanted.transcript else None
    indexer = indexer_of(request)
    return {"jobs": [indexer.add(_inside(path, folders), words).id for path in paths]}


@router.post("/uploads", status_code=202)
def upload(request: Request, file: UploadFile) -> dict[str, Any]:
    """Take a video file, streamed to disk, and index it; the guard holds it to its limit."""
    folder = library_of(request).folder / "uploads"
    folder.mkdir(parents=True, exist_ok=True)
    suffix = Path(file.filename or "").suffix.lower()
    stem = "".join(c if c.isalnum() else "-" for c in Path(file.filename or "video").stem)[:80]
    handle, name = tempfile.mkstemp(dir=folder, prefix=".part-")
    try:
        with os.fdopen(handle, "wb") as out:
            shutil.copyfileobj(file.file, out, 1 << 20)
        from storyscope.media import probe

        probe(name)
        target = folder / f"{stem}{suffix if suffix[1:].isalnum() else '.mp4'}"
        number = 2
        while target.exists():
            target = folder / f"{stem}-{number}{target.suffix}"
            number += 1
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return {"jobs": [indexer_of(request).add(target).id]}


@router.get("/jobs")
def jobs(request: Request) -> dict[str, Any]:
    """Videos on their way into the library."""
    return {"jobs": indexer_of(request).jobs()}


@router.delete("/jobs/{number}")
def cancel(request: Request, number: int) -> Response:
    """Stop a job; what it finished is kept, and adding the video again resumes it."""
    job = indexer_of(request).cancel(number)
    if job is None:
        return JSONResponse({"error": "UnknownJob", "detail": f"no job {number}"}, 404)
    return JSONResponse({"state": job.state})


@router.get("/events")
async def events(request: Request) -> Response:
    """Server-sent events: all jobs, whenever one of them changes."""

    async def stream() -> AsyncIterator[str]:
        async for state in indexer_of(request).watch():
            yield f"data: {json.dumps({'jobs': state})}\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


def why_unplayable(container: str, codec: str) -> str:
    """One line for people, or "" when browsers play such files."""
    box = any(name in WEB_CONTAINERS for name in container.split(","))
    if box and codec in WEB_CODECS:
        return ""
    return (
        f"Its picture is {codec} in {container}, which browsers do not play; "
        "`ffmpeg -i FILE -c:v libx264 -c:a aac FILE.mp4` makes a copy that they do."
    )


def library_of(request: Request) -> Library:
    library: Library = request.app.state.library
    return library


def indexer_of(request: Request) -> Indexer:
    indexer: Indexer = request.app.state.indexer
    return indexer


def tagged(facts: dict[str, Any], known: str | None) -> Response:
    """JSON with a tag of its content; a client that has it already gets nothing again."""
    body = json.dumps(facts, ensure_ascii=False).encode()
    tag = f'"{sha256(body).hexdigest()[:24]}"'
    if known is not None and tag in (part.strip() for part in known.split(",")):
        return Response(status_code=304, headers={"ETag": tag})
    return Response(body, media_type="application/json", headers={"ETag": tag})


def _inside(path: Path, folders: tuple[Path, ...]) -> Path:
    """The real path, if it lies in a declared folder; links out of it do not count."""
    # A NUL ends a path for the system, not for Python: resolving it would raise.
    real = Path(str(path).replace("\0", "?")).resolve()
    if not any(real.is_relative_to(folder) for folder in folders):
        places = ", ".join(map(str, folders)) or "none; start with --media FOLDER"
        raise MediaError(f"videos can be added from the media folders only ({places})")
    return real


def _exported(
    library: Library, video: str, name: str, annotator: str | None, kind: str
) -> Response:
    from storyscope.errors import FormatError
    from storyscope.formats import find_format

    written = find_format(name).write
    if written is None:
        raise FormatError(f"{name} is written by `storyscope export` only")
    return PlainTextResponse(written(library.timeline(video, annotator=annotator)), media_type=kind)
