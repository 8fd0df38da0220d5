"""Which files are videos, on disk and in buckets."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from storyscope.core import VIDEO_SUFFIXES
from storyscope.errors import MediaError
from storyscope.media.fetching import videos_in_bucket
from storyscope.store import in_bucket


def find_videos(paths: Iterable[str | Path]) -> list[Path]:
    """The given files, and the videos inside the given folders, each once and in that order.

    A file is accepted whatever its name; of a folder, the files with a video extension are used,
    sorted, at any depth, without hidden ones. An address such as s3://bucket/films is a file or a
    folder.
    """
    found: dict[Path, None] = {}
    for path in map(Path, paths):
        if in_bucket(path):
            found.update(dict.fromkeys(videos_in_bucket(path)))
        elif path.is_dir():
            inside = _videos_inside(path)
            if not inside:
                raise MediaError(
                    f"{path} contains no videos; give a folder with files such as .mp4 or .mkv"
                )
            found.update(dict.fromkeys(inside))
        elif path.exists():
            found[path] = None
        else:
            raise MediaError(f"{path} does not exist; check the path")
    return list(found)


def _videos_inside(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in VIDEO_SUFFIXES
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and path.is_file()
    )
