from __future__ import annotations

from typing import Annotated

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, open_library
from storyscope.cli.show import print_json, print_table, say


def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to look for.")],
    library: LibraryOption = DEFAULT_LIBRARY,
    limit: Annotated[int, typer.Option(min=1, help="Most stories to show.")] = 10,
    json: JsonOption = False,
) -> None:
    """Find the stories that answer a text: by what is said, meant and seen.

    Examples:

        storyscope search "polar bear on ice"

        storyscope search whales --limit 3 --json
    """
    shelf = open_library(library)
    hits = shelf.search(text, limit=limit)
    if json:
        print_json(
            {
                "query": text,
                "hits": [
                    {
                        "video": hit.video,
                        "story": {
                            "start": hit.story.span.start,
                            "end": hit.story.span.end,
                            "title": hit.story.title,
                        },
                        "thumbnail": {
                            "seconds": hit.thumbnail.seconds,
                            "file": str(shelf.picture(hit.video, hit.thumbnail.seconds)),
                        },
                        "score": hit.score,
                        "parts": dict(hit.parts),
                        "evidence": hit.evidence,
                    }
                    for hit in hits
                ],
            }
        )
        return
    if not hits:
        say(f"Nothing in {library} answers “{text}”.")
        return
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
