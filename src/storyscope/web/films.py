"""Open the file of a film on the server: the one that was indexed, never through a link."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from fastapi.responses import FileResponse, StreamingResponse
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from storyscope.errors import MediaError
from storyscope.library import LocalLibrary
from storyscope.media import film_at_hand, film_pieces, find_film
from storyscope.reading import OPEN_FILES, open_regular
from storyscope.store import BucketFile, in_bucket

_RANGE = re.compile(r"bytes=(?=\S*\d)(\d{0,18})-(\d{0,18})")


class FilmResponse(FileResponse):
    """A film by ranges, read from an open file, which cannot be replaced."""

    def __init__(self, opened: int, path: Path, media_type: str) -> None:
        self._opened = opened
        again = OPEN_FILES / str(opened)
        super().__init__(again if again.exists() else path, media_type=media_type)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            os.close(self._opened)


class BucketFilmResponse(StreamingResponse):
    """A film in a bucket, of which only the requested range is read."""

    def __init__(self, film: str, found: BucketFile, media_type: str, headers: Headers) -> None:
        part = wanted_part(headers, found)
        response_headers = {
            "Accept-Ranges": "bytes",
            "ETag": found.tag,
            "Content-Length": str(len(part or ())),
        }
        if part is None:
            response_headers["Content-Range"] = f"bytes */{found.size}"
            super().__init__(iter(()), 416, response_headers, media_type)
            return
        if len(part) < found.size:
            response_headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{found.size}"
        pieces = film_pieces(film, found, part) if part else iter(())
        super().__init__(
            pieces, 206 if len(part) < found.size else 200, response_headers, media_type
        )


def wanted_part(headers: Headers, found: BucketFile) -> range | None:
    """The requested bytes; None if the range is outside the film.

    The whole film if several ranges are requested, or a range of another version.
    """
    whole = range(found.size)
    asked = _RANGE.fullmatch(headers.get("range", ""))
    if not asked or headers.get("if-range", found.tag) != found.tag:
        return whole
    first, last = asked.groups()
    if first:
        part = range(int(first), min(int(last) + 1 if last else found.size, found.size))
    else:
        part = range(max(0, found.size - int(last)), found.size)
    return part or None


def indexed_in_bucket(library: LocalLibrary, video: str) -> BucketFile | None:
    """The facts of an indexed film in a bucket; an error if it was replaced by another."""
    film, record = library.video(video).path, library.store.record(video)
    if record is None or not in_bucket(film):
        return None
    found = find_film(film)
    if (found.size, found.modified_ns) != (record.size, record.modified_ns):
        raise MediaError(f"the file of {video} has changed since it was indexed; index it again")
    return found


def film_path(library: LocalLibrary, video: str, media: Sequence[Path]) -> Path:
    """The path of the film that was indexed; an error if it was replaced by another or a link."""
    if indexed_in_bucket(library, video) is None:
        os.close(open_film(library, video, media))
    return Path(library.video(video).path)


def open_film(library: LocalLibrary, video: str, media: Sequence[Path]) -> int:
    """Open the film that was indexed without following links; return a file descriptor."""
    film = library.video(video).path
    record, path = library.store.record(video), Path(film)
    if indexed_in_bucket(library, video):
        with film_at_hand(film) as fetched:
            return os.open(fetched, os.O_RDONLY)
    if record is None or not path.is_file():
        raise MediaError(f"the file of {video} is missing; put it back or add it again")
    refuse_link(path, media)
    try:
        opened = open_regular(path)
    except OSError as error:
        raise MediaError(f"the file of {video} cannot be read: {error.strerror}") from error
    if os.fstat(opened).st_size != record.size:
        os.close(opened)
        raise MediaError(f"the file of {video} has changed since it was indexed; index it again")
    return opened


def refuse_link(path: Path, media: Sequence[Path]) -> None:
    """Raise an error for a path in a media folder that is a link, or is reached through one.

    The server stores real paths: links are resolved when a film is added, and never after that.
    """
    if any(path.is_relative_to(folder) for folder in media) and path.resolve() != path:
        raise MediaError(f"the file {path.name} was replaced by a link; add it again")
