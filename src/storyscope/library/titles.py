"""Titles of videos: given by a person, or found inside the file."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from storyscope.core import Video
from storyscope.errors import StoryscopeError
from storyscope.library.documents import JsonDocument
from storyscope.media import read_title
from storyscope.store import Store, in_bucket


def _checked(kept: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {str(video): dict(facts) for video, facts in kept.items()}


TITLES_DOCUMENT: JsonDocument[dict[str, Any]] = JsonDocument("titles.json", _checked, dict)
"""For each video, the title that a person gave it, and the one found in the file with a digest."""


class Titles:
    """Titles of a library's videos, stored in one document of its store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._asked: set[str] = set()
        self._unread: queue.Queue[Video] = queue.Queue()

    def of(self, video: Video) -> str:
        """The current title; if it is not known yet, it is read from the file in the background."""
        return self.of_each([video])[video.id]

    def of_each(self, videos: Iterable[Video]) -> dict[str, str]:
        """The titles of many videos by id, with one read."""
        kept = TITLES_DOCUMENT.read_or_empty(self._store)
        return {video.id: self._title(video, kept.get(video.id, {})) for video in videos}

    def rename(self, video: Video, title: str) -> None:
        """Store a title given by a person; an empty one restores the file's own."""
        self._keep(video.id, given=title or None)

    def _title(self, video: Video, kept: dict[str, Any]) -> str:
        if "given" in kept:
            return str(kept["given"])
        if kept.get("digest") == video.digest:
            return str(kept["found"])
        if video.digest not in self._asked:
            if not self._asked:
                threading.Thread(target=self._find, daemon=True).start()
            self._asked.add(video.digest)
            self._unread.put(video)
        return ""

    def _find(self) -> None:
        """Read the titles inside files, one file at a time."""
        while video := self._unread.get():
            try:
                # A film in a bucket is not downloaded just for its title.
                found = "" if in_bucket(video.path) else read_title(video.path)
            except StoryscopeError:
                found = ""
            # If nothing can be written, the next server reads the title again.
            with suppress(StoryscopeError, OSError):
                self._keep(video.id, digest=video.digest, found=found)

    def _keep(self, video: str, **facts: Any) -> None:
        with TITLES_DOCUMENT.change(self._store) as titles:
            kept = titles.get(video, {}) | facts
            titles[video] = {key: value for key, value in kept.items() if value is not None}
