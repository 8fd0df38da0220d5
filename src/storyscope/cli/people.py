"""What the commands `speakers` and `faces` share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from storyscope.cli.show import print_json
from storyscope.library import Library

ForgetOption = Annotated[
    bool,
    typer.Option("--forget", help="Delete the speakers and faces of this video, and their names."),
]


def forget_people(library: Library, video: str) -> None:
    """Delete all that is known about the people of a video."""
    library.forget_speakers(video)
    library.forget_faces(video)


def numbered_names(texts: Sequence[str]) -> dict[int, str]:
    """Names by number, each given as `1=Ann`."""
    return dict(_numbered(text) for text in texts)


def print_people(
    video: str, rows: Sequence[dict[str, Any]], noun: str, stretches: str, *, as_json: bool
) -> None:
    """The people of a video, one per line, or as JSON."""
    if as_json:
        print_json({"video": video, f"{noun}s": rows})
        return
    for row in rows:
        called = row["name"] or f"{noun.title()} {row[noun]}"
        count = len(row[stretches])
        times = stretches if count != 1 else stretches.removesuffix("s")
        print(f"{row[noun]:>3}  {called:<24}{row['seconds']:>8.1f} s  {count} {times}")


def _numbered(text: str) -> tuple[int, str]:
    number, equals, name = text.partition("=")
    if not equals or not number.strip().isdigit():
        raise typer.BadParameter(f"{text!r} is not of the form 1=Ann", param_hint="--name")
    return int(number), name.strip()
