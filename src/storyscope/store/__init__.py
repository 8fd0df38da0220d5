"""Everything to disk: one transaction per finished stage, so a killed run resumes."""

from storyscope.store.arrays import Spool
from storyscope.store.artefacts import (
    CONCEPTS,
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
from storyscope.store.protocol import MAX_MATCHES, Store, TextQuery, VideoRecord
from storyscope.store.sqlite import SqliteStore

__all__ = [
    "CONCEPTS",
    "MAX_MATCHES",
    "MINED",
    "PASSAGES",
    "RATINGS",
    "SCAN",
    "SCREEN",
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
]
