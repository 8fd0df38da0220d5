"""Temporal-aware clustering: split rows, one per shot, into the stories of least cost.

    objective = min over m, t_1 < ... < t_m of  sum_i WSS[t_i, t_(i+1)] + C g(m, n)

is `eq:kts` of the paper, solved exactly for any C (see `path` for why this is cheap).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from storyscope.clustering.path import Hull, PathPoint, story_pressure
from storyscope.clustering.penalty import auto_penalty, paper_penalty
from storyscope.clustering.runs import Array
from storyscope.core import Segmentation
from storyscope.errors import InvalidFeatures, InvalidSetting


@dataclass(frozen=True)
class Clustering:
    """The cheapest stories over the rows, and the penalty they were chosen with."""

    segmentation: Segmentation
    objective: float
    """Scatter within the stories + penalty x g(m, n)."""
    penalty: float
    """C of the paper, as given or as chosen."""


def cluster(vectors: npt.ArrayLike, penalty: float | str = "auto") -> Clustering:
    """Split the rows of `vectors`, one per shot and in order, into consecutive stories.

    `penalty` is C: higher gives fewer, longer stories. `"paper"` uses the smallest multiple of .001
    that gives fewer stories than shots, as the paper does; `"auto"` chooses C by the stability of
    the partitions, and is robust to duplicate shots. The result is exact; among equally cheap
    partitions it has the fewest stories.
    """
    return clusterings(vectors, [penalty])[0]


def clusterings(vectors: npt.ArrayLike, penalties: Sequence[float | str]) -> list[Clustering]:
    """The results of `cluster` for several penalties, at little more than the cost of one."""
    hull = Hull(_as_rows(vectors))
    chosen = [_chosen_penalty(penalty, hull) for penalty in penalties]
    return [
        Clustering(
            found.segmentation,
            found.scatter + penalty * float(story_pressure(found.change_points, hull.row_count)),
            penalty,
        )
        for penalty, found in zip(chosen, hull.cheapest(*chosen), strict=True)
    ]


def story_path(
    vectors: npt.ArrayLike, *, fewest: int = 1, most: int | None = None
) -> list[PathPoint]:
    """Every useful granularity: the corners of the hull, from few stories to many.

    Each point has the stories and the range of prices per story for which no other partition is
    cheaper. For any C, the result of `cluster` is one of them. `fewest` and `most` limit the number
    of stories, and with it the work.
    """
    rows = _as_rows(vectors)
    most = len(rows) if most is None else most
    if not 1 <= fewest <= most:
        raise InvalidSetting(f"stories count from 1 up, got fewest={fewest} and most={most}")
    return Hull(rows).explore(fewest, most)


def _as_rows(vectors: npt.ArrayLike) -> Array:
    try:
        rows = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidFeatures(f"expected one row of numbers per shot: {error}") from error
    if rows.ndim != 2 or len(rows) == 0:
        raise InvalidFeatures(f"expected one row per shot, got an array of shape {rows.shape}")
    if not np.isfinite(rows).all():
        shot = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise InvalidFeatures(
            f"shot {shot} contains NaN or infinity; only finite numbers can be clustered"
        )
    if rows.size and np.abs(rows).max() > 1e140:
        raise InvalidFeatures("numbers above 1e140 cannot be squared; scale the features down")
    return rows


def _chosen_penalty(penalty: float | str, hull: Hull) -> float:
    if penalty == "auto":
        return auto_penalty(hull)
    if penalty == "paper":
        return paper_penalty(hull)
    if isinstance(penalty, str) or not (math.isfinite(penalty) and penalty >= 0):
        raise InvalidSetting(f"a penalty is a number from 0 up, 'auto' or 'paper', got {penalty!r}")
    return float(penalty)
