"""Ways to add content: browsing media folders, subtitles, speech recognition, the demo film."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

from anyio import to_thread
from fastapi import APIRouter, Query, Request, UploadFile

from storyscope.errors import LibraryError, MediaError, TranscriptError
from storyscope.library.uploads import copy_upload
from storyscope.media import find_videos
from storyscope.transcripts import read_transcript
from storyscope.web.adding import inside, transcript_suffix, wanted_film
from storyscope.web.answers import indexer_of, library_of, media_of, readers_of
from storyscope.writing import half_written, real_folder

router = APIRouter()
SPEECH_MODEL = "whisper-tiny.en"
LARGEST_SUBTITLES = 32 << 20


@router.get("/folders")
def folders(request: Request, path: Annotated[str, Query(max_length=4096)] = "") -> dict[str, Any]:
    """Content of a media folder: subfolders, and videos that can be added.

    Paths begin with the name of a media folder; without one, the media folders are listed.
    """
    media = media_of(request)
    if not path:
        return {"folders": [{"name": f.name, "path": f.name} for f in media], "videos": []}
    place = inside(path, media)
    if not place.is_dir():
        raise MediaError(f"{place.name} is not a folder")
    known = {record.video.path for record in library_of(request).store.records()}
    entries = sorted(place.iterdir(), key=lambda entry: entry.name.lower())
    seen = [entry for entry in entries if not entry.name.startswith(".")]
    videos = set(_videos_in(place))
    return {
        "folders": [
            {"name": entry.name, "path": f"{path}/{entry.name}"} for entry in seen if entry.is_dir()
        ],
        "videos": [
            {
                "name": entry.name,
                "path": f"{path}/{entry.name}",
                "known": str(entry) in known or str(entry.resolve()) in known,
            }
            for entry in seen
            if entry in videos
        ],
    }


@router.put("/videos/{video}/transcript", status_code=202)
async def bring_subtitles(request: Request, video: str, file: UploadFile) -> dict[str, Any]:
    """Set the transcript of a video from a subtitle file, and find its stories again."""
    words = await to_thread.run_sync(
        partial(_keep_subtitles, request, video, file), limiter=readers_of(request)
    )
    return {"jobs": [indexer_of(request).add(wanted_film(request, video), words).id]}


def _keep_subtitles(request: Request, video: str, file: UploadFile) -> Path:
    library = library_of(request)
    found = library.video(video)
    suffix = transcript_suffix(file)
    content = file.file.read(LARGEST_SUBTITLES + 1)
    if len(content) > LARGEST_SUBTITLES:
        raise TranscriptError("the subtitle file is larger than 32 MB")
    folder = real_folder(library.uploads.parent, "transcripts")
    folder.mkdir(parents=True, exist_ok=True)
    with half_written(folder, [content]) as part:
        words = folder / f"{found.id}{suffix}"
        trial = part.rename(part.with_suffix(suffix))
        try:
            read_transcript(trial, duration=found.duration)
            if library.store.upload_bucket:
                name = f"{uuid4().hex}/{words.name}"
                words = Path(copy_upload(library.store, trial, name))
            else:
                trial.replace(words)
        finally:
            trial.unlink(missing_ok=True)
    return words


@router.post("/videos/{video}/transcription", status_code=202)
def transcribe(request: Request, video: str) -> dict[str, Any]:
    """Transcribe the speech of a video, and from then on of every video without a transcript."""
    library = library_of(request)
    found = library.video(video)
    if not found.has_sound:
        raise MediaError(f"{video} has no sound to transcribe")
    if library.config.transcripts.speech == "off":
        library.keep_settings([f"transcripts.speech={SPEECH_MODEL}"])
    return {"jobs": [indexer_of(request).add(wanted_film(request, video)).id]}


@router.post("/demo", status_code=202)
def add_demo(request: Request) -> dict[str, Any]:
    """Make the demo film and index it."""
    from storyscope_demo import find_demo, make_demo

    library, indexer = library_of(request), indexer_of(request)
    folder = library.folder / "demo"
    if any(record.video.id == "demo" for record in library.store.records()):
        raise LibraryError("the demo film is already in the library")
    making: threading.Lock = request.app.state.making_demo
    if not making.acquire(blocking=False):
        raise LibraryError("the demo film is already being made")

    def make() -> None:
        try:
            made = find_demo(folder) or make_demo(folder)
            indexer.add(made.video, made.transcript)
        finally:
            making.release()

    threading.Thread(target=make, daemon=True).start()
    return {"jobs": []}


def _videos_in(place: Path) -> list[Path]:
    try:
        return [path for path in find_videos([place]) if path.parent == place]
    except MediaError:
        return []
