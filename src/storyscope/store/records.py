"""Code shared by both databases: records as rows and back, and the picture nearest to a time."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from storyscope.core import Keyframes, Video
from storyscope.errors import LibraryError
from storyscope.store.protocol import VideoRecord


class Row(Protocol):
    """A row of either database, by the names of its columns."""

    def __getitem__(self, name: str, /) -> Any: ...


def columns_of(record: VideoRecord) -> dict[str, Any]:
    video = record.video
    return {
        "id": video.id,
        "path": video.path,
        "digest": video.digest,
        "size": record.size,
        "modified_ns": record.modified_ns,
        "duration": video.duration,
        "frame_count": video.frame_count,
        "fps": video.fps,
        "width": video.width,
        "height": video.height,
        "has_sound": int(video.has_sound),
        "state": record.state,
        "failure": record.failure,
        "transcript": record.transcript,
    }


def record_of(row: Row) -> VideoRecord:
    video = Video(
        id=row["id"],
        path=row["path"],
        digest=row["digest"],
        duration=row["duration"],
        frame_count=row["frame_count"],
        fps=row["fps"],
        width=row["width"],
        height=row["height"],
        has_sound=bool(row["has_sound"]),
    )
    return VideoRecord(
        video=video,
        state=row["state"],
        size=row["size"],
        modified_ns=row["modified_ns"],
        failure=row["failure"],
        transcript=row["transcript"],
    )


def nearest_picture(
    video: str, seconds: float, keyframes: Keyframes, key: str
) -> tuple[int, bytes, str]:
    """The frame number and picture of the keyframe that is nearest to a time, and the key of its
    artefact."""
    if not len(keyframes):
        raise LibraryError(f"{video} has no keyframes; index it again")
    number = int(np.abs(keyframes.seconds - seconds).argmin())
    return int(keyframes.frames[number]), keyframes.pictures[number], key
