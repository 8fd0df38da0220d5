"""A person's version as the library's current one, which search, export and the list use."""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from storyscope.core import Story
from storyscope.errors import AnnotationError
from storyscope.library.documents import JsonDocument
from storyscope.store import TITLES, Artefact

if TYPE_CHECKING:
    from storyscope.library.local import LocalLibrary

OWN_VERSIONS: JsonDocument[dict[str, Any]] = JsonDocument(
    "own_versions.json", lambda kept: {str(video): str(name) for video, name in kept.items()}, dict
)
"""The annotator of the current version, by video."""
FOUND: Artefact[tuple[Story, ...]] = Artefact("automatic_titles")
"""The automatic stories, while a person's version is the current one."""


def own_version(library: LocalLibrary, video: str) -> str | None:
    """The annotator whose version is the library's current one; None for the automatic one."""
    name = OWN_VERSIONS.read_or_empty(library.store).get(video)
    return name if name in library.annotations(video) else None


def automatic_stories(library: LocalLibrary, video: str) -> list[Story]:
    """The automatic stories, even while a person's version is the current one."""
    kept = FOUND if _is_replaced(library, video) else TITLES
    return list(library.store.load(video, kept))


def choose_own_version(library: LocalLibrary, video: str, annotator: str | None) -> None:
    """Make a person's version the library's current one; None makes it the automatic one again."""
    if annotator is not None and annotator not in library.annotations(video):
        raise AnnotationError(f"{annotator!r} has no version of {video}")
    with OWN_VERSIONS.change(library.store) as choices:
        if annotator is None:
            choices.pop(video, None)
        else:
            choices[video] = annotator
    apply_own_version(library, video)


def apply_own_version(library: LocalLibrary, video: str) -> None:
    """Replace the automatic stories by the chosen version, or restore them."""
    store, chosen = library.store, own_version(library, video)
    key = store.key(video, TITLES) or ""
    if not _is_replaced(library, video):
        if chosen is None:
            return
        store.save(video, FOUND, key, tuple(store.load(video, TITLES)))
    if chosen is None:
        found = tuple(store.load(video, FOUND))
        store.save(video, TITLES, store.key(video, FOUND) or "", found)
        return
    version = library.annotations(video)[chosen]
    digest = sha256(json.dumps(asdict(version)).encode()).hexdigest()[:16]
    stories = library.stories_marked(video, version)
    store.save(video, TITLES, f"own {digest}", tuple(stories))


def _is_replaced(library: LocalLibrary, video: str) -> bool:
    return (library.store.key(video, TITLES) or "").startswith("own ")
