"""One clip per story, cut exactly at the frame by re-encoding."""

from __future__ import annotations

from functools import partial

from storyscope.formats.clips import save
from storyscope.formats.registry import Format

FORMAT = Format(
    "clips-exact",
    ".mp4",
    "a folder with one clip per story, cut exactly at the frame (re-encoded)",
    "a little quality, all sound tracks but one, subtitles",
    save=partial(save, exact=True),
)
