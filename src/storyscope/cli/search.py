from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    AboutOption,
    GranularityOption,
    JsonOption,
    LibraryOption,
    MinutesOption,
    OverwriteOption,
    named,
    open_library,
    refuse_existing,
    time_option,
    video_ids,
)
from storyscope.cli.show import print_json, print_table, say
from storyscope.core import StoryCount, format_time
from storyscope.search import Filter

if TYPE_CHECKING:
    from storyscope.core import Hit
    from storyscope.library import Library


def search(
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT]", help="Text to search for.", show_default=False)
    ] = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    image: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Search for what this picture shows.")
    ] = None,
    like: Annotated[
        str | None, typer.Option(metavar="VIDEO/N", help="Search for stories like this one.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of results.")] = 10,
    video: Annotated[
        str | None,
        typer.Option(metavar="VIDEO", help="Search this video only.", autocompletion=video_ids),
    ] = None,
    after: Annotated[
        float | None, time_option("Only stories that begin at this time of their video or later")
    ] = None,
    before: Annotated[
        float | None, time_option("Only stories that end by this time of their video")
    ] = None,
    shortest: Annotated[float | None, time_option("Minimum length of a story")] = None,
    longest: Annotated[float | None, time_option("Maximum length of a story")] = None,
    language: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Only videos in this language, such as `en`."),
    ] = None,
    speaker: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Only stories in which this speaker is heard (see `speakers`)."
        ),
    ] = None,
    face: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only stories that show this face (see `faces`)."),
    ] = None,
    granularity: GranularityOption = None,
    about: AboutOption = None,
    minutes: MinutesOption = None,
    sheet: Annotated[
        Path | None,
        typer.Option(
            metavar="PNG",
            help="Draw the middle, most beautiful and chosen frame of each result.",
        ),
    ] = None,
    overwrite: OverwriteOption = False,
    json: JsonOption = False,
) -> None:
    """Search for stories by text, by a picture, or by another story.

    Examples:

        storyscope search "polar bear on ice"

        storyscope search '"red mushroom"' --video film --longest 1:30

        storyscope search whales --limit 3 --json

        storyscope search --image beach.jpg

        storyscope search --like film/3 --sheet alike.png

        storyscope search volcano --about 20
    """
    if sum(given is not None for given in (text, image, like)) != 1:
        raise typer.BadParameter("give one of TEXT, --image and --like")
    refuse_existing(sheet, overwrite)
    opened = open_library(library).with_story_count(StoryCount(granularity, about, minutes))
    if video is not None:
        opened.video(video)
    only = Filter(
        video=video,
        after=after,
        before=before,
        shortest=shortest,
        longest=longest,
        language=language,
        speaker=speaker,
        face=face,
    )
    if image is not None:
        query, hits = str(image), opened.search_image(image, limit=limit, only=only)
    elif like is not None:
        query, hits = like, opened.more_like(opened.story(like), limit=limit, only=only)
    else:
        query = text or ""
        hits = opened.search(query, limit=limit, only=only)
    if sheet is not None:
        opened.draw_hits(query, hits, sheet)
    if json:
        print_json({"query": query, "hits": [_facts(opened, hit) for hit in hits]})
    elif hits:
        _print(hits)
    else:
        say(f"No results for “{query}” in {named(library)}.")


def _facts(library: Library, hit: Hit) -> dict[str, object]:
    facts = hit.facts()
    facts["thumbnail"]["file"] = str(library.picture(hit.video, hit.thumbnail.seconds))
    return facts


def _print(hits: list[Hit]) -> None:
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
