"""What can be said of a shot change, and of a run of shots, from similarities and timing alone.

These tables are the detector's whole input. Lengths are counted in mean shot lengths of the video,
so that a film played at another speed has the same tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from storyscope.core import Features, Shot
from storyscope.cues import find_cue
from storyscope.stories.similarity import SAME, Array, View, compare_shots, cues_of

LONGEST = 160
"""Stories of up to this many shots are scored, and longer ones where long ones are likely."""

WINDOWS = (1, 2, 3, 4, 6, 8, 12, 16, 24)
"""Shots on either side of a change that are compared."""
REACHES = (4, 12, 24)
"""Shots on one side of a change that are compared with the first one on the other."""
FADES = (2.0, 6.0, 15.0)
"""Number of mean shot lengths over which the weight of a link between two shots decays."""
LINK_REACH = 40
"""Shots on either side of a change that can be linked."""
LINKED = 1.5
"""Minimum similarity of two shots that are linked."""
OUTSIDE = 9.0
"""More than any similarity; less, with a minus."""
SIDES = (4, 12)
"""Shots before and after a run that it is compared with."""
AROUND = max(*WINDOWS, *REACHES, *SIDES, LINK_REACH)
"""Distance to either side of a change or a run beyond which shots do not matter."""
PART = 1024
"""Number of shots whose relations are computed at a time."""

CUT_COLUMNS = 4 * len(WINDOWS) - 2 + 2 * len(REACHES) + len(FADES)
RUN_COLUMNS = 3 + 2 * len(SIDES) + 1 + 2
CUT_TIMING, RUN_TIMING = 13, 7


@dataclass(frozen=True, eq=False)
class Rhythm:
    """Times of the shots and of the transitions between them."""

    edges: Array
    """Seconds; start of every shot, and the end of the last: [shots + 1]."""
    transitions: Array
    """Duration in seconds of the transition into each shot, 0 for a cut: [shots]."""

    @classmethod
    def of(cls, shots: Sequence[Shot]) -> Rhythm:
        """The rhythm of detected shots."""
        edges = [*(shot.span.start for shot in shots), shots[-1].span.end]
        seconds = [
            shot.transition.frame_count * shot.span.length / len(shot.frames) for shot in shots
        ]
        return cls(np.array(edges), np.array(seconds))

    def __len__(self) -> int:
        return len(self.transitions)

    def of_shots(self, shots: Array) -> Rhythm:
        """The rhythm of some of the shots, in the order given by their numbers."""
        edges = np.append(0.0, np.diff(self.edges)[shots].cumsum())
        return Rhythm(edges, np.append(0.0, self.transitions[shots[1:]]))

    @property
    def minutes(self) -> float:
        """Duration of the video."""
        return float(self.lengths.sum()) / 60

    @property
    def lengths(self) -> Array:
        """Durations of the shots in seconds, [shots]."""
        return np.maximum(np.diff(self.edges), 1e-3)


@dataclass(frozen=True, eq=False)
class Relations:
    """All that the detector knows of a video; every table is float32."""

    rhythm: Rhythm
    cuts: Mapping[str, Array]
    """For each view, [shots, CUT_COLUMNS]: of the change into each shot; row 0 is no change."""
    runs: Mapping[str, Array]
    """For each view, [shots, lengths, RUN_COLUMNS]: of the run of d + 1 shots from shot i on.

    Rows of runs that would reach beyond the last shot hold those of the longest that does not.
    """
    cut_timing: Array
    """[shots, CUT_TIMING]."""
    run_timing: Array
    """[shots, lengths, RUN_TIMING]."""
    boundary_odds: Mapping[str, Array] = field(default_factory=dict)
    """For each boundary cue, [shots]: log-odds that a story begins with the shot, 0 on average."""


def relate(features: Sequence[Features], rhythm: Rhythm, longest: int = LONGEST) -> Relations:
    """Compare the shots by every cue, and each change and run with what is around it."""
    count = len(rhythm)
    lengths = min(longest, count)
    cues = cues_of(features)
    boundary = {cue: cues.pop(cue) for cue in [*cues] if find_cue(cue).view == "boundary"}
    tables = {name: _tables(view, rhythm, lengths) for name, view in compare_shots(cues).items()}
    return Relations(
        rhythm,
        {name: cuts for name, (cuts, _) in tables.items()},
        {name: runs for name, (_, runs) in tables.items()},
        np.array(_cut_timing(rhythm), np.float32).T,
        _by_run(_run_timing(*_runs(range(count), lengths, count), rhythm), lengths),
        {cue: _log_odds(rows, find_cue(cue).vote) for cue, rows in boundary.items()},
    )


def _tables(view: View, rhythm: Rhythm, lengths: int) -> tuple[Array, Array]:
    """Relations of every change and every run by one view, computed for a part of the film at a
    time.

    No relation depends on shots further away than AROUND and the longest run, so memory grows with
    the length of a film and not with its square.
    """
    count = len(rhythm)
    middle = (rhythm.edges[1:] + rhythm.edges[:-1]) / 2 / rhythm.lengths.mean()
    cuts, runs = [], []
    for first in range(0, count, PART):
        end = min(first + PART, count)
        low, high = max(first - AROUND, 0), min(end + max(lengths, AROUND) + AROUND, count)
        scores, here = view.among(range(low, high)), slice(first - low, end - low)
        cuts.append(np.array(_cut_columns(scores, middle[low:high]), np.float32).T[here])
        start, stop = _runs(range(first - low, end - low), lengths, high - low)
        closest = (each[here].ravel() for each in _closest_in_run(scores, lengths))
        runs.append(_by_run([*_run_columns(scores, start, stop), *closest], lengths))
    return np.concatenate(cuts), np.concatenate(runs)


def _runs(starts: range, lengths: int, count: int) -> tuple[Array, Array]:
    """First and end shot of the runs of 1 to `lengths` shots from each of `starts` on."""
    start, steps = np.divmod(np.arange(len(starts) * lengths), lengths)
    start += starts.start
    return start, np.minimum(start + steps + 1, count)


def _by_run(columns: Sequence[Array], lengths: int) -> Array:
    table: Array = np.array(columns, np.float32).T.reshape(-1, lengths, len(columns))
    return table


def _log_odds(features: Sequence[Features], slope: float) -> Array:
    """Log-odds of a boundary from numbers of each change: `slope` per standard deviation."""
    rows = np.hstack([np.asarray(each.vectors, np.float64) for each in features])[1:].mean(axis=1)
    if not len(rows) or np.ptp(rows) < 1e-9:
        return np.zeros(len(rows) + 1)
    odds: Array = np.append(0.0, slope * (rows - rows.mean()) / rows.std())
    return odds


def _cut_columns(view: Array, middle: Array) -> list[Array]:
    """Similarity across each change and to either side of it, for several window sizes.

    `middle` is the time of the middle of each shot, in mean shot lengths.
    """
    count = len(view)
    sum_of, cut = _block_sums(view), np.arange(count)
    highest = _highest_across(view, max(*WINDOWS, *REACHES))
    columns = []
    for window in WINDOWS:
        left, right = np.maximum(cut - window, 0), np.minimum(cut + window, count)
        across = _mean(sum_of, left, cut, cut, right)
        columns += [across, highest[:, window - 1, window - 1]]
        if window > 1:
            before, after = _cohesion(sum_of, left, cut), _cohesion(sum_of, cut, right)
            columns += [(before + after) / 2 - across, np.minimum(before, after) - across]
    for reach in REACHES:
        columns += [highest[:, reach - 1, 0], highest[:, 0, reach - 1]]
    gaps = np.abs(middle[:, None] - middle)
    left, right = np.maximum(cut - LINK_REACH, 0), np.minimum(cut + LINK_REACH, count)
    for fade in FADES:
        links = _block_sums(np.where(view > LINKED, np.exp(-gaps / fade), 0.0))
        columns.append(np.log1p(np.maximum(links(left, cut, cut, right), 0.0)))
    return columns


def _highest_across(view: Array, reach: int) -> Array:
    """The most similar pair across each change, [shots, reach, reach].

    Entry (cut, i, j) is over the i + 1 shots before the change and the j + 1 after it.
    """
    count = len(view)
    before = np.arange(count)[:, None] - 1 - np.arange(reach)
    after = np.arange(count)[:, None] + np.arange(reach)
    pairs = view[np.maximum(before, 0)[:, :, None], np.minimum(after, count - 1)[:, None, :]]
    inside = (before >= 0)[:, :, None] & (after < count)[:, None, :]
    pairs = np.where(inside, pairs, -OUTSIDE)
    highest: Array = np.maximum.accumulate(np.maximum.accumulate(pairs, axis=1), axis=2)
    highest[0] = 0.0
    return highest


def _cut_timing(rhythm: Rhythm) -> list[Array]:
    """Lengths of the shots around the change, its transition, cutting rate, and distance to the
    video's ends."""
    count, lengths = len(rhythm), rhythm.lengths
    cut = np.arange(count)
    start = rhythm.edges[:-1] / lengths.mean()
    end = rhythm.edges[-1] / lengths.mean()
    relative = np.log(lengths / np.median(lengths))
    slow = np.log1p(10 * rhythm.transitions)
    columns = [relative[np.clip(cut + step, 0, count - 1)] for step in (-3, -2, -1, 0, 1, 2)]
    columns += [slow[np.clip(cut + step, 0, count - 1)] for step in (0, -1, 1)]
    for reach in (2.5, 6.0):
        behind = cut - np.searchsorted(start, start - reach)
        ahead = np.searchsorted(start, start + reach) - cut
        columns.append(np.log1p(behind) - np.log1p(ahead))
    return [*columns, np.minimum(start - start[0], 10) / 10, np.minimum(end - start, 10) / 10]


