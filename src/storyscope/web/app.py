"""The application: routes, the page, and rules for every request."""

from __future__ import annotations

import errno
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException

from storyscope.errors import (
    AnnotationError,
    DiskFull,
    FormatError,
    InvalidSegmentation,
    InvalidSetting,
    StoryscopeError,
    UnknownName,
    UnknownVideo,
)
from storyscope.library import LocalLibrary
from storyscope.library.titles import Titles
from storyscope.reading import never_behind_links
from storyscope.web import (
    adding,
    bringing,
    correcting,
    exporting,
    playing,
    routes,
    searching,
    speaking,
)
from storyscope.web.answers import library_of, without_paths
from storyscope.web.correcting import VersionTaken
from storyscope.web.delivery import (
    A_YEAR,
    ANEW,
    Assets,
    Compressed,
    HeadAnswers,
    content_name,
    page_html,
    reference_html,
)
from storyscope.web.guard import Guard
from storyscope.web.indexing import Indexer, TooManyWatchers
from storyscope.web.learning import Learner
from storyscope.web.streams import Streams, TooManyStreams
from storyscope.writing import sweep_abandoned

STATUS: dict[type[StoryscopeError], int] = {
    UnknownVideo: 404,
    UnknownName: 404,
    VersionTaken: 412,
    AnnotationError: 422,
    InvalidSegmentation: 422,
    InvalidSetting: 422,
    FormatError: 422,
    TooManyStreams: 503,
    TooManyWatchers: 503,
    DiskFull: 507,
}
"""HTTP status of each error; any other is 409: the library cannot do that now."""
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
ODD_NAME = {errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ, errno.ELOOP}
"""System errors about invalid file names."""
ROUTES = {
    "Videos and stories": routes,
    "Search": searching,
    "Speakers and faces": speaking,
    "Playback": playing,
    "Export": exporting,
    "Versions and learning": correcting,
    "Adding videos": adding,
    "Folders, demo and transcripts": bringing,
}
"""The modules of routes, by their section in the API reference."""
LARGEST_UPLOAD = 64 << 30
MOST_EXPORTS = 2
"""Maximum number of concurrent exports; others wait, without blocking other routes."""
MOST_UPLOADS = 4
"""Maximum number of uploaded films that are probed at once: each needs a decoder."""
MOST_READERS = 2
"""Maximum number of uploaded images and transcripts that are read at once: one may take a gigabyte,
or seconds."""


def create_app(
    library: LocalLibrary,
    *,
    token: str | None = None,
    media_folders: tuple[Path, ...] = (),
    largest_upload: int = LARGEST_UPLOAD,
) -> FastAPI:
    """An application over one library.

    With a `token`, every request must carry it. Videos can be added by path only from inside
    `media_folders`. An upload has at most `largest_upload` bytes.
    """
    app = FastAPI(
        title="Storyscope",
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
    )
    app.state.library = library
    for folder in (library.folder, library.uploads):
        sweep_abandoned(folder)
    app.state.media_folders = tuple(folder.resolve() for folder in media_folders)
    never_behind_links(app.state.media_folders)
    app.state.indexer = Indexer(library, app.state.media_folders)
    app.state.indexer.take_up()
    app.state.learner = Learner(library, app.state.indexer.tell)
    app.state.streams = Streams()
    app.state.titles = Titles(library.store)
    app.state.exports = CapacityLimiter(MOST_EXPORTS)
    app.state.readers = CapacityLimiter(MOST_READERS)
    app.state.uploads = CapacityLimiter(MOST_UPLOADS)
    app.state.making_demo = threading.Lock()
    app.add_middleware(HeadAnswers)
    app.add_middleware(Compressed)
    app.add_middleware(Guard, token=token, largest_upload=largest_upload)
    for title, module in ROUTES.items():
        app.include_router(module.router, prefix="/api/v1", tags=[title])
    app.add_exception_handler(StoryscopeError, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse_shape)
    app.add_exception_handler(OSError, _refuse_by_system)
    app.add_exception_handler(HTTPException, _refuse_body)
    app.add_exception_handler(UnicodeError, _refuse_letters)
    _serve_page(app)
    return app


async def _refuse(request: Request, error: Exception) -> JSONResponse:
    """An error as JSON: its class for programs, its message for people."""
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 409)
    known = None
    with suppress(StoryscopeError):  # The database may be what is damaged.
        known = library_of(request).store.record(request.path_params.get("video", ""))
    detail = without_paths(request, str(error), known.video.path if known else "")
    facts: dict[str, Any] = {"error": type(error).__name__, "detail": detail}
    return JSONResponse(facts, status_code=status)


async def _refuse_shape(request: Request, error: Exception) -> JSONResponse:
    """Describe an invalid request without its values, some of which JSON cannot represent."""
    assert isinstance(error, RequestValidationError)
    wrong = "; ".join(
        f"{' '.join(str(part) for part in each['loc'])}: {each['msg']}" for each in error.errors()
    )
    return JSONResponse({"error": "InvalidRequest", "detail": wrong}, status_code=422)


async def _refuse_by_system(request: Request, error: Exception) -> JSONResponse:
    """Errors of the file system: a full disk is 507, an invalid name 422."""
    assert isinstance(error, OSError)
    reason = error.strerror or type(error).__name__
    if error.errno in NO_ROOM:
        facts = {"error": "DiskFull", "detail": "the disk is full; free some space and try again"}
        return JSONResponse(facts, status_code=507)
    status = 422 if error.errno in ODD_NAME else 409
    facts = {"error": "FileRefused", "detail": f"the system reported: {reason}"}
    return JSONResponse(facts, status_code=status)


async def _refuse_body(request: Request, error: Exception) -> Response:
    """A body that could not be read; a full disk is reported as such."""
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, OSError):
        return await _refuse_by_system(request, error.__cause__)
    facts = {"error": "NotPossible", "detail": str(error.detail)}
    return JSONResponse(facts, status_code=error.status_code, headers=error.headers)


async def _refuse_letters(request: Request, error: Exception) -> JSONResponse:
    """Reject lone surrogates, which only JSON can represent."""
    facts = {
        "error": "InvalidRequest",
        "detail": "the text contains an invalid character; remove it",
    }
    return JSONResponse(facts, status_code=422)


def _serve_page(app: FastAPI) -> None:
    name = content_name()
    html, reference = page_html(name), reference_html(name)
    app.mount(f"/static/{name}", Assets(A_YEAR), name="assets")
    app.mount("/static", Assets(ANEW), name="static")

    @app.get("/api/docs", include_in_schema=False)
    def api_reference() -> HTMLResponse:
        return HTMLResponse(reference, headers={"Cache-Control": ANEW})

    @app.get("/api/{call:path}", include_in_schema=False)
    def unknown(call: str) -> JSONResponse:
        facts = {"error": "NotFound", "detail": f"there is no /api/{call}; /api/docs lists the API"}
        return JSONResponse(facts, status_code=404)

    @app.get("/{view:path}", include_in_schema=False)
    def page(view: str) -> Response:
        """The page; its view is part of the address."""
        return HTMLResponse(html, headers={"Cache-Control": ANEW})
