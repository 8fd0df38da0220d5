"""What can be said of a change of shot, and of a run of shots, from similarities alone.

Both tables are the detector's whole input. A cue that is missing leaves NaN in its columns, which
the model reads as silence. Lengths count in shots of this video's usual length, so a news item
and a feature film look the same here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from storyscope.core import Shot
from storyscope.stories.similarity import SAME, Array, Views

MOST_SHOTS = 80
"""No story is longer than this many shots; the table of runs is [shots, MOST_SHOTS]."""

WINDOWS = (1, 2, 3, 4, 6, 8, 12, 16, 24)
REACHES = (4, 12, 24)
FADES = (2.0, 6.0, 15.0)
"""Over how many usual shot lengths a link between two shots fades."""
LINKED = 1.5
"""Two shots this similar show the same thing."""
SIDES = (4, 12)


@dataclass(frozen=True, eq=False)
class Rhythm:
    """When the shots are, and how they give way to each other."""

    edges: Array
    """Seconds; start of every shot, and the end of the last: [shots + 1]."""
    transitions: Array
    """Seconds that the transition into each shot takes, 0 for a cut: [shots]."""
    clock: bool = True
    """Whether the length of stories in seconds counts, or only in shots."""

    @classmethod
    def of(cls, shots: Sequence[Shot]) -> Rhythm:
        edges = [*(shot.span.start for shot in shots), shots[-1].span.end]
        seconds = [
            shot.transition.frame_count * shot.span.length / len(shot.frames) for shot in shots
        ]
        return cls(np.array(edges), np.array(seconds))

    def __len__(self) -> int:
        return len(self.transitions)

    def backwards(self) -> Rhythm:
        """The rhythm of the video played from its end."""
        edges = self.edges[-1] - self.edges[::-1]
        return replace(self, edges=edges, transitions=np.append(0.0, self.transitions[:0:-1]))

    def of_shots(self, shots: Array) -> Rhythm:
        """The rhythm of some of the shots, in the order given by their numbers."""
        edges = np.append(0.0, np.diff(self.edges)[shots].cumsum())
        transitions = np.append(0.0, self.transitions[shots[1:]])
        return replace(self, edges=edges, transitions=transitions)

    @property
    def minutes(self) -> float:
        return float(self.lengths.sum()) / 60

    @property
    def lengths(self) -> Array:
        return np.maximum(np.diff(self.edges), 1e-3)


def cut_relations(views: Views, rhythm: Rhythm) -> Array:
    """One row for the change into each shot, float32 [shots, CUT_COLUMNS]; row 0 is no change."""
    columns = [column for view in views for column in _cut_columns(view, rhythm)]
    columns += [*_rhythm_columns(rhythm), *_pace_columns(rhythm)]
    return np.array(columns, np.float32).T


def run_relations(views: Views, rhythm: Rhythm) -> Array:
    """One row for each run of d + 1 shots from shot i on, float32 [shots, lengths, RUN_COLUMNS].

    Rows of runs that would reach beyond the last shot hold those of the longest that does not.
    """
    count = len(rhythm)
    lengths = min(MOST_SHOTS, count)
    start, steps = np.divmod(np.arange(count * lengths), lengths)
    stop = np.minimum(start + steps + 1, count)
    columns = _length_columns(start, stop, rhythm)
    columns += [column for view in views for column in _run_columns(view, start, stop)]
    columns += _seconds_columns(start, stop, rhythm)
    return np.array(columns, np.float32).T.reshape(count, lengths, -1)


def _cut_columns(view: Array | None, rhythm: Rhythm) -> list[Array]:
    """Similarity across the change and to either side of it, at several reaches."""
    count = len(rhythm)
    if view is None:
        return [np.full(count, np.nan)] * CUT_COLUMNS_OF_VIEW
    mean_of, cut = _block_means(view), np.arange(count)
    columns = []
    for window in WINDOWS:
        left, right = np.maximum(cut - window, 0), np.minimum(cut + window, count)
        across = mean_of(left, cut, cut, right)
        columns += [across, _highest_across(view, window, window)]
        if window > 1:
            before = _within(mean_of, left, cut)
            after = _within(mean_of, cut, right)
            columns += [(before + after) / 2 - across, np.minimum(before, after) - across]
    for reach in REACHES:
        columns += [_highest_across(view, reach, 1), _highest_across(view, 1, reach)]
    return columns + _fading_links(view, rhythm)


def _highest_across(view: Array, before: int, after: int) -> Array:
    """The most similar pair across each change: one of the shots before it, one after."""
    count = len(view)
    return np.array(
        [0.0]
        + [view[max(cut - before, 0) : cut, cut : cut + after].max() for cut in range(1, count)]
    )


def _fading_links(view: Array, rhythm: Rhythm) -> list[Array]:
    """How many pairs across each change show the same thing, near ones counting most."""
    middle = (rhythm.edges[1:] + rhythm.edges[:-1]) / 2 / rhythm.lengths.mean()
    strength = np.zeros((len(FADES), len(view)))
    for cut in range(1, len(view)):
        before, after = slice(max(cut - 40, 0), cut), slice(cut, cut + 40)
        first, second = np.nonzero(view[before, after] > LINKED)
        gap = middle[after][second] - middle[before][first]
        strength[:, cut] = [np.exp(-gap / fade).sum() for fade in FADES]
    return [*np.log1p(strength)]


def _rhythm_columns(rhythm: Rhythm) -> list[Array]:
    """Lengths of the shots around the change, its transition, the pace, and the film's ends."""
    count, lengths = len(rhythm), rhythm.lengths
    cut = np.arange(count)
    start = rhythm.edges[:-1] / lengths.mean()
    relative = np.log(lengths / np.median(lengths))
    slow = np.log1p(10 * rhythm.transitions)
    columns = [relative[np.clip(cut + step, 0, count - 1)] for step in (-3, -2, -1, 0, 1, 2)]
    columns += [slow[np.clip(cut + step, 0, count - 1)] for step in (0, -1, 1)]
    columns += [_pace(start, reach) for reach in (2.5, 6.0)]
    end = rhythm.edges[-1] / lengths.mean()
    return [*columns, np.minimum(start - start[0], 10) / 10, np.minimum(end - start, 10) / 10]


