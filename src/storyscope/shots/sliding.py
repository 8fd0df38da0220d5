"""A sliding window over a long stream of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np


def sliding(
    blocks: Iterable[np.ndarray], look: Callable[[np.ndarray], np.ndarray], reach: int
) -> Iterator[np.ndarray]:
    """Apply `look`, which loses `reach` rows at either end, to rows that arrive in blocks.

    The first and the last row are repeated, so that there are as many output rows as input rows;
    the output does not depend on the block boundaries.
    """
    held: np.ndarray | None = None
    for block in blocks:
        before = held if held is not None else np.repeat(block[:1], reach, axis=0)
        held = np.concatenate([before, block])
        if len(held) > 2 * reach:
            yield look(held)
            held = held[-2 * reach :]
    if held is not None:
        yield look(np.concatenate([held, np.repeat(held[-1:], reach, axis=0)]))
