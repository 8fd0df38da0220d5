"""What people taught a library, as the stages use it."""

from __future__ import annotations

from storyscope.store import Store
from storyscope.thumbnails import Ranker, load_ranker

RANKER_FILE = "ranker.json"
TRAINED_RANKER_FILE = "ranker-trained.json"
"""A ranker trained for another image network than the shipped one's; choices amend it."""


def ranker_of(store: Store) -> Ranker:
    """The ranker that people taught, where they did; else the one before any choice."""
    path = store.document(RANKER_FILE)
    return load_ranker(path) if path.exists() else base_ranker(store)


def base_ranker(store: Store) -> Ranker:
    """The ranker before any choice: the one trained in this library, else the one that ships."""
    path = store.document(TRAINED_RANKER_FILE)
    return load_ranker(path if path.exists() else None)
