"""What the classes of the image network mean, as vectors of the text model."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence

import numpy as np

from storyscope.models import cache_folder, keep_in_cache
from storyscope.search.text_model import TextModel


def class_vectors(model: TextModel, names: Sequence[str]) -> np.ndarray:
    """One row a class; made once and kept in the cache, because a thousand take seconds."""
    key = hashlib.sha256("\n".join([model.digest, *names]).encode()).hexdigest()
    name = f"classes/{key}.npy"
    kept = cache_folder() / name
    if kept.exists():
        return np.asarray(np.load(kept, allow_pickle=False))
    vectors = model.encode([f"a photo of a {name}" for name in names])
    written = io.BytesIO()
    np.save(written, vectors, allow_pickle=False)
    keep_in_cache(name, written.getvalue())
    return vectors
