"""Select the tiers of an annotation file that contain stories."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from storyscope.errors import FormatError

STORY_WORDS = ("stor", "scene", "chapter")
"""A tier with one of these words in its name contains stories."""


def story_tiers(path: Path, tiers: Sequence[str], wanted: str | None) -> list[str]:
    """The tier with the given name; otherwise every tier named for stories; otherwise the only
    tier."""
    names = ", ".join(tiers) or "none with times"
    if wanted is not None:
        if wanted not in tiers:
            raise FormatError(f"{path}: no tier is called {wanted!r}; it has {names}")
        return [name for name in tiers if name == wanted]
    named = [name for name in tiers if any(word in name.lower() for word in STORY_WORDS)]
    if named or len(tiers) == 1:
        return named or list(tiers)
    raise FormatError(
        f"{path}: which tier contains the stories? give it with --tier; it has {names}"
    )
