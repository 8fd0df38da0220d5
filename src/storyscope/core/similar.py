"""Grouping by similarity: which vectors show the same voice or the same face."""

from __future__ import annotations

import numpy as np


def similar_groups(vectors: np.ndarray, *, min_cosine: float) -> np.ndarray:
    """A number for each row, equal for rows of one group; rows have unit length.

    Average-link clustering: two groups are joined while the mean cosine of their rows is at least
    `min_cosine`.
    """
    if len(vectors) < 2:
        return np.ones(len(vectors), int)
    from scipy.cluster.hierarchy import fcluster, linkage

    links = linkage(vectors, "average", "cosine")
    return np.asarray(fcluster(links, 1 - min_cosine, criterion="distance"))
