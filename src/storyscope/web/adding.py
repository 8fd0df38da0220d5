"""Add videos to the library: by path or upload, with live progress."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from anyio import to_thread
from fastapi import APIRouter, Request, UploadFile
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, Field

from storyscope.core import VIDEO_SUFFIXES
from storyscope.errors import MediaError, TranscriptError
from storyscope.library import LocalLibrary
from storyscope.library.uploads import keep_upload
from storyscope.media import find_videos, probe
from storyscope.transcripts import EXTENSIONS
from storyscope.web.answers import indexer_of, learner_of, library_of, media_of, uploads_of
from storyscope.web.films import refuse_link
from storyscope.web.job_facts import job_facts
from storyscope.writing import UPLOADING, real_folder, write_whole

router = APIRouter()


class AddByPath(BaseModel):
    """A video, or a folder of videos, inside one of the media folders."""

    path: str = Field(max_length=4096)
    transcript: str | None = Field(default=None, max_length=4096)


@router.post("/videos", status_code=202)
def add_by_path(request: Request, wanted: AddByPath) -> dict[str, Any]:
    """Index a video or a folder of videos from a media folder of the server."""
    folders = media_of(request)
    paths = find_videos([inside(wanted.path, folders)])
    words = inside(wanted.transcript, folders) if wanted.transcript else None
    indexer = indexer_of(request)
    return {"jobs": [indexer.add(inside(str(path), folders), words).id for path in paths]}


@router.post("/uploads", status_code=202)
async def upload(
    request: Request, file: UploadFile, transcript: UploadFile | None = None
) -> dict[str, Any]:
    """Upload a video file, optionally with a transcript, and index it."""
    keep = partial(_keep_upload, library_of(request), file, transcript)
    film, words = await to_thread.run_sync(keep, limiter=uploads_of(request))
    return {"jobs": [indexer_of(request).add(film, words).id]}


def _keep_upload(
    library: LocalLibrary, file: UploadFile, transcript: UploadFile | None
) -> tuple[Path, Path | None]:
    """Store the upload, once its film is known to be valid."""
    words_suffix = transcript_suffix(transcript) if transcript else ""
    stem = "".join(c if c.isalnum() else "-" for c in Path(file.filename or "video").stem)[:80]
    suffix = Path(file.filename or "").suffix.lower()
    # One folder per upload: files of different people cannot conflict.
    uploads = real_folder(library.uploads.parent, library.uploads.name)
    folder = uploads / f"{UPLOADING}{uuid4().hex}"
    folder.mkdir(parents=True)
    try:
        target = folder / f"{stem}{suffix if suffix in VIDEO_SUFFIXES else '.mp4'}"
        write_whole(target, _pieces(file))
        probe(target)
        words = None
        if transcript is not None:
            words = Path(target.name).with_suffix(words_suffix)
            write_whole(folder / words, _pieces(transcript))
        kept = keep_upload(library.store, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Path(f"{kept}/{target.name}"), Path(f"{kept}/{words}") if words else None


@router.get("/jobs")
def jobs(request: Request) -> dict[str, Any]:
    """Videos that are being added."""
    return {"jobs": job_facts(request, indexer_of(request).jobs())}


@router.delete("/jobs/{number}")
def cancel(request: Request, number: int) -> Response:
    """Stop a job, keeping finished stages; a job that has ended is removed from the list."""
    job = indexer_of(request).cancel(number)
    if job is None:
        return JSONResponse({"error": "UnknownJob", "detail": f"there is no job {number}"}, 404)
    return JSONResponse({"state": job.state})


@router.post("/jobs/{number}/resume", status_code=202)
def resume_job(request: Request, number: int) -> Response:
    """Resume a job that was stopped or failed."""
    job = indexer_of(request).resume(number)
    if job is None:
        return JSONResponse(
            {"error": "UnknownJob", "detail": f"there is no job {number} to resume"}, 404
        )
    return JSONResponse({"jobs": [job.id]}, 202)


@router.post("/videos/{video}/index", status_code=202)
def index_again(request: Request, video: str) -> dict[str, Any]:
    """Resume indexing a video that was stopped or failed, or update it."""
    return {"jobs": [indexer_of(request).add(wanted_film(request, video)).id]}


@router.get("/events")
async def events(request: Request) -> Response:
    """Server-sent events: all jobs and the state of training, whenever one of them changes."""
    indexer_of(request).refuse_watchers_beyond()

    async def stream() -> AsyncIterator[str]:
        async for state in indexer_of(request).watch():
            facts = {
                "jobs": job_facts(request, state),
                "learning": learner_of(request).facts(),
            }
            yield f"data: {json.dumps(facts)}\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


def _pieces(file: UploadFile) -> Iterator[bytes]:
    """The bytes of an upload, limited by the guard."""
    return iter(partial(file.file.read, 1 << 20), b"")


def transcript_suffix(file: UploadFile) -> str:
    """The extension of an uploaded transcript; an error for other files."""
    suffix = Path(file.filename or "").suffix.lower()
    if suffix not in (*EXTENSIONS, ".xml", ".txt"):
        raise TranscriptError(
            f"a transcript ends in {', '.join(EXTENSIONS)}, .xml or .txt, "
            f"got {suffix[:20] or 'no ending'}"
        )
    return suffix


def wanted_film(request: Request, video: str) -> Path:
    """The film of a video that is to be indexed again, which may have changed since."""
    path = Path(library_of(request).video(video).path)
    refuse_link(path, media_of(request))
    return path


def inside(name: str, folders: tuple[Path, ...]) -> Path:
    """The real path, if it is inside a media folder; links that lead outside are not allowed.

    The given path is local, or begins with the name of a media folder.
    """
    # A NUL ends a path for the system, but not for Python; lone surrogates have no bytes.
    path = Path(name.replace("\0", "?").encode(errors="replace").decode())
    first, *rest = path.parts or ("",)
    named = next((folder for folder in folders if folder.name == first), None)
    real = (named.joinpath(*rest) if named else path).resolve()
    if not any(real.is_relative_to(folder) for folder in folders):
        places = ", ".join(folder.name for folder in folders) or "none; start with --media FOLDER"
        raise MediaError(f"videos can be added from the media folders only ({places})")
    return real
