"""The exact search: a dynamic program over (stories so far, cut, claimed stories).

From left to right, an annotated story matters from its start to its end. At a cut, at most one
story of each annotator is on both sides: one bit per annotator tells whether a story of the path
has already claimed it. States that cannot be completed to a better segmentation than the best known
are dropped, using the prices of the relaxation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from storyscope.evaluate.agreement.claims import claims_of
from storyscope.evaluate.agreement.relaxation import TOLERANCE, Relaxation


class OutOfTime(Exception):
    """The time limit was reached before the search was over."""


def best_segmentation(
    relaxation: Relaxation,
    *,
    floor: float,
    width: int | None = None,
    out_of_time: Callable[[], bool] = lambda: False,
) -> list[int] | None:
    """Starts of the best segmentation into `relaxation.count` stories, if its J is above `floor`.

    None when there is none. With a `width`, only that many states are kept at a cut: what is
    found need not be the best, and nothing follows from None.
    """
    search = _Search(relaxation, floor, width)
    for head in range(1, len(relaxation.graph.positions)):
        if out_of_time():
            raise OutOfTime
        search.arrive(head)
    return search.best_starts()


class _States(NamedTuple):
    """Partial segmentations that end at a cut."""

    counts: np.ndarray
    """Stories so far."""
    masks: np.ndarray
    """One bit for each annotator: the story on both sides of the cut is claimed."""
    values: np.ndarray
    """J so far."""
    tails: np.ndarray
    """The cut at which the last story so far begins."""
    origins: np.ndarray
    """Which of the states at that cut this one continues."""

    def where(self, keep: np.ndarray) -> _States:
        return _States(*(part[keep] for part in self))


class _Search:
    def __init__(self, relaxation: Relaxation, floor: float, width: int | None) -> None:
        self.graph = relaxation.graph
        self.count = relaxation.count
        self.floor = floor
        self.width = width
        self.claims = claims_of(self.graph)
        self.rest = _longest_rest(relaxation)
        self.straddling_prices = np.where(
            self.claims.future > 0, relaxation.prices[self.claims.straddling], 0.0
        )
        self.later_prices = _sum_from(
            relaxation.prices, self.graph.stories.starts, self.graph.positions
        )
        none = np.zeros(1, dtype=np.int64)
        self.table = {0: _States(none, none, np.zeros(1), none, none)}

    def arrive(self, head: int) -> None:
        """Extend the states of all cuts before by one story that ends at `head`."""
        first, end = self.graph.incoming[head : head + 2]
        arrivals = [
            self._extend(edge, head)
            for edge in range(first, end)
            if int(self.graph.tails[edge]) in self.table
        ]
        if arrivals:
            states = self._thin(_merge(_joined(arrivals)), head)
            if len(states.values):
                self.table[head] = states

    def best_starts(self) -> list[int] | None:
        """The best complete segmentation, walked back from the end."""
        head = len(self.graph.positions) - 1
        if head not in self.table:
            return None
        state, starts = int(self.table[head].values.argmax()), []
        while head:
            states = self.table[head]
            head, state = int(states.tails[state]), int(states.origins[state])
            starts.append(int(self.graph.positions[head]))
        return starts[::-1]

    def _extend(self, edge: int, head: int) -> _States:
        """Append one edge to every state of its tail, once for each choice of claims."""
        claims, tail = self.claims, int(self.graph.tails[edge])
        before = self.table[tail]
        values = before.values + (self.graph.likeness[edge] / self.count + claims.certain[edge])
        for annotator in np.flatnonzero(claims.closing[edge]).tolist():
            free = (before.masks >> annotator) & 1 == 0
            values = values + claims.closing[edge, annotator] * free
        carried = sum(1 << annotator for annotator in np.flatnonzero(claims.carried[edge]).tolist())
        states = _States(
            before.counts + 1,
            before.masks & carried,
            values,
            np.full(len(values), tail),
            np.arange(len(values)),
        )
        opening, future = claims.opening[edge], claims.future[head]
        states = self._promising(states, head, np.maximum(opening, self.straddling_prices[head]))
        for annotator in np.flatnonzero(opening).tolist():
            states = _claim(states, 1 << annotator, opening[annotator], future[annotator])
        return self._promising(states, head, self.straddling_prices[head])

    def _promising(self, states: _States, head: int, free_gains: np.ndarray) -> _States:
        kept = states.where(states.counts <= self.count)
        return kept.where(self._upper_bound(kept, head, free_gains) > self.floor + TOLERANCE)

    def _upper_bound(self, states: _States, head: int, free_gains: np.ndarray) -> np.ndarray:
        """The most that a completion of each state can reach.

        `free_gains` is what the story on both sides of the cut brings at most while no one has
        claimed it, annotator by annotator.
        """
        bound = states.values + self.rest[head, self.count - states.counts]
        bound = bound + self.later_prices[head]
        for annotator in np.flatnonzero(free_gains).tolist():
            free = (states.masks >> annotator) & 1 == 0
            bound = bound + free_gains[annotator] * free
        return np.asarray(bound)

    def _thin(self, states: _States, head: int) -> _States:
        if self.width is None or len(states.values) <= self.width:
            return states
        bound = self._upper_bound(states, head, self.straddling_prices[head])
        return states.where(np.argsort(-bound, kind="stable")[: self.width])


def _claim(states: _States, bit: int, gain: float, future: float) -> _States:
    """Claim the story that continues now, later, or try both if either may be better."""
    claimed = (states.masks & bit) != 0
    gained = states.values + np.where(claimed, 0.0, gain)
    if future <= 0:
        return states._replace(values=gained, masks=states.masks & ~bit)
    now = states._replace(values=gained, masks=states.masks | bit)
    return now if gain >= future else _joined([now, states.where(~claimed)])


def _joined(parts: Sequence[_States]) -> _States:
    return _States(*map(np.concatenate, zip(*parts, strict=True)))


def _merge(states: _States) -> _States:
    """Of states with the same count and claims, keep the best."""
    order = np.lexsort((-states.values, states.masks, states.counts))
    counts, masks = states.counts[order], states.masks[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (counts[1:] != counts[:-1]) | (masks[1:] != masks[:-1])
    return states.where(order[new])


def _longest_rest(relaxation: Relaxation) -> np.ndarray:
    """[position, r]: weight of the longest path of exactly r edges from there to the end."""
    graph, count = relaxation.graph, relaxation.count
    weights = (relaxation.weights + relaxation.toll)[graph.by_tail]
    heads = graph.heads[graph.by_tail]
    rest = np.full((len(graph.positions), count + 1), -np.inf)
    rest[-1, 0] = 0.0
    first = graph.outgoing.tolist()
    for position in range(len(graph.positions) - 2, -1, -1):
        low, high = first[position], first[position + 1]
        if low < high:
            rest[position, 1:] = (rest[heads[low:high], :-1] + weights[low:high, None]).max(axis=0)
    return rest


def _sum_from(prices: np.ndarray, starts: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Of each position: the prices of the stories that begin there or later."""
    order = np.argsort(starts, kind="stable")
    sums = np.concatenate([np.cumsum(prices[order][::-1])[::-1], [0.0]])
    return np.asarray(sums[np.searchsorted(starts[order], positions)])
