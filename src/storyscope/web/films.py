"""Open the file of a film on the server: the one that was indexed, never through a link."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from fastapi.responses import FileResponse
from starlette.types import Receive, Scope, Send

from storyscope.errors import MediaError
from storyscope.library import LocalLibrary
from storyscope.media import film_at_hand, film_stamp
from storyscope.reading import OPEN_FILES, open_regular
from storyscope.store import in_bucket


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


def film_path(library: LocalLibrary, video: str, media: Sequence[Path]) -> Path:
    """The path of the film that was indexed; an error if it was replaced by another or a link."""
    os.close(open_film(library, video, media))
    return Path(library.video(video).path)


def open_film(library: LocalLibrary, video: str, media: Sequence[Path]) -> int:
    """Open the film that was indexed without following links; return a file descriptor."""
    film = library.video(video).path
    record, path = library.store.record(video), Path(film)
    if record is not None and in_bucket(film):
        if film_stamp(film) != (record.size, record.modified_ns):
            raise MediaError(f"the film of {video} is not the one that was indexed; add it again")
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
        raise MediaError(f"the file of {video} is not the one that was indexed; add it again")
    return opened


def refuse_link(path: Path, media: Sequence[Path]) -> None:
    """Raise an error for a path in a media folder that is a link, or is reached through one.

    The server stores real paths: links are resolved when a film is added, and never after that.
    """
    if any(path.is_relative_to(folder) for folder in media) and path.resolve() != path:
        raise MediaError(f"the file {path.name} was replaced by a link to another; add it again")
