"""A storyboard: one page with its pictures inside, which opens offline."""

from __future__ import annotations

from storyscope.errors import FormatError
from storyscope.formats.registry import Format
from storyscope.formats.timeline import Timeline


def write(timeline: Timeline) -> str:
    """The page of the video."""
    if timeline.storyboard is None:
        raise FormatError(
            f"a storyboard needs the pictures of an indexed video; "
            f"run `storyscope add {timeline.video.path}`"
        )
    return timeline.storyboard()


FORMAT = Format(
    "html",
    ".html",
    "a storyboard that opens offline in any browser",
    "times are shown in whole seconds",
    write,
    nests=True,
)
