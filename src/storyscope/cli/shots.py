from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    open_library,
    open_local_library,
)
from storyscope.cli.show import live_progress, print_json, print_table, say
from storyscope.errors import FormatError, LibraryError

if TYPE_CHECKING:
    from PIL.Image import Image

    from storyscope.core import Shot

COLUMNS, THUMB_HEIGHT, LABEL = 8, 90, 14
CSV_COLUMNS = ["start", "end", "first_frame", "end_frame"]
CSV_COLUMNS += ["transition", "transition_first_frame", "transition_end_frame"]
CSV_COLUMNS += ["confidence", "uncertain"]


def shots(
    video: Annotated[
        str, typer.Argument(metavar="VIDEO", help="Id of a video in the library, or a video file.")
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    detector: Annotated[
        str, typer.Option(help="For a file: `fast`, `neural` (asks TransNetV2), or `paper`.")
    ] = "fast",
    json: JsonOption = False,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the shots as a table.")
    ] = None,
    strip: Annotated[
        Path | None, typer.Option(metavar="PNG", help="Write one thumbnail of every shot.")
    ] = None,
    reject: Annotated[
        list[int] | None,
        typer.Option(
            metavar="NUMBER",
            help="This shot does not begin a new one: keep that for `storyscope train --shots`.",
        ),
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Show the thumbnails here, or as a PNG if that fails.")
    ] = False,
) -> None:
    """Show the shots of a video: cuts, fades, dissolves and wipes, exact to the frame.

    Examples:

        storyscope shots film

        storyscope shots film.mp4 --show

        storyscope shots film.mp4 --csv shots.csv --strip shots.png

        storyscope shots film --json

        storyscope shots film --reject 12
    """
    for file in filter(None, (csv, strip)):
        _check_folder(file)
    if reject:
        _reject(video, library, reject)
        return
    path, found = _shots_of(video, library, detector)
    if csv:
        _write_csv(found, csv)
    if strip or show:
        fallback = Path(f"{Path(video).stem}-shots.png") if show else None
        _show_strip(_strip(path, found), strip, fallback, here=show and not json)
    if json:
        print_json({"shots": [_facts(shot) for shot in found]})
    else:
        _print(found)


def _reject(video: str, library: Path, numbers: Sequence[int]) -> None:
    from storyscope.library.transitions import reject_transition

    shelf = open_local_library(library)
    for number in numbers:
        change = reject_transition(shelf, video, number)
        say(f"kept: the {change.kind} at frame {change.first_frame} is none")
    say("`storyscope train --shots` teaches the detector by it")


def _check_folder(file: Path) -> None:
    """Refuse before the film is decoded what would fail after it."""
    if not file.parent.is_dir():
        raise FormatError(f"{file} cannot be written: {file.parent} is no folder; make it first")


def _shots_of(video: str, library: Path, detector: str) -> tuple[str, tuple[Shot, ...]]:
    """The film's path and its shots: kept ones of a video, fresh ones of a file."""
    if not Path(video).exists():
        try:
            shelf = open_library(library)
            return shelf.video(video).path, shelf.shots(video)
        except LibraryError:
            if not Path(video).suffix:
                raise
    from storyscope.config import ShotConfig
    from storyscope.core import SmallFrame
    from storyscope.media import scan
    from storyscope.shots import detect_shots

    with live_progress(Path(video).name) as report:
        items = scan(video, report=report)
        frames = (item for item in items if isinstance(item, SmallFrame))
        return video, tuple(detect_shots(frames, ShotConfig(detector=detector)))


def _facts(shot: Shot) -> dict[str, Any]:
    return {
        "start": shot.span.start,
        "end": shot.span.end,
        "first_frame": shot.frames.start,
        "end_frame": shot.frames.stop,
        "transition": {
            "kind": shot.transition.kind,
            "first_frame": shot.transition.first_frame,
            "end_frame": shot.transition.end_frame,
        },
        "confidence": round(shot.transition.confidence, 3),
        "uncertain": shot.transition.is_uncertain,
    }


def _print(found: Sequence[Shot]) -> None:
    from storyscope.core import format_time

    rows = (
        (
            str(number),
            format_time(shot.span.start),
            format_time(shot.span.end),
            f"{shot.frames.start}-{shot.frames.stop}",
            shot.transition.kind,
            f"{shot.transition.frame_count} frames" if shot.transition.frame_count else "",
            "uncertain" if shot.transition.is_uncertain else "",
        )
        for number, shot in enumerate(found, start=1)
    )
    print_table("", "start", "end", "frames", "enters by", "lasting", "", rows=rows)


def _write_csv(found: Sequence[Shot], path: Path) -> None:
    import csv

    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(CSV_COLUMNS)
        for shot in found:
            facts = _facts(shot)
            change = facts.pop("transition")
            *place, confidence, uncertain = facts.values()
            table.writerow([*place, *change.values(), confidence, uncertain])
    say(f"wrote {path}")


def _strip(path: str, found: Sequence[Shot]) -> Image:
    """One thumbnail a shot, eight to a row, each under its time."""
    from PIL import Image, ImageDraw

    from storyscope.core import format_time

    thumbs = list(_thumbnails(path, found))
    width = thumbs[0].width
    columns = min(COLUMNS, len(thumbs))
    rows = -(-len(thumbs) // columns)
    sheet = Image.new("RGB", (columns * width, rows * (THUMB_HEIGHT + LABEL)))
    draw = ImageDraw.Draw(sheet)
    for number, (thumb, shot) in enumerate(zip(thumbs, found, strict=True)):
        left, top = number % columns * width, number // columns * (THUMB_HEIGHT + LABEL)
        draw.text((left + 2, top), format_time(shot.span.start), fill="white")
        sheet.paste(thumb, (left, top + LABEL))
    return sheet


def _thumbnails(path: str, found: Sequence[Shot]) -> Iterator[Image]:
    from PIL import Image

    from storyscope.media import read_frames

    middles = [shot.span.middle for shot in found]
    for picture in read_frames(path, middles, height=THUMB_HEIGHT):
        yield Image.fromarray(picture.rgb)


def _show_strip(sheet: Image, file: Path | None, fallback: Path | None, *, here: bool) -> None:
    """Draw the strip in the terminal if wanted and able; else, or if a file is named, save it."""
    from storyscope.cli.pictures import picture_codes, terminal_protocol

    protocol = terminal_protocol() if here else None
    if protocol:
        sys.stdout.write(picture_codes(sheet, protocol))
        fallback = None
    if target := file or fallback:
        sheet.save(target, "PNG")
        say(f"wrote {target}")
