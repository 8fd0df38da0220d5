"""People's choices about the videos of a library, each kind in a JSON document of the store."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from storyscope.errors import LibraryError, StoryscopeError
from storyscope.store import Store

T = TypeVar("T")
log = logging.getLogger(__name__)
UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""Errors raised by reading a file of the wrong shape; RecursionError if it is nested too deeply."""


@dataclass(frozen=True)
class JsonDocument(Generic[T]):
    """A document that all processes with the library read, and change one after another."""

    name: str
    parse: Callable[[Any], T]
    """Validates what was read; raises Python's own errors for wrong shapes and values."""
    empty: Callable[[], T]
    """The default content of a library without this document."""

    def read(self, store: Store) -> T:
        """The content; a LibraryError if it is damaged."""
        path = store.document(self.name)
        if not path.exists():
            return self.empty()
        try:
            return self.parse(json.loads(path.read_text(encoding="utf-8")))
        except (*UNREADABLE, StoryscopeError) as error:
            raise LibraryError(f"{path} is damaged; run `storyscope check --repair`") from error

    def read_or_empty(self, store: Store) -> T:
        """The content, or the default if it is damaged: for callers that can continue without
        it."""
        try:
            return self.read(store)
        except LibraryError as error:
            log.warning("%s", error)
            return self.empty()

    @contextmanager
    def change(self, store: Store) -> Iterator[T]:
        """The content, to be changed in place; it is written if it was changed."""
        with store.lock(self.name):
            kept = self.read(store)
            before = json.dumps(kept)
            yield kept
            if json.dumps(kept) != before:
                text = json.dumps(kept, indent=1, ensure_ascii=False)
                store.put_document(self.name, f"{text}\n".encode())


def forget(store: Store, video: str, *documents: JsonDocument[dict[str, Any]]) -> None:
    """Delete the entries of a video from these documents."""
    for document in documents:
        if video in document.read_or_empty(store):
            with document.change(store) as kept:
                kept.pop(video, None)
