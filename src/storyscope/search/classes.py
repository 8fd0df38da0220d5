"""The classes of the image network: their vectors, their names, and which of them a query names."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from storyscope.concepts import detect
from storyscope.core.plurals import singular
from storyscope.models import cache_folder, class_names, keep_in_cache
from storyscope.models import class_synonyms as synonyms_of_classes
from storyscope.search.text_model import TextModel

LONGEST_NAME = 3
"""Number of words of the longest concept name that is searched for in a query."""

Lexicon = Mapping[str, frozenset[int]]
"""Lower-case name of a concept -> the classes of the image network that it covers."""


@lru_cache(1)
def class_lexicon() -> Lexicon:
    """The names of all classes of the image network, and of the broader concepts."""
    names, synonyms = class_names(), synonyms_of_classes()
    no_posteriors = np.zeros((0, len(names)), np.float32)
    known = detect(no_posteriors, class_names=names, class_synonyms=synonyms)
    words = {first.lower(): frozenset([number]) for number, (first, *_) in enumerate(synonyms)}
    return words | {
        name.lower(): covers for name, covers in zip(known.names, known.covers, strict=True)
    }


@lru_cache(1)
def class_synonyms() -> dict[str, str]:
    """Rarer names of the classes -> the common name."""
    return {
        other.lower(): names[0].lower() for names in synonyms_of_classes() for other in names[1:]
    }


def embed_classes(model: TextModel, names: Sequence[str]) -> np.ndarray:
    """float32 [classes, dimensions]: the text vectors of class names, minus their mean.

    They are cached, because encoding a thousand names takes seconds.
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


def conse(classes: np.ndarray, shares: np.ndarray, class_vectors: np.ndarray) -> np.ndarray:
    """Pictures in the space of text vectors: the vectors of their classes, weighted by probability.

    Convex combination of semantic embeddings (Norouzi et al., 2014); rows of unit length.
    """
    mixed = np.einsum("nk,nkd->nd", shares.astype(np.float32), class_vectors[classes])
    return np.asarray(mixed / np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-9))


def named_classes(terms: Sequence[str], lexicon: Lexicon, class_count: int) -> np.ndarray:
    """float32 [classes]: share of the query's terms that name a concept of each class."""
    words = [singular(word) for term in terms for word in term.split()]
    weights = np.zeros(class_count, np.float32)
    start, count = 0, 0
    while start < len(words):
        length, found = _longest_name(words[start:], lexicon)
        weights[list(found)] += 1
        start += length
        count += 1
    return weights / max(count, 1)


def _longest_name(words: Sequence[str], lexicon: Lexicon) -> tuple[int, frozenset[int]]:
    for length in range(min(LONGEST_NAME, len(words)), 0, -1):
        if (found := lexicon.get(" ".join(words[:length]))) is not None:
            return length, found
    return 1, frozenset()
