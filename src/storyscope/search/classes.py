"""What the classes of the image network mean, and which of them a query names."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence

import numpy as np

from storyscope.models import cache_folder, keep_in_cache
from storyscope.search.text_model import TextModel
from storyscope.search.words import singular

LONGEST_NAME = 3
"""Words of the longest concept name that is looked for in a query."""

Lexicon = Mapping[str, frozenset[int]]
"""Lower-case name of a concept -> the classes of the image network that it takes in."""


def class_vectors(model: TextModel, names: Sequence[str]) -> np.ndarray:
    """float32 [classes, dimensions], what the classes mean, less what all of them share.

    Made once and kept in the cache, because a thousand take seconds.
    """
    key = hashlib.sha256("\n".join([model.digest, *names]).encode()).hexdigest()
    name = f"classes/{key}.npy"
    kept = cache_folder() / name
    if kept.exists():
        vectors = np.load(kept, allow_pickle=False)
    else:
        vectors = model.encode([f"a photo of a {name}" for name in names])
        written = io.BytesIO()
        np.save(written, vectors, allow_pickle=False)
        keep_in_cache(name, written.getvalue())
    return np.asarray(vectors - vectors.mean(axis=0))


def conse(classes: np.ndarray, shares: np.ndarray, meanings: np.ndarray) -> np.ndarray:
    """Pictures in the space of words: their classes' meanings, weighted by how likely.

    Convex combination of semantic embeddings (Norouzi et al., 2014); rows of length one.
    """
    mixed = np.einsum("nk,nkd->nd", shares.astype(np.float32), meanings[classes])
    return np.asarray(mixed / np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-9))


def named_classes(terms: Sequence[str], lexicon: Lexicon, class_count: int) -> np.ndarray:
    """float32 [classes]: share of the query's terms that name a concept of this class."""
    words = [singular(word) for term in terms for word in term.split()]
    weights = np.zeros(class_count, np.float32)
    place, count = 0, 0
    while place < len(words):
        taken, found = _longest_name(words[place:], lexicon)
        weights[list(found)] += 1
        place += taken
        count += 1
    return weights / max(count, 1)


def _longest_name(words: Sequence[str], lexicon: Lexicon) -> tuple[int, frozenset[int]]:
    for length in range(min(LONGEST_NAME, len(words)), 0, -1):
        if (found := lexicon.get(" ".join(words[:length]))) is not None:
            return length, found
    return 1, frozenset()