def _run_timing(start: Array, stop: Array, rhythm: Rhythm) -> list[Array]:
    """Length of the run, in shots and relative to the shot lengths, and whether it is at an end of
    the video."""
    shots = np.log(stop - start)
    length = rhythm.edges[stop] - rhythm.edges[start]
    by_mean = np.log(length / rhythm.lengths.mean())
    by_median = np.log(length / np.median(rhythm.lengths))
    ends = [start == 0, stop == len(rhythm)]
    return [by_mean, by_mean**2 / 4, shots, shots**2 / 4, by_median, *ends]


def _run_columns(view: Array, start: Array, stop: Array) -> list[Array]:
    """Cohesion of a run of shots, and its difference from the similarity to what is around it."""
    sum_of, shots = _block_sums(view), stop - start
    inside = _cohesion(sum_of, start, stop)
    columns = [inside, (1 - inside) * shots / 10, (1 - inside) * np.sqrt(shots)]
    for side in SIDES:
        before, after = np.maximum(start - side, 0), np.minimum(stop + side, len(view))
        left = np.where(start > before, _mean(sum_of, before, start, start, stop), -1.0)
        right = np.where(after > stop, _mean(sum_of, start, stop, stop, after), -1.0)
        columns += [inside - left, inside - right]
    half = (start + stop) // 2
    columns.append(inside - np.where(shots > 1, _mean(sum_of, start, half, half, stop), 1.0))
    return columns


