"""What can be said of a change of shot, and of a run of shots, from similarities and timing alone.

These tables are the detector's whole input. Lengths count in shots of this video's usual length,
so a news item and a feature film look the same here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from storyscope.core import Features, Shot
from storyscope.cues import find_cue
from storyscope.stories.similarity import SAME, Array, View, cues_of, look

LONGEST = 240
"""Stories of up to this many shots are scored, and longer ones where long ones are likely."""

WINDOWS = (1, 2, 3, 4, 6, 8, 12, 16, 24)
"""Shots on either side of a change that are compared."""
REACHES = (4, 12, 24)
"""Shots on one side of a change that are compared with the first one on the other."""
FADES = (2.0, 6.0, 15.0)
"""Over how many usual shot lengths a link between two shots fades."""
LINK_REACH = 40
"""Shots on either side of a change that can be linked."""
LINKED = 1.5
"""Two shots this similar show the same thing."""
OUTSIDE = 9.0
"""More than any similarity; less, with a minus."""
SIDES = (4, 12)
"""Shots before and after a run that it is compared with."""
AROUND = max(*WINDOWS, *REACHES, *SIDES, LINK_REACH)
"""How far to either side of a change or a run anything is looked at."""
PART = 1024
"""Shots whose relations are worked out at a time."""


@dataclass(frozen=True, eq=False)
class Rhythm:
    """When the shots are, and how they give way to each other."""

    edges: Array
    """Seconds; start of every shot, and the end of the last: [shots + 1]."""
    transitions: Array
    """Seconds that the transition into each shot takes, 0 for a cut: [shots]."""

    @classmethod
    def of(cls, shots: Sequence[Shot]) -> Rhythm:
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
        return float(self.lengths.sum()) / 60

    @property
    def lengths(self) -> Array:
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
    evidence: Mapping[str, Array] = field(default_factory=dict)
    """For each boundary cue, [shots]: log-odds that a story begins with the shot, 0 on average."""


def relate(features: Sequence[Features], rhythm: Rhythm, longest: int = LONGEST) -> Relations:
    """Compare the shots by every cue, and each change and run with what is around it."""
    count = len(rhythm)
    lengths = min(longest, count)
    cues = cues_of(features)
    evidence = {cue: cues.pop(cue) for cue in [*cues] if find_cue(cue).view == "boundary"}
    tables = {name: _tables(view, rhythm, lengths) for name, view in look(cues).items()}
    return Relations(
        rhythm,
        {name: cuts for name, (cuts, _) in tables.items()},
        {name: runs for name, (_, runs) in tables.items()},
        np.array(_cut_timing(rhythm), np.float32).T,
        _by_run(_run_timing(*_runs(range(count), lengths, count), rhythm), lengths),
        {cue: _log_odds(rows, find_cue(cue).vote) for cue, rows in evidence.items()},
    )


def _tables(view: View, rhythm: Rhythm, lengths: int) -> tuple[Array, Array]:
    """What one view says of every change and every run, a part of the film at a time.

    Nothing that is said of a shot depends on shots further away than AROUND and the longest run,
    so memory grows with the length of a film and not with its square.
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
        fellows = (each[here].ravel() for each in _closest_fellows(scores, lengths))
        runs.append(_by_run([*_run_columns(scores, start, stop), *fellows], lengths))
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
    """Numbers of the change into each shot as log-odds, by how they stand out in the video."""
    rows = np.hstack([np.asarray(each.vectors, np.float64) for each in features])[1:].mean(axis=1)
    if not len(rows) or np.ptp(rows) < 1e-9:
        return np.zeros(len(rows) + 1)
    odds: Array = np.append(0.0, slope * (rows - rows.mean()) / rows.std())
    return odds


def _cut_columns(view: Array, middle: Array) -> list[Array]:
    """Similarity across each change and to either side of it, at several reaches.

    `middle` says when the middle of each shot is, in usual shot lengths.
    """
    count = len(view)
    mean_of, cut = _block_means(view), np.arange(count)
    highest = _highest_across(view, max(*WINDOWS, *REACHES))
    columns = []
    for window in WINDOWS:
        left, right = np.maximum(cut - window, 0), np.minimum(cut + window, count)
        across = mean_of(left, cut, cut, right)
        columns += [across, highest[:, window - 1, window - 1]]
        if window > 1:
            before = _within(mean_of, left, cut)
            after = _within(mean_of, cut, right)
            columns += [(before + after) / 2 - across, np.minimum(before, after) - across]
    for reach in REACHES:
        columns += [highest[:, reach - 1, 0], highest[:, 0, reach - 1]]
    return columns + _fading_links(view, middle)


