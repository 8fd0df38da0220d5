"""The contact sheet: every shot of every story in one picture."""

from __future__ import annotations

from io import BytesIO
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from storyscope.core import Span, Story, count_stories, counted, format_time
from storyscope.report.findings import Findings
from storyscope.report.fonts import set_type
from storyscope.report.palette import story_colour, text_colour

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

WIDTH = 1680
MARGIN = 48
COLUMN = 300
"""Width of the text next to each story's pictures."""
GAP = 10
PAPER, INK, FAINT, LINE = "#14171c", "#f3f1ec", "#9aa0a8", "#262b33"
HEADER, STRIP, FOOTER = 108, 26, 40


def contact_sheet(
    findings: Findings,
    path: str | Path,
    *,
    columns: int | None = None,
    lines: int = 3,
    credit: str = "",
) -> None:
    """Write a contact sheet as PNG or JPEG: the timeline with the truth, then a row per story.

    Each shot is shown by one keyframe, `columns` of them in a row; the default is the number of
    shots of the longest story, limited to 4 to 8. A story that needs more than `lines` rows shows a
    uniform selection of its shots. `credit` is written at the bottom.
    """
    from PIL import Image, ImageDraw

    longest = max(len(story.shots) for story in findings.stories)
    columns = columns or min(8, max(4, longest))
    frame = _frame_size(findings, columns)
    shown = [_spread(story.shots, lines * columns) for story in findings.stories]
    rows = [_row_height(len(shots), columns, frame[1]) for shots in shown]
    top = HEADER + _timeline_height(findings)
    sheet = Image.new("RGB", (WIDTH, top + sum(rows) + FOOTER), PAPER)
    draw = ImageDraw.Draw(sheet)
    _header(draw, findings)
    _timeline(draw, findings)
    for number, (shots, height) in enumerate(zip(shown, rows, strict=True)):
        _story_row(sheet, draw, findings, number, shots, top, columns, frame)
        top += height
    _write(draw, (WIDTH - MARGIN, top + FOOTER / 4), credit, 15, FAINT, anchor="rm")
    is_jpeg = Path(path).suffix.lower() in (".jpg", ".jpeg")
    sheet.save(path, "JPEG" if is_jpeg else "PNG", optimize=True, quality=82)


def _frame_size(findings: Findings, columns: int) -> tuple[int, int]:
    room = WIDTH - 2 * MARGIN - COLUMN - GAP * (columns - 1)
    width = room // columns
    shape = min(16.0, findings.video.height / max(1, findings.video.width))
    return width, max(1, round(width * shape))


