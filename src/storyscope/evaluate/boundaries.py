"""Evaluation of boundaries: F1 at a tolerance, and average precision of ranked cuts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from storyscope.core import Segmentation
from storyscope.errors import AnnotationError
from storyscope.evaluate.iou import require_same_end


@dataclass(frozen=True)
class BoundaryScore:
    """Numbers of found, true and matched cuts; the scores of several videos can be added."""

    matched: int
    """Found cuts that have a true cut of their own within the tolerance."""
    found: int
    true: int

    @property
    def precision(self) -> float:
        """Share of the found cuts that are true; 1 when none was found."""
        return self.matched / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """Share of the true cuts that were found; 1 when there is none to find."""
        return self.matched / self.true if self.true else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 1 when no cut is true and none was found."""
        return 2 * self.matched / (self.found + self.true) if self.found + self.true else 1.0

    def __add__(self, other: BoundaryScore) -> BoundaryScore:
        return BoundaryScore(
            self.matched + other.matched, self.found + other.found, self.true + other.true
        )


def boundary_score(
    found: Segmentation, truth: Segmentation, *, tolerance: int = 0
) -> BoundaryScore:
    """Pair as many found cuts with true cuts as possible, at most `tolerance` positions apart.

    Every cut is paired at most once. The first true cut in reach is always a safe partner for the
    leftmost free found cut, so one pass over both lists is optimal.
    """
    require_same_end(found, truth)
    matched, nearest = 0, 0
    for cut in found.cuts:
        while nearest < len(truth.cuts) and truth.cuts[nearest] < cut - tolerance:
            nearest += 1
        if nearest < len(truth.cuts) and truth.cuts[nearest] <= cut + tolerance:
            matched += 1
            nearest += 1
    return BoundaryScore(matched, len(found.cuts), len(truth.cuts))


def average_precision(
    cuts: Sequence[int], scores: Sequence[float], truth: Segmentation, *, tolerance: int = 0
) -> float:
    """Average precision: the area under the precision-recall curve of ranked cuts.

    `scores[i]` says how sure a method is that a story begins at position `cuts[i]`. With P and R
    the precision and recall of all cuts that score at least as high as the k-th highest score,

        AP = sum over k of (R[k] - R[k-1]) P[k]

    Equal scores are admitted together, so their order cannot matter. 1 when no cut is true.
    """
    if len(cuts) != len(scores):
        raise AnnotationError(f"every cut has one score, got {len(cuts)} and {len(scores)}")
    if not truth.cuts:
        return 1.0
    pairing = _Pairing(truth.cuts, tolerance)
    ranked = sorted(zip(scores, cuts, strict=True), key=lambda pair: -pair[0])
    area, admitted = 0.0, 0
    for _, group in groupby(ranked, key=lambda pair: pair[0]):
        members = [cut for _, cut in group]
        gained = sum(pairing.add(cut) for cut in members)
        admitted += len(members)
        area += gained / len(truth.cuts) * pairing.size / admitted
    return area


class _Pairing:
    """A largest pairing of found and true cuts that grows one found cut at a time."""

    def __init__(self, true_cuts: Sequence[int], tolerance: int) -> None:
        self.true_cuts = true_cuts
        self.tolerance = tolerance
        self.partner: dict[int, int] = {}
        """The found cut that each paired true cut belongs to."""

    @property
    def size(self) -> int:
        return len(self.partner)

    def add(self, cut: int) -> bool:
        """Add a found cut; False if no rearrangement gives it a true cut."""
        wanted_by = dict.fromkeys(self._in_reach(cut), cut)
        waiting = list(wanted_by)
        for true_cut in waiting:
            if true_cut not in self.partner:
                self._hand_on(true_cut, wanted_by)
                return True
            for other in self._in_reach(self.partner[true_cut]):
                if other not in wanted_by:
                    wanted_by[other] = self.partner[true_cut]
                    waiting.append(other)
        return False

    def _hand_on(self, free: int, wanted_by: dict[int, int]) -> None:
        """Reassign true cuts along the augmenting path that ends at the free one."""
        held = {cut: true_cut for true_cut, cut in self.partner.items()}
        while True:
            cut = wanted_by[free]
            self.partner[free] = cut
            if cut not in held:
                return
            free = held[cut]

    def _in_reach(self, cut: int) -> Sequence[int]:
        first = bisect_left(self.true_cuts, cut - self.tolerance)
        end = bisect_right(self.true_cuts, cut + self.tolerance)
        return self.true_cuts[first:end]
