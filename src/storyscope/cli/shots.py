from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    OverwriteOption,
    check_folder,
    completes,
    open_library,
    open_local_library,
    refuse_existing,
    time_option,
    video_ids,
)
from storyscope.cli.pictures import picture_codes, terminal_protocol
from storyscope.cli.show import live_progress, print_json, print_table, say
from storyscope.config import ShotConfig
from storyscope.core import SmallFrame, Span, counted, format_time
from storyscope.errors import LibraryError, MediaError
from storyscope.library.transitions import reject_transition
from storyscope.media import read_frames, scan
from storyscope.shots import detect_shots

if TYPE_CHECKING:
    from PIL.Image import Image

    from storyscope.core import Shot

COLUMNS, THUMB_HEIGHT, LABEL = 8, 90, 14
LONGEST = 1e9
"""End time that is later than the end of any film."""
CSV_COLUMNS = ["start", "end", "first_frame", "end_frame"]
CSV_COLUMNS += ["transition", "transition_first_frame", "transition_end_frame"]
CSV_COLUMNS += ["confidence", "uncertain"]


def shots(
    video: Annotated[
        str,
        typer.Argument(
            metavar="VIDEO",
            help="Id of a video in the library, or a video file.",
            autocompletion=video_ids,
        ),
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    detector: Annotated[
        str,
        typer.Option(
            help="For a file: `fast`, `neural` (with TransNetV2), or `paper`.",
            autocompletion=completes(lambda: ["fast", "neural", "paper"]),
        ),
    ] = "fast",
    start: Annotated[float | None, time_option("Only shots after this time")] = None,
    end: Annotated[float | None, time_option("Only shots before this time")] = None,
    json: JsonOption = False,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the shots as a CSV table.")
    ] = None,
    strip: Annotated[
        Path | None,
        typer.Option(metavar="PNG", help="Write a thumbnail of every shot as one PNG."),
    ] = None,
    reject: Annotated[
        list[int] | None,
        typer.Option(
            metavar="NUMBER",
            help="Mark the change into this shot as wrong, for `storyscope train --shots`.",
        ),
    ] = None,
    show: Annotated[
        bool,
        typer.Option("--show", help="Show thumbnails in the terminal, or else write a PNG."),
    ] = False,
    overwrite: OverwriteOption = False,
) -> None:
    """Show the shots of a video: cuts, fades, dissolves and wipes, exact to the frame.

    Examples:

        storyscope shots film

        storyscope shots film.mp4 --show

        storyscope shots film.mp4 --csv shots.csv --strip shots.png

        storyscope shots film --json

        storyscope shots film.mp4 --start 1:00 --end 2:30

        storyscope shots film --reject 12
    """
    for file in filter(None, (csv, strip)):
        check_folder(file)
        refuse_existing(file, overwrite)
    if reject:
        _reject(video, library, reject)
        return
    part = Span(start or 0.0, LONGEST if end is None else end)
    path, found = _shots_of(video, library, detector, part)
    if csv:
        _write_csv(found, csv)
    if strip or show:
        fallback = Path(f"{Path(video).stem}-shots.png") if show else None
        refuse_existing(fallback, overwrite)
        _show_strip(_strip(path, found), strip, fallback, here=show and not json)
    if json:
        print_json({"shots": [_facts(shot) for shot in found]})
    else:
        _print(found)


def _reject(video: str, library: Path, numbers: Sequence[int]) -> None:
    opened = open_local_library(library)
    for number in numbers:
        change = reject_transition(opened, video, number)
        say(f"marked as wrong: the {change.kind} at frame {change.first_frame}")
    say("`storyscope train --shots` trains the detector with it")


def _shots_of(video: str, library: Path, detector: str, part: Span) -> tuple[str, tuple[Shot, ...]]:
    """The film's path and its shots in a time range: stored ones of a video, newly detected ones of
    a file."""
    if not Path(video).exists():
        try:
            opened = open_library(library)
            inside = tuple(shot for shot in opened.shots(video) if shot.span.overlap(part) > 0)
            return opened.video(video).path, inside
        except LibraryError:
            if not Path(video).suffix:
                raise

    with live_progress(Path(video).name) as report:
        items = (item for item in scan(video, report=report) if isinstance(item, SmallFrame))
        early = takewhile(lambda frame: frame.seconds < part.end, items)
        frames = (frame for frame in early if frame.seconds >= part.start)
        found = tuple(detect_shots(frames, ShotConfig(detector=detector)))
    if not found:
        raise MediaError(f"{video} has no frames between --start and --end")
    return video, found


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
    rows = (
        (
            str(number),
            format_time(shot.span.start),
            format_time(shot.span.end),
            f"{shot.frames.start}-{shot.frames.stop}",
            shot.transition.kind,
            counted(shot.transition.frame_count, "frame") if shot.transition.frame_count else "",
            "uncertain" if shot.transition.is_uncertain else "",
        )
        for number, shot in enumerate(found, start=1)
    )
    print_table("", "start", "end", "frames", "transition", "duration", "", rows=rows)


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
    """One thumbnail per shot, eight in a row, each above its time."""
    from PIL import Image, ImageDraw

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

    middles = [shot.span.middle for shot in found]
    for picture in read_frames(path, middles, height=THUMB_HEIGHT):
        yield Image.fromarray(picture.rgb)


def _show_strip(sheet: Image, file: Path | None, fallback: Path | None, *, here: bool) -> None:
    """Draw the strip in the terminal if requested and supported; otherwise, or if a file is named,
    save it."""
    protocol = terminal_protocol() if here else None
    if protocol:
        sys.stdout.write(picture_codes(sheet, protocol))
        fallback = None
    if target := file or fallback:
        sheet.save(target, "PNG")
        say(f"wrote {target}")
