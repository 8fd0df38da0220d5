from __future__ import annotations

from typing import Annotated

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, open_library
from storyscope.cli.show import print_json, print_table, say
from storyscope.core import parse_time


def thumbnails(
    words: Annotated[
        list[str],
        typer.Argument(metavar="VIDEO | prefer VIDEO STORY TIME", show_default=False),
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    json: JsonOption = False,
) -> None:
    """Write a thumbnail of every story, or choose the frame for one.

    Pictures come as large as in the film and small, with a sprite sheet and its WebVTT for
    scrubbing. What you prefer is kept, and trains the library's ranking: all its videos are
    ranked again.

    Examples:

        storyscope thumbnails film

        storyscope thumbnails prefer film 3 1:21.5
    """
    shelf = open_library(library)
    if words[0] == "prefer" and len(words) == 4:
        try:
            number, seconds = int(words[2]), parse_time(words[3])
        except ValueError:
            raise typer.BadParameter(
                "STORY is a number, TIME a time such as 81.5 or 1:21"
            ) from None
        taken = shelf.prefer_thumbnail(shelf.story(f"{words[1]}/{number}"), seconds)
        if json:
            print_json({"story": f"{words[1]}/{number}", "seconds": taken})
        else:
            say(f"Story {number} of {words[1]} is shown by its frame at {taken:.1f} s.")
        return
    if len(words) != 1:
        raise typer.BadParameter("give VIDEO, or prefer VIDEO STORY TIME")
    shown = shelf.write_thumbnails(words[0])
    if json:
        print_json(
            {
                "video": words[0],
                "sprites": str(shown[0][1][0].parent / "sprites.jpg"),
                "thumbnails": [
                    {
                        "story": thumbnail.story,
                        "seconds": thumbnail.seconds,
                        "score": thumbnail.score,
                        "parts": dict(thumbnail.parts),
                        "because": thumbnail.because,
                        "file": str(large),
                        "small": str(small),
                    }
                    for thumbnail, (large, small) in shown
                ],
            }
        )
        return
    print_table(
        "story",
        "seconds",
        "because",
        "file",
        rows=[
            (
                thumbnail.story,
                f"{thumbnail.seconds:.1f}",
                thumbnail.because,
                str(large),
            )
            for thumbnail, (large, _) in shown
        ],
    )
