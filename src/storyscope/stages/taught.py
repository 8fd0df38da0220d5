"""What people taught a library, as the stages use it."""

from __future__ import annotations

from storyscope.store import Store
from storyscope.thumbnails import Ranker, load_ranker

RANKER_FILE = "ranker.json"


def ranker_of(store: Store) -> Ranker:
    """The ranker that people taught, where they did; else the one that ships."""
    path = store.document(RANKER_FILE)
    return load_ranker(path if path.exists() else None)
