"""Export the stories that the page shows to the formats of other programs."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from anyio import to_thread
from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response
from starlette.background import BackgroundTask

from storyscope.core import Annotation
from storyscope.formats import Timeline, find_format, format_names
from storyscope.library import LocalLibrary
from storyscope.web.answers import MaybeAnnotator, Wanted, exports_of, library_of
from storyscope.web.correcting import StoryVersion
from storyscope.writing import EXPORTING

router = APIRouter()


@router.get("/videos/{video}/chapters.vtt")
def chapters(
    request: Request,
    video: str,
    count: Wanted,
    annotator: MaybeAnnotator = None,
) -> Response:
    """The stories as a chapter track for the player."""
    timeline = library_of(request).with_story_count(count).timeline(video, annotator=annotator)
    return _text(timeline, "webvtt", "text/vtt")


@router.get("/videos/{video}/export/{format}")
async def export(
    request: Request,
    video: str,
    format: str,
    count: Wanted,
    annotator: MaybeAnnotator = None,
) -> Response:
    """The stories in any format; several files come as one ZIP archive."""
    library = library_of(request)

    def write() -> Response:
        find_format(format)
        timeline = library.with_story_count(count).timeline(video, annotator=annotator)
        return _exported(library, timeline, format)

    return await _in_turn(request, write)


@router.post("/videos/{video}/export/{format}")
async def export_draft(
    request: Request, video: str, format: str, version: StoryVersion
) -> Response:
    """Export unsaved stories in any format."""
    library = library_of(request)

    def write() -> Response:
        find_format(format)
        draft = Annotation(
            "draft",
            tuple(version.starts),
            library.video(video).duration,
            tuple(version.titles),
            tuple(version.thumbnails),
        )
        stories = library.stories_marked(video, draft)
        return _exported(library, library.timeline(video, stories=stories), format)

    return await _in_turn(request, write)


@router.get("/formats")
def formats() -> dict[str, Any]:
    """The export formats; `text` formats can be previewed."""
    kinds = [find_format(name) for name in format_names()]
    return {
        "formats": [
            {
                "name": kind.name,
                "summary": kind.summary,
                "loses": kind.loses,
                "suffix": kind.suffix,
                "text": kind.write is not None,
            }
            for kind in kinds
        ]
    }


async def _in_turn(request: Request, write: Callable[[], Response]) -> Response:
    """Write an export when there is capacity; waiting takes no thread."""
    return await to_thread.run_sync(write, limiter=exports_of(request))


def _exported(library: LocalLibrary, timeline: Timeline, format: str) -> Response:
    kind = find_format(format)
    name = f"{timeline.video.id}{kind.suffix}"
    if kind.write is not None:
        # The local folder of the film is not sent over the network.
        named = replace(timeline.video, path=Path(timeline.video.path).name)
        timeline = replace(timeline, video=named)
        written = _text(timeline, format, "text/plain; charset=utf-8")
        written.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return written
    assert kind.save is not None
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


def _text(timeline: Timeline, format: str, kind: str) -> Response:
    write = find_format(format).write
    assert write is not None
    return PlainTextResponse(write(timeline), media_type=kind)


def _one_file(folder: Path) -> Path:
    """The only file in a folder, or an archive of several; films are not compressed further."""
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
