from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from storyscope.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, open_library
from storyscope.cli.show import print_json, print_table, say
from storyscope.core import Thumbnail, parse_time
from storyscope.library import Library


def thumbnails(
    words: Annotated[
        list[str],
        typer.Argument(metavar="VIDEO | prefer VIDEO STORY TIME", show_default=False),
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    json: JsonOption = False,
) -> None:
    """Write a thumbnail of every story, or choose the frame for one.

    Pictures are written at full size and small, with a sprite sheet and its WebVTT for scrubbing.
    Your choices are stored and train the library's ranking, and all its videos are ranked again.

    Examples:

        storyscope thumbnails film

        storyscope thumbnails prefer film 3 1:21.5
    """
    opened = open_library(library)
    match words:
        case ["prefer", video, story, time]:
            _prefer(opened, video, story, time, json=json)
        case [video]:
            _write(opened, video, json=json)
        case _:
            raise typer.BadParameter("give VIDEO, or prefer VIDEO STORY TIME")


def _prefer(library: Library, video: str, story: str, time: str, *, json: bool) -> None:
    """Set the frame of a story, and print which one was taken."""
    try:
        number, seconds = int(story), parse_time(time)
    except ValueError:
        raise typer.BadParameter("STORY is a number, TIME a time such as 81.5 or 1:21") from None
    taken = library.prefer_thumbnail(library.story(f"{video}/{number}"), seconds)
    if json:
        print_json({"story": f"{video}/{number}", "seconds": taken})
    else:
        say(f"Story {number} of {video} is shown by its frame at {taken:.1f} s.")


def _write(library: Library, video: str, *, json: bool) -> None:
    """Write a thumbnail of every story, and print where they are."""
    shown = library.write_thumbnails(video)
    if json:
        sprites = str(shown[0][1][0].parent / "sprites.jpg")
        facts = [_facts(thumbnail, *files) for thumbnail, files in shown]
        print_json({"video": video, "sprites": sprites, "thumbnails": facts})
        return
    rows = [
        (thumbnail.story, f"{thumbnail.seconds:.1f}", thumbnail.because, str(large))
        for thumbnail, (large, _) in shown
    ]
    print_table("story", "seconds", "because", "file", rows=rows)


def _facts(thumbnail: Thumbnail, large: Path, small: Path) -> dict[str, Any]:
    return {
        "story": thumbnail.story,
        "seconds": thumbnail.seconds,
        "score": thumbnail.score,
        "parts": dict(thumbnail.parts),
        "because": thumbnail.because,
        "file": str(large),
        "small": str(small),
    }
