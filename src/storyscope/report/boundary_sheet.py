"""A picture of the story boundaries: the frames on either side, and the words spoken there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from storyscope.core import format_time
from storyscope.report.fonts import set_type

PAPER, INK, FAINT = "#14171c", "#f3f1ec", "#9aa0a8"
MARGIN, GAP, TEXT = 32, 12, 300
WIDTH, HEIGHT = 384, 216
HEADER, LINE = 80, 24
LONGEST = 46
"""Maximum number of letters of the words under a frame."""


def boundary_sheet(
    title: str,
    boundaries: Sequence[tuple[Mapping[str, Any], Sequence[str | None]]],
    path: str | Path,
) -> None:
    """Write a PNG with a row per boundary: its explanation, and the files of the two frames."""
    from PIL import Image, ImageDraw, ImageOps

    row = HEIGHT + LINE + GAP
    size = (2 * MARGIN + TEXT + 2 * WIDTH + GAP, HEADER + max(1, len(boundaries)) * row + MARGIN)
    sheet = Image.new("RGB", size, PAPER)
    draw = ImageDraw.Draw(sheet)

    def write(place: tuple[int, int], text: str, points: int, colour: str) -> None:
        fitted, font = set_type(text, points)
        draw.text(place, fitted, font=font, fill=colour)

    write((MARGIN, 24), title, 28, INK)
    if not boundaries:
        write((MARGIN, HEADER), "one story, so no boundary", 18, FAINT)
    for number, (reason, files) in enumerate(boundaries):
        top = HEADER + number * row
        for place, line in enumerate(_lines(reason)):
            write((MARGIN, top + place * LINE), line, 20 if place == 0 else 15, INK)
        for side, (file, words) in enumerate(zip(files, reason["words"], strict=True)):
            left = MARGIN + TEXT + side * (WIDTH + GAP)
            if file is not None:
                with Image.open(file) as image:
                    sheet.paste(ImageOps.fit(image.convert("RGB"), (WIDTH, HEIGHT)), (left, top))
            # The words nearest to the boundary matter most: the last ones before it.
            shown = words[-LONGEST:] if side == 0 else words[:LONGEST]
            write((left, top + HEIGHT + 4), shown, 15, FAINT)
    sheet.save(path, "PNG", optimize=True)


def _lines(reason: Mapping[str, Any]) -> list[str]:
    strongest = sorted(reason["cues"].items(), key=lambda cue: -abs(cue[1]))
    return [
        format_time(reason["start"]),
        f"{reason['confidence']:.0%} sure",
        *(f"{cue.replace('_', ' ')} {share:+.0%}" for cue, share in strongest),
    ]
