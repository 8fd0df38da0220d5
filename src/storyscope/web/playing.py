"""The video and its media: pictures, sound level, and a converted stream if necessary."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, Response, StreamingResponse

from storyscope.formats import find_format
from storyscope.library import LocalLibrary
from storyscope.media import Codecs, film_stamp, is_fetched, read_codecs
from storyscope.store import SCAN
from storyscope.web.answers import KnownTag, library_of, media_of, streams_of, tagged
from storyscope.web.films import (
    BucketFilmResponse,
    FilmResponse,
    film_path,
    indexed_in_bucket,
    open_film,
)

router = APIRouter()
CONTENT_TYPES = {
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".webm": "video/webm",
    ".mkv": "video/x-matroska",
    ".ogv": "video/ogg",
}
WEB_CODECS = {
    "mp4": ({"h264", "av1", "vp9"}, {"aac", "mp3", "mp3float", "opus", "flac", ""}),
    "webm": ({"vp8", "vp9", "av1"}, {"opus", "vorbis", ""}),
    "matroska": ({"h264", "vp8", "vp9", "av1"}, {"aac", "opus", "vorbis", "mp3float", "flac", ""}),
}
"""Codecs that browsers play, picture and sound, by container; others need the stream."""


@router.get("/videos/{video}/picture")
def picture(request: Request, video: str, at: Annotated[float, Query(ge=0, le=1e6)]) -> Response:
    """The keyframe nearest to a time, as a JPEG."""
    path = library_of(request).picture(video, at)
    return FileResponse(path, media_type="image/jpeg", headers={"Cache-Control": "max-age=3600"})


@router.get("/videos/{video}/media")
def media(request: Request, video: str) -> Response:
    """The film itself, with range requests."""
    library = library_of(request)
    film = library.video(video).path
    path = Path(film)
    kind = CONTENT_TYPES.get(path.suffix.lower(), "application/octet-stream")
    found = indexed_in_bucket(library, video)
    if found and not is_fetched(film, found):
        return BucketFilmResponse(film, found, kind, request.headers)
    return FilmResponse(open_film(library, video, media_of(request)), path, kind)


@router.get("/videos/{video}/playable")
def playable(request: Request, video: str) -> dict[str, Any]:
    """Whether every browser can play the file; if not, why, and its codecs.

    A browser may play more than others: ask it about these codecs. If it cannot play them, use
    `stream`.
    """
    path = film_path(library_of(request), video, media_of(request))
    codecs = _codecs(path, film_stamp(path)[1])
    reason = why_unplayable(codecs)
    return {"playable": not reason, "reason": reason, **asdict(codecs)}


@router.get("/videos/{video}/stream", response_class=StreamingResponse)
def stream(
    request: Request, video: str, start: Annotated[float, Query(ge=0, le=1e6)] = 0.0
) -> Response:
    """The film from a given time, converted while it is sent, for files that browsers cannot play.

    It cannot be seeked: request another one that starts elsewhere.
    """
    path, streams = film_path(library_of(request), video, media_of(request)), streams_of(request)
    opened = streams.open(path, start)
    headers = {"Accept-Ranges": "none", "Cache-Control": "no-store"}
    return StreamingResponse(streams.send(opened), media_type=opened.type, headers=headers)


@router.get("/videos/{video}/sprites.vtt")
def sprites(request: Request, video: str) -> Response:
    """Positions in `sprites.jpg` by time, for previews while scrubbing."""
    return FileResponse(_sprites(library_of(request), video), media_type="text/vtt")


@router.get("/videos/{video}/sprites.jpg")
def sprite_sheet(request: Request, video: str) -> Response:
    """Small pictures of the whole film in one sprite sheet."""
    sheet = _sprites(library_of(request), video).with_suffix(".jpg")
    return FileResponse(sheet, media_type="image/jpeg", headers={"Cache-Control": "max-age=3600"})


@router.get("/videos/{video}/poster")
def poster(request: Request, video: str) -> Response:
    """The picture of the whole video: the best thumbnail of its stories."""
    library = library_of(request)
    thumbnails = library.thumbnails(video, library.stories(video))
    path = library.picture(video, max(thumbnails, key=lambda each: each.score).seconds)
    return FileResponse(path, media_type="image/jpeg", headers={"Cache-Control": "max-age=300"})


@router.get("/videos/{video}/waveform")
def waveform(request: Request, video: str, if_none_match: KnownTag = None) -> Response:
    """The loudness of the video over time, from 0 to 1; an empty list without sound."""
    return tagged({"level": library_of(request).loudness(video)}, if_none_match)


def why_unplayable(codecs: Codecs) -> str:
    """One line for people, or "" if browsers play such files."""
    for container in codecs.container.split(","):
        pictures, sounds = WEB_CODECS.get(container, (set(), set()))
        if codecs.picture in pictures and codecs.sound in sounds:
            return ""
    kind = codecs.container.split(",")[0]
    sound = f" with {codecs.sound} sound" if codecs.sound else ""
    return f"The file is {codecs.picture}{sound} in {kind}, which not every browser plays."


@lru_cache(256)
def _codecs(path: Path, modified_ns: int) -> Codecs:
    return read_codecs(path)


def _sprites(library: LocalLibrary, video: str) -> Path:
    """The track of scrubbing previews, made when it is first requested."""
    timeline = library.timeline(video)
    key = library.store.key(video, SCAN) or ""
    folder = library.folder / "pictures" / library.video(video).id
    track = folder / f"scrub-{key[:16]}.vtt"
    save = find_format("thumbnails").save
    if not track.exists() and save is not None:
        folder.mkdir(parents=True, exist_ok=True)
        half_made = Path(tempfile.mkdtemp(dir=folder))
        save(timeline, half_made / track.name)
        for made in (track.with_suffix(".jpg"), track):
            (half_made / made.name).replace(made)
        half_made.rmdir()
    return track
