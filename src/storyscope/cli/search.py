from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, named, open_library
from storyscope.cli.show import print_json, print_table, say

if TYPE_CHECKING:
    from storyscope.core import Hit
    from storyscope.library import Library


def search(
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT]", help="What to look for.", show_default=False)
    ] = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    image: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Look for what this picture shows.")
    ] = None,
    like: Annotated[
        str | None, typer.Option(metavar="VIDEO/N", help="Look for stories like this one.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most stories to show.")] = 10,
    video: Annotated[str | None, typer.Option(metavar="VIDEO", help="In this video only.")] = None,
    after: Annotated[float | None, typer.Option(help="Beginning at this second or later.")] = None,
    before: Annotated[float | None, typer.Option(help="Ended by this second.")] = None,
    shortest: Annotated[float | None, typer.Option(help="Of at least these seconds.")] = None,
    longest: Annotated[float | None, typer.Option(help="Of at most these seconds.")] = None,
    language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Spoken in this language, as `en`.")
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option(metavar="PNG", help="Draw the hits, with rival thumbnails.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Find the stories that answer a text, look like a picture, or are like another story.

    Examples:

        storyscope search "polar bear on ice"

        storyscope search '"red mushroom"' --video demo --longest 60

        storyscope search whales --limit 3 --json

        storyscope search --image beach.jpg

        storyscope search --like film/3 --sheet alike.png
    """
    from storyscope.search import Filter

    if sum(given is not None for given in (text, image, like)) != 1:
        raise typer.BadParameter("give one of TEXT, --image and --like")
    shelf = open_library(library)
    if video is not None:
        shelf.video(video)
    only = Filter(
        video=video,
        after=after,
        before=before,
        shortest=shortest,
        longest=longest,
        language=language,
    )
    if image is not None:
        query, hits = str(image), shelf.search_image(image, limit=limit, only=only)
    elif like is not None:
        query, hits = like, shelf.more_like(shelf.story(like), limit=limit, only=only)
    else:
        query = text or ""
        hits = shelf.search(query, limit=limit, only=only)
    if sheet is not None:
        shelf.draw_hits(query, hits, sheet)
    if json:
        print_json({"query": query, "hits": [_facts(shelf, hit) for hit in hits]})
    elif hits:
        _print(hits)
    else:
        say(f"Nothing in {named(library)} answers “{query}”.")


def _facts(shelf: Library, hit: Hit) -> dict[str, object]:
    facts = hit.facts()
    facts["thumbnail"]["file"] = str(shelf.picture(hit.video, hit.thumbnail.seconds))
    return facts


def _print(hits: list[Hit]) -> None:
    from storyscope.core import format_time

    print_table(
        "",
        "video",
        "story",
        "title",
        "because",
        rows=[
            (
                f"{hit.score:.2f}",
                hit.video,
                f"{format_time(hit.story.span.start)}–{format_time(hit.story.span.end)}",
                hit.story.title,
                hit.evidence,
            )
            for hit in hits
        ],
    )
