"""Chapter pictures for Jellyfin, with the file names that its server uses.

Jellyfin reads chapters from the film itself (`--format mkv` or `mp4`), and their pictures from the
folder `chapters` inside the film's metadata folder, with names like FILETICKS_CHAPTERTICKS.jpg. A
tick is a tenth of a microsecond; those of the file count from the year 1.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from storyscope.errors import FormatError
from storyscope.formats.registry import Format
from storyscope.formats.timeline import Timeline
from storyscope.media import film_stamp

TICKS_A_SECOND = 10_000_000
UNIX_EPOCH_TICKS = 621_355_968_000_000_000


def save(timeline: Timeline, path: Path) -> None:
    """Write one JPEG per story to the folder `path`: its thumbnail, or the keyframe of its
    middle."""
    keyframes = timeline.keyframes
    if keyframes is None or not len(keyframes):
        raise FormatError("chapter pictures need an indexed video in a local library")
    modified = _file_ticks(timeline.video.path)
    path.mkdir(parents=True, exist_ok=True)
    for entry in timeline.entries:
        wanted = entry.span.middle if entry.thumbnail is None else entry.thumbnail
        nearest = int(np.abs(keyframes.seconds - wanted).argmin())
        ticks = round(entry.span.start * TICKS_A_SECOND)
        (path / f"{modified}_{ticks}.jpg").write_bytes(keyframes.pictures[nearest])


def _file_ticks(film: str) -> int:
    try:
        _, nanoseconds = film_stamp(film)
    except OSError as error:
        raise FormatError(
            f"{film} cannot be read: {error.strerror}; Jellyfin names chapter pictures by the "
            "time the video was changed"
        ) from error
    return UNIX_EPOCH_TICKS + nanoseconds // 100


FORMAT = Format(
    "jellyfin",
    ".jpg",
    "chapter pictures for Jellyfin's metadata folder",
    "titles and keywords: chapters come from the video, see `mkv` and `mp4`",
    save=save,
)
