"""Other numbers of stories: stored for a video, or temporary."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from storyscope.core import Story, StoryCount
from storyscope.library.own_version import apply_own_version
from storyscope.library.video_settings import settings_of
from storyscope.pipeline import rename_stories
from storyscope.stages.naming import story_spans, untitled
from storyscope.store import SCAN, STORIES, TITLES, Artefact, Store

if TYPE_CHECKING:
    from storyscope.library.local import LocalLibrary

T = TypeVar("T")


def regroup(library: LocalLibrary, video: str) -> None:
    """Regroup the stories of an indexed video to the number that is wanted now."""
    store, config = library.store, settings_of(library.store, library.config, video)
    with store.busy(video):
        rename_stories(video, store, config, library.executor(store, video))
    apply_own_version(library, video)


class RegroupedStore:
    """A view of a store with another number of stories in every video; nothing is written.

    Its stories have no titles: making them is slow, and only few are shown.
    """

    def __init__(self, store: Store, count: StoryCount) -> None:
        self._store, self._count = store, count
        self._stories = cache(self._regrouped)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def key(self, video: str, artefact: Artefact[Any]) -> str | None:
        """The key of an artefact; the key of stories includes their number."""
        key = self._store.key(video, artefact)
        return f"{key} {self._count}" if key and artefact == TITLES else key

    def keys(self, video: str) -> dict[str, str]:
        """The keys of all artefacts of a video; the key of stories includes their number."""
        keys = self._store.keys(video)
        named = {TITLES.name: f"{keys[TITLES.name]} {self._count}"} if TITLES.name in keys else {}
        return keys | named

    def ready_keys(self, artefact: Artefact[Any]) -> dict[str, str]:
        """The keys of an artefact of every video; the key of stories includes their number."""
        keys = self._store.ready_keys(artefact)
        if artefact != TITLES:
            return keys
        return {video: f"{key} {self._count}" for video, key in keys.items()}

    def load(self, video: str, artefact: Artefact[T]) -> T:
        """An artefact of the store; stories are regrouped."""
        if artefact != TITLES:
            return self._store.load(video, artefact)
        return cast(T, self._stories(video, self._store.key(video, STORIES)))

    def _regrouped(self, video: str, key: str | None) -> tuple[Story, ...]:
        shots, path = self._store.load(video, SCAN).shots, self._store.load(video, STORIES)
        parts = list(self._count.of(path, shots[-1].span.end))
        return tuple(untitled(video, story_spans(shots, parts), parts))
