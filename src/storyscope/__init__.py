"""Storyscope finds the stories inside long edited videos, in the order data flows:

>>> from storyscope import Library
>>> library = Library("folder")
>>> library.add("film.mp4", transcript="film.srt")
>>> library.stories("film")
>>> library.search("polar bear on ice", limit=10)
"""

from storyscope.config import Config
from storyscope.core import (
    Features,
    Hit,
    Segmentation,
    Shot,
    Span,
    Story,
    Thumbnail,
    Transcript,
    Video,
    Word,
)
from storyscope.errors import StoryscopeError

__all__ = [
    "Config",
    "Features",
    "Hit",
    "Library",
    "Segmentation",
    "Shot",
    "Span",
    "Story",
    "StoryscopeError",
    "Thumbnail",
    "Transcript",
    "Video",
    "Word",
]


def __getattr__(name: str) -> object:
    if name == "Library":
        from storyscope.library import Library

        return Library
    raise AttributeError(f"module 'storyscope' has no attribute {name!r}")
