"""Storyscope finds the stories inside long edited videos.

>>> import storyscope
>>> for story in storyscope.find_stories("film.mp4"):
...     print(story.span, story.title)

A library keeps what was found, resumes where it stopped, and answers searches:

>>> from storyscope import Library
>>> library = Library("folder")
>>> library.add("film.mp4", transcript="film.srt")
>>> library.stories("film")
>>> library.search("polar bear on ice", limit=10)
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    from storyscope.library import Library, find_stories

# ONNX Runtime sends telemetry to its developers unless it is disabled.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

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
    "find_stories",
]

HOMES = {
    "Config": "storyscope.config",
    "Library": "storyscope.library",
    "StoryscopeError": "storyscope.errors",
    "find_stories": "storyscope.library",
}
"""Packages of the names that are not in `core`; each is imported when it is first used."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'storyscope' has no attribute {name!r}")
    value = getattr(import_module(HOMES.get(name, "storyscope.core")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
