"""Everything to disk: one transaction per finished stage, so a killed run resumes."""

from storyscope.store.protocol import Store, VideoRecord
from storyscope.store.sqlite import SqliteStore

__all__ = ["SqliteStore", "Store", "VideoRecord"]
