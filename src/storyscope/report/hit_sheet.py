"""A contact sheet of hits: the middle, the most beautiful and the chosen frame of each story."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from storyscope.core import Hit, format_time
from storyscope.report.fonts import set_type

PAPER, INK, FAINT = "#14171c", "#f3f1ec", "#9aa0a8"
WIDTH, MARGIN, GAP = 1280, 32, 12
WORDS = 320
"""Width of the text next to the pictures."""
COLUMNS = ("middle of the story", "most beautiful", "chosen")
HEADER, LINE = 96, 24


@dataclass(frozen=True, eq=False)
class HitPictures:
    """A hit and, as JPEG, its story's middle frame, most beautiful frame and chosen frame."""

    hit: Hit
    pictures: tuple[bytes, bytes, bytes]


def hit_sheet(query: str, hits: Sequence[HitPictures], path: str | Path) -> None:
    """Write a PNG with a row per hit."""
    from PIL import Image, ImageDraw, ImageOps

    width = (WIDTH - 2 * MARGIN - WORDS - 2 * GAP) // 3
    height = round(width * 9 / 16)
    sheet = Image.new("RGB", (WIDTH, HEADER + max(1, len(hits)) * (height + GAP) + MARGIN), PAPER)
    draw = ImageDraw.Draw(sheet)

    def write(place: tuple[int, int], text: str, size: int, colour: str) -> None:
        fitted, font = set_type(text, size)
        draw.text(place, fitted, font=font, fill=colour)

    write((MARGIN, 24), query, 28, INK)
    for column, name in enumerate(COLUMNS):
        write((MARGIN + WORDS + column * (width + GAP), HEADER - 26), name, 15, FAINT)
    if not hits:
        write((MARGIN, HEADER), "nothing answers", 18, FAINT)
    for row, shown in enumerate(hits):
        top = HEADER + row * (height + GAP)
        for number, line in enumerate(_lines(shown.hit)):
            write((MARGIN, top + number * LINE), line, 15, INK if number == 0 else FAINT)
        for column, picture in enumerate(shown.pictures):
            with Image.open(BytesIO(picture)) as image:
                fitted = ImageOps.fit(image.convert("RGB"), (width, height))
            sheet.paste(fitted, (MARGIN + WORDS + column * (width + GAP), top))
    sheet.save(path, "PNG", optimize=True)


def _lines(hit: Hit) -> list[str]:
    span = f"{format_time(hit.story.span.start)} - {format_time(hit.story.span.end)}"
    parts = ", ".join(f"{name} {value:.2f}" for name, value in hit.parts.items() if value > 0.005)
    return [
        _cut(hit.story.title or hit.story.id),
        f"{hit.video}, {span}",
        f"score {hit.score:.2f}",
        _cut(parts),
        _cut(hit.evidence),
    ]


def _cut(text: str, most: int = 42) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."
