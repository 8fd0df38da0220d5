"""Responses that all routes share, and access to the state of the application."""

from __future__ import annotations

import json
import re
import tempfile
from hashlib import sha256
from pathlib import Path as FilePath
from typing import Annotated, Any, cast

from anyio import CapacityLimiter
from fastapi import Depends, Header, Path, Query, Request
from fastapi.responses import Response

from storyscope.core import StoryCount
from storyscope.library import LocalLibrary
from storyscope.library.titles import Titles
from storyscope.web.indexing import Indexer
from storyscope.web.learning import Learner
from storyscope.web.streams import Streams
from storyscope.writing import UPLOADING

KnownTag = Annotated[str | None, Header()]
Annotator = Annotated[str, Path(min_length=1, max_length=200)]
MaybeAnnotator = Annotated[str | None, Query(max_length=200)]


def wanted_count(
    granularity: Annotated[float | None, Query(ge=0, le=1)] = None,
    count: Annotated[int | None, Query(ge=1, le=100_000)] = None,
    minutes: Annotated[float | None, Query(gt=0, le=100_000)] = None,
) -> StoryCount:
    """The number of stories in a request, in one of three ways."""
    return StoryCount(granularity, count, minutes)


Wanted = Annotated[StoryCount, Depends(wanted_count)]


def library_of(request: Request) -> LocalLibrary:
    return cast(LocalLibrary, request.app.state.library)


def indexer_of(request: Request) -> Indexer:
    return cast(Indexer, request.app.state.indexer)


def learner_of(request: Request) -> Learner:
    return cast(Learner, request.app.state.learner)


def streams_of(request: Request) -> Streams:
    return cast(Streams, request.app.state.streams)


def titles_of(request: Request) -> Titles:
    return cast(Titles, request.app.state.titles)


_HALF_UPLOADED = re.compile(rf"{re.escape(UPLOADING)}[0-9a-f]+/")


def without_paths(request: Request, text: str, film: str = "") -> str:
    """The text without local folders, that of a film among them: file names stay."""
    library, uploads = library_of(request).folder, library_of(request).uploads
    folders = [uploads, library / "uploads", library.absolute() / "uploads", library]
    folders += [FilePath(film).parent] if film else []
    folders += [library.absolute(), uploads.resolve(), library.resolve()]
    folders += [*request.app.state.media_folders, FilePath(tempfile.gettempdir())]
    for folder in folders:
        text = text.replace(f"{folder}/", "").replace(f" in {folder}", "")
    return _HALF_UPLOADED.sub("", text)


def named_facts(
    request: Request, facts: dict[str, Any], *, title: str | None = None
) -> dict[str, Any]:
    """The library's facts of a video, with its title and without its folder."""
    if title is None:
        title = titles_of(request).of(library_of(request).video(facts["id"]))
    return facts | {
        "path": FilePath(facts["path"]).name,
        "title": title,
        "failure": without_paths(request, facts.get("failure", ""), facts["path"]),
    }


def media_of(request: Request) -> tuple[FilePath, ...]:
    """Real paths of the folders from which videos may be added."""
    return cast(tuple[FilePath, ...], request.app.state.media_folders)


def readers_of(request: Request) -> CapacityLimiter:
    """Limits how many large uploads are read at once; waiting takes no thread."""
    return cast(CapacityLimiter, request.app.state.readers)


def uploads_of(request: Request) -> CapacityLimiter:
    """Limits how many uploaded films are probed at once."""
    return cast(CapacityLimiter, request.app.state.uploads)


def exports_of(request: Request) -> CapacityLimiter:
    return cast(CapacityLimiter, request.app.state.exports)


def tagged(facts: dict[str, Any], known: str | None) -> Response:
    """JSON with an ETag; a client that has it already gets a 304."""
    body = json.dumps(facts, ensure_ascii=False).encode()
    tag = f'"{sha256(body).hexdigest()[:24]}"'
    if known is not None and tag in (part.strip() for part in known.split(",")):
        return Response(status_code=304, headers={"ETag": tag})
    return Response(body, media_type="application/json", headers={"ETag": tag})