def _closest_in_run(view: Array, lengths: int) -> list[Array]:
    """Over the shots of each run, the mean and the minimum of the similarity to the closest other.

    Runs grow to the left: closest[k, c] is that of shot k in the run from `start` to shot c, and
    the shot that is added can only raise it. Cells of no run hold OUTSIDE. Both are
    [shots, lengths].
    """
    count = len(view)
    view = view.astype(np.float32)
    closest = np.full((count, count), OUTSIDE, np.float32)
    mean, least = np.zeros((2, count, lengths), np.float32)
    for start in range(count - 1, -1, -1):
        stop = min(start + lengths, count)
        size = stop - start
        window = closest[start:stop, start:stop]
        np.maximum(window[1:], view[start + 1 : stop, start, None], out=window[1:])
        row = view[start, start:stop].copy()
        row[0] = -SAME
        np.maximum.accumulate(row, out=window[0])
        outside = OUTSIDE * np.arange(size - 1, -1, -1)
        mean[start, :size] = (window.sum(axis=0) - outside) / np.arange(1, size + 1)
        least[start, :size] = window.min(axis=0)
        mean[start, size:], least[start, size:] = mean[start, size - 1], least[start, size - 1]
    return [mean, least]


BlockSum = Callable[[Array, Array, Array, Array], Array]


def _block_sums(table: Array) -> BlockSum:
    """A function that gives the sum of table[a:b, c:d] for arrays of corners."""
    sums = np.pad(table.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))

    def sum_of(a: Array, b: Array, c: Array, d: Array) -> Array:
        total: Array = sums[b, d] - sums[a, d] - sums[b, c] + sums[a, c]
        return total

    return sum_of


def _mean(sum_of: BlockSum, a: Array, b: Array, c: Array, d: Array) -> Array:
    """Mean of a block, 0 if it is empty."""
    mean: Array = sum_of(a, b, c, d) / np.maximum((b - a) * (d - c), 1)
    return mean


def _cohesion(sum_of: BlockSum, start: Array, stop: Array) -> Array:
    """Mean similarity of different shots of a run; 1 for a run of one."""
    shots = stop - start
    total = sum_of(start, stop, start, stop) - SAME * shots
    cohesion: Array = np.where(shots > 1, total / np.maximum(shots * (shots - 1), 1), 1.0)
    return cohesion
