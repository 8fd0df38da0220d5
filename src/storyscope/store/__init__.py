"""Everything to disk: one transaction per finished stage, so a killed run resumes."""

from storyscope.store.arrays import Spool
from storyscope.store.protocol import MOST_SAID, Store, VideoRecord
from storyscope.store.sqlite import SqliteStore

__all__ = ["MOST_SAID", "Spool", "SqliteStore", "Store", "VideoRecord"]
