"""The thumbnail rankers of a library: trained on choices, trained for a network, or shipped."""

from __future__ import annotations

from storyscope.store import Store
from storyscope.thumbnails import Ranker, load_ranker

RANKER_FILE = "ranker.json"
TRAINED_RANKER_FILE = "ranker-trained.json"
"""A ranker trained for an image network other than the shipped one; choices refine it."""


def ranker_of(store: Store) -> Ranker:
    """The ranker trained on people's choices, if there are any; otherwise the base ranker."""
    path = store.document(RANKER_FILE)
    return load_ranker(path) if path.exists() else base_ranker(store)


def base_ranker(store: Store) -> Ranker:
    """The base ranker: the one trained in this library, otherwise the shipped one."""
    path = store.document(TRAINED_RANKER_FILE)
    return load_ranker(path if path.exists() else None)
