"""One clip a story, cut at the very frame: decoded and encoded again."""

from __future__ import annotations

from functools import partial

from storyscope.formats.clips import save
from storyscope.formats.registry import Format

FORMAT = Format(
    "clips-exact",
    ".mp4",
    "a folder with one clip a story, cut at the very frame (re-encoded)",
    "a little quality, all sound tracks but one, subtitles",
    save=partial(save, exact=True),
)
