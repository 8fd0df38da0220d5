"""Find the stories of one file without creating a library."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from storyscope.config import Config
from storyscope.core import Story
from storyscope.library.local import LocalLibrary
from storyscope.progress import Report, silent


def find_stories(
    path: str | Path,
    *,
    transcript: str | Path | None = None,
    granularity: float | None = None,
    count: int | None = None,
    config: Config | None = None,
    report: Report = silent,
) -> list[Story]:
    """The stories of a video file, in order, each with its times, title and keywords.

    Nothing is stored: use a `Library` to search, correct or resume. `granularity` from 0 (few
    stories) to 1 (many), or an approximate `count`, sets how finely the video is split.
    """
    with TemporaryDirectory(prefix="storyscope-") as folder:
        library = LocalLibrary(folder, config=config)
        video = library.add(path, transcript=transcript, report=report)
        return library.stories(video.id, granularity=granularity, count=count)
