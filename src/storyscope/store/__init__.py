"""Everything to disk: one transaction per finished stage, so a killed run resumes."""

from storyscope.store.arrays import Spool
from storyscope.store.protocol import MAX_MATCHES, Store, TextQuery, VideoRecord
from storyscope.store.sqlite import SqliteStore

__all__ = ["MAX_MATCHES", "Spool", "SqliteStore", "Store", "TextQuery", "VideoRecord"]