def _highest_across(view: Array, reach: int) -> Array:
    """The most similar pair across each change, [shots, reach, reach].

    Entry (cut, i, j) looks at the i + 1 shots before the change and the j + 1 after it.
    """
    count = len(view)
    before = np.arange(count)[:, None] - 1 - np.arange(reach)
    after = np.arange(count)[:, None] + np.arange(reach)
    pairs = view[np.maximum(before, 0)[:, :, None], np.minimum(after, count - 1)[:, None, :]]
    there = (before >= 0)[:, :, None] & (after < count)[:, None, :]
    pairs = np.where(there, pairs, -OUTSIDE)
    highest: Array = np.maximum.accumulate(np.maximum.accumulate(pairs, axis=1), axis=2)
    highest[0] = 0.0
    return highest


def _fading_links(view: Array, middle: Array) -> list[Array]:
    """How many pairs across each change show the same thing, near ones counting most."""
    strength = np.zeros((len(FADES), len(view)))
    for cut in range(1, len(view)):
        before, after = slice(max(cut - LINK_REACH, 0), cut), slice(cut, cut + LINK_REACH)
        first, second = np.nonzero(view[before, after] > LINKED)
        gap = middle[after][second] - middle[before][first]
        strength[:, cut] = [np.exp(-gap / fade).sum() for fade in FADES]
    return [*np.log1p(strength)]


def _cut_timing(rhythm: Rhythm) -> list[Array]:
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


def _pace(start: Array, reach: float) -> Array:
    """Whether shots come faster before the change than after it, within a reach of time."""
    cut = np.arange(len(start))
    behind = cut - np.searchsorted(start, start - reach)
    ahead = np.searchsorted(start, start + reach) - cut
    pace: Array = np.log1p(behind) - np.log1p(ahead)
    return pace


def _run_timing(start: Array, stop: Array, rhythm: Rhythm) -> list[Array]:
    """Length of the run, in shots and in usual shot lengths, and whether the film ends with it."""
    shots = np.log(stop - start)
    length = rhythm.edges[stop] - rhythm.edges[start]
    by_mean = np.log(length / rhythm.lengths.mean())
    by_median = np.log(length / np.median(rhythm.lengths))
    ends = [start == 0, stop == len(rhythm)]
    return [by_mean, by_mean**2 / 4, shots, shots**2 / 4, by_median, *ends]


def _run_columns(view: Array, start: Array, stop: Array) -> list[Array]:
    """How a run of shots holds together, and how it differs from what is beside it."""
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
    return columns


def _closest_fellows(view: Array, lengths: int) -> list[Array]:
    """Over the shots of each run, the mean and the least of the similarity to the closest other.

    Runs grow to the left: closest[k, c] is that of shot k in the run from `start` to shot c, and
    the shot that is added can only bring it up. Cells of no run hold OUTSIDE. Both are
    [shots, lengths].
    """
    count = len(view)
    likenesses = view.astype(np.float32)
    closest = np.full((count, count), OUTSIDE, np.float32)
    mean, least = np.zeros((2, count, lengths), np.float32)
    for start in range(count - 1, -1, -1):
        stop = min(start + lengths, count)
        size = stop - start
        window = closest[start:stop, start:stop]
        np.maximum(window[1:], likenesses[start + 1 : stop, start, None], out=window[1:])
        row = likenesses[start, start:stop].copy()
        row[0] = -SAME
        np.maximum.accumulate(row, out=window[0])
        outside = OUTSIDE * np.arange(size - 1, -1, -1)
        mean[start, :size] = (window.sum(axis=0) - outside) / np.arange(1, size + 1)
        least[start, :size] = window.min(axis=0)
        mean[start, size:], least[start, size:] = mean[start, size - 1], least[start, size - 1]
    return [mean, least]


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


CUT_COLUMNS = 4 * len(WINDOWS) - 2 + 2 * len(REACHES) + len(FADES)
RUN_COLUMNS = 3 + 2 * len(SIDES) + 1 + 2
CUT_TIMING, RUN_TIMING = 13, 7