def _spread(shots: range, most: int) -> list[int]:
    """At most `count` of the shots, evenly spaced."""
    count = min(len(shots), most)
    return [shots[number * len(shots) // count] for number in range(count)]


def _row_height(shots: int, columns: int, frame_height: int) -> int:
    lines = ceil(shots / columns)
    return max(128, lines * (frame_height + GAP)) + 26


def _timeline_height(findings: Findings) -> int:
    return (2 if findings.truth else 1) * (STRIP + 10) + 46


def _header(draw: ImageDraw.ImageDraw, findings: Findings) -> None:
    video, truth = findings.video, findings.truth
    _write(draw, (MARGIN, 34), video.id, 40, INK)
    facts = [
        count_stories(len(findings.stories)),
        counted(len(findings.shots), "shot"),
        format_time(video.duration),
    ]
    if truth is not None and truth.mean_iou is not None:
        facts.append(f"mean IoU {truth.mean_iou:.3f} with {len(truth.spans)} true stories")
    text = "   |   ".join(facts)
    _write(draw, (WIDTH - MARGIN, 50), text, 20, FAINT, anchor="ra")


def _timeline(draw: ImageDraw.ImageDraw, findings: Findings) -> None:
    top = HEADER
    if findings.truth is not None:
        _strip(draw, findings, "truth", findings.truth.spans, findings.true_colours(), top)
        top += STRIP + 10
    spans = tuple(story.span for story in findings.stories)
    colours = [story_colour(number) for number in range(len(spans))]
    _strip(draw, findings, "found", spans, colours, top)
    top += STRIP + 8
    left, right = MARGIN + 64, WIDTH - MARGIN
    for tick in range(9):
        x = left + (right - left) * tick / 8
        anchor = "la" if tick == 0 else "ra" if tick == 8 else "ma"
        text = format_time(findings.video.duration * tick / 8)
        _write(draw, (x, top), text, 13, FAINT, anchor=anchor)


def _strip(
    draw: ImageDraw.ImageDraw,
    findings: Findings,
    name: str,
    spans: tuple[Span, ...],
    colours: list[str],
    top: int,
) -> None:
    _write(draw, (MARGIN, top + STRIP / 2), name, 16, FAINT, anchor="lm")
    left, right = MARGIN + 64, WIDTH - MARGIN
    scale = (right - left) / findings.video.duration
    for number, (span, colour) in enumerate(zip(spans, colours, strict=True)):
        x0, x1 = left + span.start * scale, left + span.end * scale
        draw.rounded_rectangle((x0, top, max(x0, x1 - 3), top + STRIP), 4, fill=colour)
        if x1 - x0 > 24:
            middle = ((x0 + x1 - 3) / 2, top + STRIP / 2)
            _write(draw, middle, str(number + 1), 14, text_colour(colour), anchor="mm")


def _story_row(
    sheet: Image.Image,
    draw: ImageDraw.ImageDraw,
    findings: Findings,
    number: int,
    shots: list[int],
    top: int,
    columns: int,
    frame: tuple[int, int],
) -> None:
    colour = story_colour(number)
    draw.line((MARGIN, top - 13, WIDTH - MARGIN, top - 13), fill=LINE)
    _story_words(draw, findings, number, findings.stories[number], top)
    left = MARGIN + COLUMN
    for place, shot in enumerate(shots):
        x = left + place % columns * (frame[0] + GAP)
        y = top + place // columns * (frame[1] + GAP)
        picture = findings.picture_of_shot(shot)
        if picture is not None:
            sheet.paste(_opened(picture, frame), (x, y))
        else:
            draw.rectangle((x, y, x + frame[0] - 1, y + frame[1] - 1), fill=LINE)
        draw.rectangle((x, y + frame[1] - 5, x + frame[0] - 1, y + frame[1] - 1), fill=colour)


def _story_words(
    draw: ImageDraw.ImageDraw, findings: Findings, number: int, story: Story, top: int
) -> None:
    colour = story_colour(number)
    draw.rounded_rectangle((MARGIN, top, MARGIN + 38, top + 38), 8, fill=colour)
    _write(draw, (MARGIN + 19, top + 19), str(number + 1), 19, text_colour(colour), anchor="mm")
    left, room = MARGIN + 54, COLUMN - 54 - 24
    lines = _wrapped(draw, story.title or f"Story {number + 1}", 22, room)[:2]
    y = top - 1
    for line in lines:
        _write(draw, (left, y), line, 22, INK)
        y += 27
    span = f"{format_time(story.span.start)} - {format_time(story.span.end)}"
    _write(draw, (left, y + 3), span, 16, FAINT)
    y += 29
    true = findings.true_story_of(story)
    if true is not None and findings.truth is not None and findings.truth.title(true):
        for line in _wrapped(draw, f"true: {findings.truth.title(true)}", 15, room)[:1]:
            _write(draw, (left, y), line, 15, FAINT)
            y += 22
    for line in _wrapped(draw, ", ".join(story.keywords), 15, room)[: 3 - len(lines)]:
        _write(draw, (left, y), line.removesuffix(","), 15, FAINT)
        y += 21


def _opened(picture: bytes, size: tuple[int, int]) -> Image.Image:
    from PIL import Image, ImageOps

    with Image.open(BytesIO(picture)) as image:
        image.draft("RGB", size)
        return ImageOps.fit(image.convert("RGB"), size, Image.Resampling.LANCZOS)


def _write(
    draw: ImageDraw.ImageDraw,
    place: tuple[float, float],
    text: str,
    size: int,
    colour: str,
    anchor: str = "la",
) -> None:
    text, font = set_type(text, size)
    draw.text(place, text, font=font, fill=colour, anchor=anchor)


MOST_LINES = 3
"""Lines of text that a story has room for."""


def _wrapped(draw: ImageDraw.ImageDraw, text: str, size: int, room: int) -> list[str]:
    """Lines no wider than `room` pixels; a word that is too long for a line is shortened."""
    # No more could be shown, and measuring it takes the square of its length.
    text, font = set_type(text[: MOST_LINES * room], size)
    lines: list[str] = []
    for word in text.split():
        word = word[:room]
        while draw.textlength(word, font=font) > room and len(word) > 4:
            word = word.rstrip(".")[:-1] + "..."
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and draw.textlength(longer, font=font) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
