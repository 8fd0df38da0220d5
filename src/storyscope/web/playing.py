"""The film and what belongs to it: pictures, chapters, a stream if need be, and exports."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from starlette.background import BackgroundTask

from storyscope.errors import MediaError
from storyscope.library import LocalLibrary
from storyscope.media import Codecs, read_codecs
from storyscope.store import SCAN
from storyscope.web.answers import MaybeAnnotator, library_of, streams_of
from storyscope.writing import EXPORTING

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
"""What browsers play, picture and sound, by container; one that does not asks for the stream."""


@router.get("/videos/{video}/picture")
def picture(request: Request, video: str, at: Annotated[float, Query(ge=0)]) -> Response:
    """The keyframe nearest to a time, as a JPEG."""
    path = library_of(request).picture(video, at)
    return FileResponse(path, media_type="image/jpeg", headers={"Cache-Control": "max-age=3600"})


@router.get("/videos/{video}/media")
def media(request: Request, video: str) -> Response:
    """The film itself, by ranges."""
    path = _file_of(request, video)
    kind = CONTENT_TYPES.get(path.suffix.lower(), "application/octet-stream")
    return FileResponse(path, media_type=kind)


@router.get("/videos/{video}/playable")
def playable(request: Request, video: str) -> dict[str, Any]:
    """Whether browsers play the file as it is; if not, why: `stream` is then what they play."""
    path = _file_of(request, video)
    reason = why_unplayable(_codecs(path, path.stat().st_mtime_ns))
    return {"playable": not reason, "reason": reason}


@router.get("/videos/{video}/stream", response_class=StreamingResponse)
def stream(
    request: Request, video: str, start: Annotated[float, Query(ge=0, le=1e6)] = 0.0
) -> Response:
    """The film from a time on, made playable while it is sent: for files that browsers cannot play.

    There is no seeking in it: ask for another that starts elsewhere.
    """
    path, streams = _file_of(request, video), streams_of(request)
    opened = streams.open(path, start)
    headers = {"Accept-Ranges": "none", "Cache-Control": "no-store"}
    return StreamingResponse(streams.send(opened), media_type=opened.type, headers=headers)


@router.get("/videos/{video}/chapters.vtt")
def chapters(request: Request, video: str, annotator: MaybeAnnotator = None) -> Response:
    """The stories as a chapter track for the player."""
    return _exported(library_of(request), video, "webvtt", annotator, "text/vtt")


@router.get("/videos/{video}/sprites.vtt")
def sprites(request: Request, video: str) -> Response:
    """Where each moment's small picture lies in `sprites.jpg`, for previews while scrubbing."""
    return FileResponse(_sprites(library_of(request), video), media_type="text/vtt")


@router.get("/videos/{video}/sprites.jpg")
def sprite_sheet(request: Request, video: str) -> Response:
    """Small pictures of the whole film in one."""
    sheet = _sprites(library_of(request), video).with_suffix(".jpg")
    return FileResponse(sheet, media_type="image/jpeg", headers={"Cache-Control": "max-age=3600"})


@router.get("/videos/{video}/export/{format}")
def export(request: Request, video: str, format: str, annotator: MaybeAnnotator = None) -> Response:
    """The stories in any format; several files come as one ZIP archive."""
    from storyscope.formats import find_format

    library, kind = library_of(request), find_format(format)
    name = f"{library.video(video).id}{kind.suffix}"
    if kind.write is not None:
        written = _exported(library, video, format, annotator, "text/plain; charset=utf-8")
        written.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return written
    assert kind.save is not None
    timeline = library.timeline(video, annotator=annotator)
    folder = Path(tempfile.mkdtemp(dir=library.folder, prefix=EXPORTING))
    try:
        kind.save(timeline, folder / name)
        made = _one_file(folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    gone = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    return FileResponse(
        made, media_type="application/octet-stream", filename=made.name, background=gone
    )


@router.get("/formats")
def formats() -> dict[str, Any]:
    """What `export` can write."""
    from storyscope.formats import find_format, format_names

    kinds = [find_format(name) for name in format_names()]
    return {"formats": [{"name": k.name, "summary": k.summary, "loses": k.loses} for k in kinds]}


def why_unplayable(codecs: Codecs) -> str:
    """One line for people, or "" when browsers play such files."""
    for container in codecs.container.split(","):
        pictures, sounds = WEB_CODECS.get(container, (set(), set()))
        if codecs.picture in pictures and codecs.sound in sounds:
            return ""
    kind = codecs.container.split(",")[0]
    sound = f" with {codecs.sound} sound" if codecs.sound else ""
    return f"Its picture is {codecs.picture}{sound} in {kind}, which browsers do not play."


def _file_of(request: Request, video: str) -> Path:
    """The file that was indexed, and no other that was put or linked in its place."""
    library = library_of(request)
    path = Path(library.video(video).path)
    record = library.store.record(video)
    if record is None or not path.is_file():
        raise MediaError(f"the file of {video} is not where it was; add it again")
    if path.stat().st_size != record.size:
        raise MediaError(f"the file of {video} is not the one that was indexed; add it again")
    return path


@lru_cache(256)
def _codecs(path: Path, modified_ns: int) -> Codecs:
    return read_codecs(path)


def _exported(
    library: LocalLibrary, video: str, name: str, annotator: str | None, kind: str
) -> Response:
    from storyscope.formats import find_format

    write = find_format(name).write
    assert write is not None
    return PlainTextResponse(write(library.timeline(video, annotator=annotator)), media_type=kind)


def _one_file(folder: Path) -> Path:
    """The one file in a folder, or an archive of the many; films do not shrink any further."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if len(files) == 1:
        return files[0]
    (made,) = {path.relative_to(folder).parts[0].split(".")[0] for path in files}
    archive = folder / f"{made}.zip"
    with zipfile.ZipFile(archive, "x", zipfile.ZIP_STORED) as out:
        for path in files:
            out.write(path, path.name)
            path.unlink()
    return archive


def _sprites(library: LocalLibrary, video: str) -> Path:
    """The track of scrubbing previews, made when it is first asked for."""
    from storyscope.formats import find_format

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