def _pace_columns(rhythm: Rhythm) -> list[Array]:
    if not rhythm.clock:
        return [np.full(len(rhythm), np.nan)] * 2
    return [_pace(rhythm.edges[:-1], seconds) for seconds in (15.0, 40.0)]


def _pace(start: Array, reach: float) -> Array:
    """Whether shots come faster before the change than after it, within a reach of time."""
    cut = np.arange(len(start))
    behind = cut - np.searchsorted(start, start - reach)
    ahead = np.searchsorted(start, start + reach) - cut
    pace: Array = np.log1p(behind) - np.log1p(ahead)
    return pace


def _length_columns(start: Array, stop: Array, rhythm: Rhythm) -> list[Array]:
    shots = np.log(stop - start)
    length = rhythm.edges[stop] - rhythm.edges[start]
    by_mean = np.log(length / rhythm.lengths.mean())
    by_median = np.log(length / np.median(rhythm.lengths))
    ends = [start == 0, stop == len(rhythm)]
    return [by_mean, by_mean**2 / 4, shots, shots**2 / 4, by_median, *ends]


def _seconds_columns(start: Array, stop: Array, rhythm: Rhythm) -> list[Array]:
    seconds = np.log(rhythm.edges[stop] - rhythm.edges[start])
    return [seconds, seconds**2 / 4] if rhythm.clock else [np.full(len(start), np.nan)] * 2


def _run_columns(view: Array | None, start: Array, stop: Array) -> list[Array]:
    """How a run of shots holds together, and how it differs from what is beside it."""
    if view is None:
        return [np.full(len(start), np.nan)] * RUN_COLUMNS_OF_VIEW
    mean_of, shots = _block_means(view), stop - start
    inside = _within(mean_of, start, stop)
    columns = [inside, (1 - inside) * shots / 10, (1 - inside) * np.sqrt(shots)]
    for side in SIDES:
        before, after = np.maximum(start - side, 0), np.minimum(stop + side, len(view))
        left = np.where(start > before, mean_of(before, start, start, stop), -1.0)
        right = np.where(after > stop, mean_of(start, stop, stop, after), -1.0)
        columns += [inside - left, inside - right]
    half = (start + stop) // 2
    columns.append(inside - np.where(shots > 1, mean_of(start, half, half, stop), 1.0))
    return columns + _closest_fellows(view, int(shots.max()))


def _closest_fellows(view: Array, lengths: int) -> list[Array]:
    """Over the shots of each run, the mean and the least of the similarity to the closest other."""
    count = len(view)
    mean, least = np.zeros((count, lengths)), np.zeros((count, lengths))
    for start in range(count):
        square = view[start : start + lengths, start : start + lengths].copy()
        np.fill_diagonal(square, -SAME)
        closest = np.maximum.accumulate(square, axis=1)
        size = len(square)
        mean[start, :size] = closest.cumsum(axis=0).diagonal() / np.arange(1, size + 1)
        least[start, :size] = np.minimum.accumulate(closest, axis=0).diagonal()
        mean[start, size:], least[start, size:] = mean[start, size - 1], least[start, size - 1]
    return [mean.ravel(), least.ravel()]


def _block_means(view: Array) -> Callable[..., Array]:
    """A function that gives the mean of view[a:b, c:d] for arrays of corners, 0 when empty."""
    sums = np.pad(view.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))

    def mean_of(a: Array, b: Array, c: Array, d: Array) -> Array:
        total = sums[b, d] - sums[a, d] - sums[b, c] + sums[a, c]
        mean: Array = total / np.maximum((b - a) * (d - c), 1)
        return mean

    return mean_of


def _within(mean_of: Callable[..., Array], start: Array, stop: Array) -> Array:
    """Mean similarity of different shots of a run; 1 for a run of one."""
    shots = stop - start
    total = mean_of(start, stop, start, stop) * shots**2 - SAME * shots
    within: Array = np.where(shots > 1, total / np.maximum(shots * (shots - 1), 1), 1.0)
    return within


CUT_COLUMNS_OF_VIEW = 4 * len(WINDOWS) - 2 + 2 * len(REACHES) + len(FADES)
RUN_COLUMNS_OF_VIEW = 3 + 2 * len(SIDES) + 1 + 2
RHYTHM_COLUMNS, LENGTH_COLUMNS, CLOCK_COLUMNS = 13, 7, 2
CUT_COLUMNS = 3 * CUT_COLUMNS_OF_VIEW + RHYTHM_COLUMNS + CLOCK_COLUMNS
RUN_COLUMNS = LENGTH_COLUMNS + 3 * RUN_COLUMNS_OF_VIEW + CLOCK_COLUMNS

TIMING_OF_CUTS = np.arange(3 * CUT_COLUMNS_OF_VIEW, CUT_COLUMNS)
TIMING_OF_RUNS = np.r_[0:LENGTH_COLUMNS, RUN_COLUMNS - CLOCK_COLUMNS : RUN_COLUMNS]
"""Columns that lengths, transitions and pace fill; similarities fill the others."""
