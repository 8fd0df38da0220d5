"""Persistent storage: one transaction per finished stage, so that an interrupted run resumes."""

from collections.abc import Callable
from pathlib import Path

from storyscope.errors import LibraryError
from storyscope.store.arrays import Spool
from storyscope.store.artefacts import (
    CONCEPTS,
    LOOKS,
    MINED,
    PASSAGES,
    RATINGS,
    SCAN,
    SCREEN,
    SOUNDS,
    STORIES,
    TITLES,
    TRANSCRIPT,
    VISION,
    VOICE,
    Artefact,
)
from storyscope.store.buckets import BUCKETS, Bucket, BucketFile, in_bucket, spelled, split_address
from storyscope.store.indexes import (
    MAX_MATCHES,
    FiledStory,
    FiledVideo,
    FoundByWords,
    FoundPassages,
    FoundStory,
    Neighbours,
    TextQuery,
    VectorIndex,
)
from storyscope.store.places import (
    FOLDER,
    SETTINGS_FILE,
    address_of,
    named_in_settings,
    without_password,
)
from storyscope.store.postgres import PostgresStore
from storyscope.store.protocol import OUTDATED, JobListener, Store, VideoRecord
from storyscope.store.sqlite import SqliteStore

__all__ = [
    "BUCKETS",
    "CONCEPTS",
    "FOLDER",
    "LOOKS",
    "MAX_MATCHES",
    "MINED",
    "OUTDATED",
    "PASSAGES",
    "RATINGS",
    "SCAN",
    "SCREEN",
    "SETTINGS_FILE",
    "SOUNDS",
    "STORES",
    "STORIES",
    "TITLES",
    "TRANSCRIPT",
    "VISION",
    "VOICE",
    "Artefact",
    "Bucket",
    "BucketFile",
    "FiledStory",
    "FiledVideo",
    "FoundByWords",
    "FoundPassages",
    "FoundStory",
    "JobListener",
    "Neighbours",
    "PostgresStore",
    "Spool",
    "SqliteStore",
    "Store",
    "TextQuery",
    "VectorIndex",
    "VideoRecord",
    "address_of",
    "in_bucket",
    "named_in_settings",
    "open_store",
    "spelled",
    "split_address",
    "without_password",
]

STORES: dict[str, Callable[[str | Path], Store]] = {
    FOLDER: SqliteStore,
    "postgresql": PostgresStore,
    "postgres": PostgresStore,
}
"""The store class of each address scheme."""


def open_store(place: str | Path) -> Store:
    """Open the store at a place, which may be the `place` of another store."""
    scheme, address = address_of(place)
    if scheme == FOLDER and (named := named_in_settings(address)):
        scheme, address = address_of(named)
        if scheme not in STORES:
            raise LibraryError(f"a library cannot be stored at {address}; use postgresql://...")
    return STORES[scheme](address)
