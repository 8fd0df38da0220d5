"""Search over HTTP: by text, by an image, by a story; a page of results at a time."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from anyio import to_thread
from fastapi import APIRouter, Depends, Path, Query, Request, UploadFile

from storyscope.core import Hit
from storyscope.errors import FormatError
from storyscope.search import Filter
from storyscope.web.answers import Wanted, library_of, readers_of, titles_of

router = APIRouter()
MOST_RESULTS = 1000
LARGEST_IMAGE = 32 << 20
KINDS = {"spoken": ("said", "read"), "topic": ("meant",), "visual": ("seen",)}
FOUND = 0.5
"""Minimum part of a score by which a story counts as a spoken, topic or visual match."""
Offset = Annotated[int, Query(ge=0, le=MOST_RESULTS)]
Limit = Annotated[int, Query(ge=1, le=100)]
Sort = Annotated[Literal["time", "longest"] | None, Query()]
Kind = Annotated[Literal["spoken", "topic", "visual"] | None, Query()]


@router.get("/search")
def search(
    request: Request,
    q: Annotated[str, Query(max_length=400)],
    only: Annotated[Filter, Depends()],
    count: Wanted,
    limit: Limit = 20,
    offset: Offset = 0,
    kind: Kind = None,
    sort: Sort = None,
) -> dict[str, Any]:
    """Stories that match the text, best first; none if nothing is relevant.

    With `sort`, all hits are sorted by video or by length, and then paged. Filters: one video, a
    time range in it, a length, a language, or a kind of match: `spoken`, `topic` or `visual`.
    `granularity`, `count` or `minutes` search another number of stories than the stored one.
    """
    library = library_of(request).with_story_count(count)
    found = lambda count: library.search(q, limit=count, only=only)  # noqa: E731
    return {"query": q, **_page(request, found, offset, limit, kind, sort)}


@router.get("/videos/{video}/stories/{number}/similar")
def similar(
    request: Request,
    video: str,
    number: Annotated[int, Path(ge=1)],
    only: Annotated[Filter, Depends()],
    limit: Limit = 20,
    offset: Offset = 0,
    sort: Sort = None,
) -> dict[str, Any]:
    """Stories about the same subject as this one, or that look similar."""
    library = library_of(request)
    story = library.story(f"{library.video(video).id}/{number}")
    only = Filter(**{**vars(only), "video": None})
    found = lambda count: library.more_like(story, limit=count, only=only)  # noqa: E731
    return _page(request, found, offset, limit, sort=sort)


@router.post("/search/image")
async def search_image(request: Request, file: UploadFile, limit: Limit = 24) -> dict[str, Any]:
    """Stories that show what an image shows, best first."""
    library = library_of(request)

    def find() -> dict[str, Any]:
        content = file.file.read(LARGEST_IMAGE + 1)
        if len(content) > LARGEST_IMAGE:
            raise FormatError("the image is larger than 32 MB; choose a smaller one")
        with tempfile.NamedTemporaryFile(suffix=".image") as kept:
            kept.write(content)
            kept.flush()
            path = FilePath(kept.name)
            return _page(request, lambda count: library.search_image(path, limit=count), 0, limit)

    return await to_thread.run_sync(find, limiter=readers_of(request))


def moment_of(hit: Hit) -> float:
    """The time of the match: that of its evidence, otherwise that of its picture."""
    named = re.match(r"[^:“]*?, ((?:\d+:)+\d\d):", hit.evidence)
    if named is None:
        return hit.thumbnail.seconds
    seconds = 0
    for part in named[1].split(":"):
        seconds = 60 * seconds + int(part)
    # Evidence is written in whole seconds; the picture is exact, and its shot may begin in between.
    if seconds == int(hit.thumbnail.seconds):
        return hit.thumbnail.seconds
    span = hit.story.span
    return min(max(float(seconds), span.start), span.end)


def _page(
    request: Request,
    found: Callable[[int], list[Hit]],
    offset: int,
    limit: int,
    kind: str | None = None,
    sort: str | None = None,
) -> dict[str, Any]:
    """Results [offset, offset + limit), and whether there are more."""
    library = library_of(request)
    # One extra hit shows whether there are more; filtering and sorting need all of them.
    hits = found(MOST_RESULTS if kind or sort else offset + limit + 1)
    if kind:
        hits = [h for h in hits if any(h.parts.get(part, 0) >= FOUND for part in KINDS[kind])]
    if sort == "time":
        hits = sorted(hits, key=lambda hit: (hit.video, hit.story.span.start))
    elif sort == "longest":
        hits = sorted(hits, key=lambda hit: hit.story.span.start - hit.story.span.end)
    shown = hits[offset : offset + limit]
    titles = titles_of(request).of_each(library.video(hit.video) for hit in shown)
    return {
        "hits": [
            {
                **hit.facts(),
                "video_title": titles[hit.video] or hit.video,
                "duration": library.video(hit.video).duration,
                "moment": moment_of(hit),
            }
            for hit in shown
        ],
        "more": len(hits) > offset + limit,
    }
