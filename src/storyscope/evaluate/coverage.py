"""Coverage and overflow (Vendrig and Worring 2002), and their harmonic mean F_co."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from storyscope.core import Segmentation
from storyscope.evaluate.iou import require_same_end


@dataclass(frozen=True)
class CoverageOverflow:
    """How well found stories contain the true ones (coverage) and separate them (overflow).

    The parts are sums over positions, so the scores of several videos add up to the score of all of
    them.
    """

    covered: int
    """Positions of true stories inside the found story that contains most of each."""
    overflowed: float
    """Sum over true stories of their length times their overflow."""
    total: int
    """Number of scored positions."""

    @property
    def coverage(self) -> float:
        """Share of the video that its best found stories contain; 1 is best."""
        return self.covered / self.total

    @property
    def overflow(self) -> float:
        """How far found stories reach into the neighbours of a true one; 0 is best."""
        return self.overflowed / self.total

    @property
    def f_score(self) -> float:
        """F_co: harmonic mean of coverage and 1 - overflow."""
        kept_apart = 1 - self.overflow
        return 2 * self.coverage * kept_apart / (self.coverage + kept_apart)

    def __add__(self, other: CoverageOverflow) -> CoverageOverflow:
        return CoverageOverflow(
            self.covered + other.covered,
            self.overflowed + other.overflowed,
            self.total + other.total,
        )


def coverage_overflow(found: Segmentation, truth: Segmentation) -> CoverageOverflow:
    """Judge the `found` stories by the true ones; not symmetric.

    For a true story t, with f over the found stories that touch it,

        coverage(t) = max |f and t| / |t|
        overflow(t) = min(1, sum |f without t| / (|t before| + |t after|))

    where a missing neighbour has length 0; each t weighs as much as it is long.
    """
    require_same_end(found, truth)
    found_edges, true_edges = np.array(found.edges), np.array(truth.edges)
    lengths = np.diff(true_edges)

    first_touching = np.searchsorted(found_edges, true_edges[:-1], side="right") - 1
    last_touching = np.searchsorted(found_edges, true_edges[1:], side="left")
    reached = found_edges[last_touching] - found_edges[first_touching]
    return CoverageOverflow(
        covered=int(_largest_overlaps(found_edges, true_edges).sum()),
        overflowed=float((_overflows(reached - lengths, lengths) * lengths).sum()),
        total=truth.end,
    )


def _largest_overlaps(found_edges: np.ndarray, true_edges: np.ndarray) -> np.ndarray:
    edges = np.union1d(found_edges, true_edges)
    largest: np.ndarray = np.maximum.reduceat(
        np.diff(edges), np.searchsorted(edges, true_edges[:-1])
    )
    return largest


def _overflows(outside: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    neighbours = np.zeros(len(lengths))
    neighbours[1:] += lengths[:-1]
    neighbours[:-1] += lengths[1:]
    if len(lengths) == 1:
        return neighbours
    overflows: np.ndarray = np.minimum(1.0, outside / neighbours)
    return overflows
