"""Find the segmentation with the highest expected mean IoU.

The most probable segmentation is seldom the best answer. Mean IoU of the stories A with the true
stories B is

    1/2 (1/|A| sum_a max_b IoU(a, b) + 1/|B| sum_b max_a IoU(a, b)).

Take for max_b the story of B that contains the middle of a, and for max_a the story of A that
contains the middle of b (the same one whenever the IoU exceeds a half or so, and never better):
then both sums are over pairs, their expectations follow from the probability of every story alone,
and the best A is found by dynamic programming over the likely boundaries. The mean over |A| is a
ratio; Dinkelbach's iteration makes it a sum. It can stop at a local maximum, so it starts from
several numbers of stories.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from storyscope.stories.posterior import Posterior
from storyscope.stories.similarity import Array

LIKELY_CHANGE = 0.05
"""Minimum probability of a shot change to be considered as a boundary."""

LIKELY_STORY = 5e-4
"""Minimum probability of a story to count in expectations."""

FIRST_GUESSES = (0.5, 0.7, 1.0, 1.4, 2.0)
"""Initial numbers of stories, relative to the expected number."""


def best_segmentation(found: Posterior, edges: Array) -> tuple[int, ...]:
    """First shots of the stories with the highest expected mean IoU.

    `edges` are the times of the shots, [shots + 1], in any unit.
    """
    own, others, places = expected_overlaps(found, edges)
    paths = {
        tuple(path)
        for share in FIRST_GUESSES
        for path in _improving(own, others, share * found.expected_count)
    }

    def agreement(path: tuple[int, ...]) -> float:
        starts, stops = path[:-1], path[1:]
        return float(own[starts, stops].mean() + others[starts, stops].sum())

    best = max(sorted(paths), key=agreement)
    return tuple(int(place) for place in places[list(best[:-1])])


def _improving(own: Array, others: Array, count: float) -> Iterator[Array]:
    """Paths that are each optimal for the count and mean of the one before."""
    mean = 0.5
    for _ in range(12):
        path = _heaviest_path((own - mean) / count + others)
        yield path
        found = own[path[:-1], path[1:]].mean()
        if len(path) - 1 == count and abs(found - mean) < 1e-9:
            return
        count, mean = len(path) - 1, found


def expected_overlaps(found: Posterior, edges: Array) -> tuple[Array, Array, Array]:
    """What the story between each pair of likely boundaries is expected to add.

    Returns E IoU with the true story around its middle, E sum over the true stories around whose
    middle it lies of IoU / their number, both [places, places] and minus infinity where no story
    can be, and the places themselves (shot numbers, the first and the end among them).
    """
    shots = len(found.stories)
    likely = found.begins > LIKELY_CHANGE
    likely[0] = True
    places = np.append(np.flatnonzero(likely), shots)
    first, step = np.nonzero(found.stories > LIKELY_STORY)
    # A story twice as long as any likely one overlaps less than half of every true story.
    longest = 2 * int(step.max(initial=0) + 1)
    # Seconds of a long film in single precision are exact to a millisecond.
    edges = (edges - edges[0]).astype(np.float32)
    probability = found.stories[first, step].astype(np.float32)
    true_start, true_stop = edges[first], edges[first + step + 1]
    true_middle = (true_start + true_stop) / 2
    own = np.full((len(places), len(places)), -np.inf)
    others = own.copy()
    for row, place in enumerate(places[:-1]):
        last = max(np.searchsorted(places, place + longest, side="right"), row + 2)
        ends = np.arange(row + 1, last)
        start, stop = edges[place], edges[places[ends]][:, None]
        near = (true_stop > start) & (true_start < stop[-1, 0])
        begin, end, middle = true_start[near], true_stop[near], true_middle[near]
        shared = np.maximum(np.minimum(stop, end) - np.maximum(start, begin), 0.0)
        overlap = probability[near] * shared / (stop - start + end - begin - shared)
        my_middle = (start + stop) / 2
        own[row, ends] = (overlap * ((begin <= my_middle) & (my_middle < end))).sum(axis=1)
        others[row, ends] = (overlap * ((start <= middle) & (middle < stop))).sum(axis=1)
    return own, others / found.expected_count, places


def _heaviest_path(gains: Array) -> Array:
    """Positions from first to last with the largest sum of gains.

    best[j] = max over i < j of best[i] + gains[i, j]
    """
    count = len(gains)
    best, came_from = np.zeros(count), np.zeros(count, int)
    for stop in range(1, count):
        totals = best[:stop] + gains[:stop, stop]
        came_from[stop] = totals.argmax()
        best[stop] = totals[came_from[stop]]
    path = [count - 1]
    while path[-1]:
        path.append(came_from[path[-1]])
    return np.array(path[::-1])
