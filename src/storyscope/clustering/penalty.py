"""Automatic choice of C."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from storyscope.clustering.path import Hull, story_pressure
from storyscope.clustering.runs import Array, Partition

PAPER_STEP = 0.001
"""The paper raises C in steps of this size."""

SHOTS_PER_STORY = 8.0
"""Expected shots per story in edited video; measured in docs/clustering.md."""
EXPECTATION_WEIGHT = 2.0
"""Weight of that expectation; with 0, only stability would count."""
ONE_STORY_STABILITY = 1.0
"""Stability of a single story, which stays cheapest for any higher C."""
NO_SCATTER_STABILITY = 2.0
"""Stability of stories of identical shots, which stay cheapest down to C = 0."""
RESOLUTION = 0.01
"""Candidates that differ by less than this are equally good."""
LONGEST_PIECE = 4000
"""Maximum number of shots that are processed together; the time grows faster than their number."""


def paper_penalty(hull: Hull) -> float:
    """The smallest multiple of .001 that leaves fewer stories than rows.

    One story per row costs C g(n - 1) and has no scatter, so it loses to m change points as soon as
    C >= D[m] / (g(n - 1) - g(m)), and the smallest such C is the least of these ratios. Only
    corners of the hull can attain it: if anything beats one story per row, a corner does.
    """
    shots = hull.row_count
    if hull.corners[-1].m < shots - 1 or shots == 1:
        return PAPER_STEP
    all_apart = float(story_pressure(shots - 1, shots))
    while True:
        fewer = hull.corners[:-1]
        saved = all_apart - story_pressure(np.array([corner.m for corner in fewer]), shots)
        lowest = float((np.array([corner.scatter for corner in fewer]) / saved).min())
        # Whatever lowers the ratio is cheaper at this C than one story per row.
        if not hull.find_cheaper((lowest, lowest * all_apart * (1 - 1e-12))):
            return max(1, math.ceil(lowest / PAPER_STEP - 1e-9)) * PAPER_STEP


def auto_penalty(hull: Hull) -> float:
    """The C in the middle of the widest range over which the stories stay the same.

    As C grows from 0 the cheapest partition changes at certain values of C. Real stories persist
    over a wide range of C: from below the noise within them to above the change between them. So
    the partition that is cheapest from C = low to C = high is scored by

        log(high / low) - EXPECTATION_WEIGHT (sqrt(1 + x^2) - 1)

    with x how far (in log-odds of stories per shot) it is from one story in SHOTS_PER_STORY. Where
    nothing stands out the expectation decides; where something does, it wins. The units of the
    vectors, their number of dimensions and a few duplicate shots make no difference.

    g(m, n) / n depends on m / n alone, so C means the same in a part of a video as in the whole: a
    very long one is judged in pieces, and gets the median of their C.
    """
    pieces = math.ceil(hull.row_count / LONGEST_PIECE)
    if pieces > 1:
        parts = np.array_split(hull.vectors, pieces)
        return float(np.median([auto_penalty(Hull(part)) for part in parts]))
    if len(hull.corners) == 1:
        return 0.0
    return _StablePath(hull).most_stable_penalty()


@dataclass(eq=False)
class _Stretch:
    """A partition and the range of C over which it is known to be cheapest."""

    partition: Partition
    low: float
    high: float

    @property
    def stories(self) -> int:
        return len(self.partition.segmentation)


class _StablePath:
    """The cheapest partitions as C falls from high to low, computed only where it may matter."""

    def __init__(self, hull: Hull) -> None:
        self._hull = hull
        one, finest = hull.corners[0].partition, hull.corners[-1].partition
        no_gain = one.scatter / float(story_pressure(1, hull.row_count))
        self._stretches = [_Stretch(one, no_gain, math.inf), _Stretch(finest, 0.0, 0.0)]

    def most_stable_penalty(self) -> float:
        while True:
            known = [self._known(stretch) for stretch in self._stretches]
            best = max(range(len(known)), key=known.__getitem__)
            gaps = [gap for gap, bound in self._upper_bounds() if bound > known[best] + RESOLUTION]
            if not gaps:
                return self._middle(self._stretches[best])
            self._search_gaps(gaps)

    def _upper_bounds(self) -> Iterator[tuple[int, float]]:
        """For every open gap, the best score that searching it may reveal.

        A partition is replaced by its neighbours at the latest where they cost the same.
        """
        path = self._stretches
        evens = [math.inf, *(self._evens_out(*sides) for sides in pairwise(path)), 0.0]
        for gap, (left, right) in enumerate(pairwise(path)):
            if left.low > right.high and 2 * left.stories <= self._hull.row_count:
                bound = max(
                    self._between(left, right),
                    self._judgement(left.stories, evens[gap + 1], evens[gap]),
                    self._judgement(right.stories, evens[gap + 2], evens[gap + 1]),
                )
                yield gap, bound

    def _between(self, left: _Stretch, right: _Stretch) -> float:
        """An upper bound of the score strictly between the two."""
        most = min(right.stories - 1, self._hull.row_count // 2)
        stories = np.arange(left.stories + 1, most + 1, dtype=np.float64)
        if not len(stories) or right.high == 0:
            return math.inf if len(stories) else -math.inf
        few = story_pressure(left.partition.change_points, self._hull.row_count)
        highest = (left.partition.scatter - right.partition.scatter) / (
            story_pressure(stories - 1, self._hull.row_count) - few
        )
        stability = np.log(np.minimum(highest, left.low) / right.high)
        return float((stability - self._surprise(stories)).max())

    def _known(self, stretch: _Stretch) -> float:
        return self._judgement(stretch.stories, stretch.low, stretch.high)

    def _judgement(self, stories: int, low: float, high: float) -> float:
        if 2 * stories > self._hull.row_count and stories > 1:
            return -math.inf
        if math.isinf(high):
            stability = ONE_STORY_STABILITY
        elif low > 0:
            stability = math.log(high / low)
        elif stories == self._stretches[-1].stories:
            return self._of_no_scatter(stories) if high > 0 else -math.inf
        else:
            stability = math.inf
        return stability - float(self._surprise(stories))

    def _of_no_scatter(self, stories: int) -> float:
        """Stories of identical shots always score higher than a single story, however short the
        video.

        They leave no scatter that a single story could explain as noise; other stories may still
        win.
        """
        one_story = ONE_STORY_STABILITY - float(self._surprise(1))
        own = NO_SCATTER_STABILITY - float(self._surprise(stories))
        return max(own, one_story + 2 * RESOLUTION)

    def _surprise(self, stories: Array | int) -> Array:
        """How far a number of stories is from the expected one, in units of stability."""
        odds = np.asarray(stories) / (self._hull.row_count - stories)
        x = np.log(odds * (SHOTS_PER_STORY - 1.0))
        surprise: Array = EXPECTATION_WEIGHT * (np.hypot(1.0, x) - 1.0)
        return surprise

    def _search_gaps(self, gaps: list[int]) -> None:
        """Find the cheapest partition at the C where both sides of each gap cost the same."""
        sides = [(self._stretches[gap], self._stretches[gap + 1]) for gap in gaps]
        penalties = [self._evens_out(left, right) for left, right in sides]
        found = self._hull.cheapest(*penalties)
        for (left, right), penalty, partition in zip(sides, penalties, found, strict=True):
            if left.stories < len(partition.segmentation) < right.stories:
                self._stretches.append(_Stretch(partition, penalty, penalty))
            else:
                left.low = right.high = penalty
        self._stretches.sort(key=lambda stretch: stretch.stories)

    def _evens_out(self, left: _Stretch, right: _Stretch) -> float:
        """The C at which the two partitions cost the same."""
        counts = np.array([left.partition.change_points, right.partition.change_points])
        few, many = story_pressure(counts, self._hull.row_count)
        return float((left.partition.scatter - right.partition.scatter) / (many - few))

    def _middle(self, stretch: _Stretch) -> float:
        if math.isinf(stretch.high):
            return stretch.low * math.exp(ONE_STORY_STABILITY / 2)
        if stretch.low == 0:
            return stretch.high * math.exp(-NO_SCATTER_STABILITY / 2)
        return math.sqrt(stretch.low * stretch.high)
