"""WebVTT thumbnails: previews for a player's seek bar, cut from one sprite sheet."""

from __future__ import annotations

from io import BytesIO
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

from storyscope.core import Keyframes, Video
from storyscope.core.times import format_timestamp
from storyscope.errors import FormatError
from storyscope.formats.registry import Format
from storyscope.formats.timeline import Timeline

TILE_WIDTH, COLUMNS, MOST_TILES = 160, 10, 300
CLOSEST_SECONDS = 1.0
"""Minimum seconds between two pictures: closer ones look alike."""


def save(timeline: Timeline, path: Path) -> None:
    """Write the track to `path`, and its sprite sheet next to it, with .jpg."""
    if timeline.keyframes is None or not len(timeline.keyframes):
        raise FormatError(
            f"thumbnails need the pictures of an indexed video; "
            f"run `storyscope add {timeline.video.path}`"
        )
    write_sprite_sheet(timeline.video, timeline.keyframes, path)


def write_sprite_sheet(video: Video, keyframes: Keyframes, track: Path) -> None:
    """Write small pictures of a video into one JPEG, and the WebVTT track next to it."""
    chosen = _choose(keyframes)
    size = TILE_WIDTH, _tile_height(video)
    sprite = track.with_suffix(".jpg")
    _paint([keyframes.pictures[number] for number in chosen], size, sprite)
    times = [float(keyframes.seconds[number]) for number in chosen]
    track.write_text(_track(times, video, size, sprite.name), encoding="utf-8")


def _choose(keyframes: Keyframes) -> list[int]:
    """Keyframes that are far enough apart, and not too many for one picture."""
    chosen = [0]
    for number in range(1, len(keyframes)):
        if keyframes.seconds[number] - keyframes.seconds[chosen[-1]] >= CLOSEST_SECONDS:
            chosen.append(number)
    if len(chosen) > MOST_TILES:
        chosen = [chosen[place * len(chosen) // MOST_TILES] for place in range(MOST_TILES)]
    return chosen


def _tile_height(video: Video) -> int:
    height = round(TILE_WIDTH * video.height / max(1, video.width))
    return min(max(2, height), 4 * TILE_WIDTH)


def _paint(pictures: list[bytes], size: tuple[int, int], path: Path) -> None:
    from PIL import Image

    rows = -(-len(pictures) // COLUMNS)
    sprite = Image.new("RGB", (size[0] * min(COLUMNS, len(pictures)), size[1] * rows))
    for number, picture in enumerate(pictures):
        with Image.open(BytesIO(picture)) as image:
            image.draft("RGB", size)
            sprite.paste(image.convert("RGB").resize(size), _corner(number, size))
    sprite.save(path, "JPEG", quality=80)


def _track(times: list[float], video: Video, size: tuple[int, int], sprite: str) -> str:
    cues = ["WEBVTT\n"]
    edges = [0.0, *times[1:], max(video.duration, times[-1] + 0.001)]
    for number, (start, end) in enumerate(pairwise(edges)):
        x, y = _corner(number, size)
        place = f"{quote(sprite)}#xywh={x},{y},{size[0]},{size[1]}"
        cues.append(f"{format_timestamp(start)} --> {format_timestamp(end)}\n{place}\n")
    return "\n".join(cues)


def _corner(number: int, size: tuple[int, int]) -> tuple[int, int]:
    return number % COLUMNS * size[0], number // COLUMNS * size[1]


FORMAT = Format(
    "thumbnails",
    ".vtt",
    "pictures for the seek bar of web players: a WebVTT track and its sprite sheet",
    "stories: it shows the video, not where stories begin",
    save=save,
)
