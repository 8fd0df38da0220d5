"""Everything to disk: one transaction per finished stage, so a killed run resumes."""

from collections.abc import Callable
from pathlib import Path

from storyscope.store.arrays import Spool
from storyscope.store.artefacts import (
    CONCEPTS,
    LOOKS,
    MINED,
    PASSAGES,
    RATINGS,
    SCAN,
    SCREEN,
    STORIES,
    TITLES,
    TRANSCRIPT,
    VISION,
    Artefact,
)
from storyscope.store.places import FOLDER, address_of
from storyscope.store.protocol import MAX_MATCHES, OUTDATED, Store, TextQuery, VideoRecord
from storyscope.store.sqlite import SqliteStore

__all__ = [
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
    "STORES",
    "STORIES",
    "TITLES",
    "TRANSCRIPT",
    "VISION",
    "Artefact",
    "Spool",
    "SqliteStore",
    "Store",
    "TextQuery",
    "VideoRecord",
    "address_of",
    "open_store",
]

STORES: dict[str, Callable[[str | Path], Store]] = {FOLDER: SqliteStore}
"""What opens a place, by the scheme of its address."""


def open_store(place: str | Path) -> Store:
    """The store at a place, such as another store says its own is."""
    scheme, address = address_of(place)
    return STORES[scheme](address)
