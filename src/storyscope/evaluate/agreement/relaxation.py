"""Upper bounds on agreement, from a longest path with relaxed claims.

For a segmentation A into l stories, agreement is

    J(A) = 1/l sum over a of likeness(a)  +  sum over s of weight(s) max over a of IoU(a, s)

over its stories a and the annotated stories s. The second sum is the best way to let each s be
claimed by one a. Let every a claim s that wants to, at a price p(s) from 0 to weight(s), and let
every story pay a toll t; then

    J(A) <= sum of p  +  l t  +  longest path of  likeness / l - t + sum of (gain - p) where > 0

whatever the prices and the toll. Subgradient steps lower the right side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from storyscope.evaluate.agreement.graph import StoryGraph

TOLL_SCALE = 0.3
"""The toll enters once for every story, a price once: steps in it are shorter."""
TOLL_TRIALS = 6
"""Number of tolls tried before prices are changed."""
SLOWEST_PACE = 1 / 16
"""Steps this much shorter than at first gain nothing more."""
TOLERANCE = 1e-10
"""Agreements closer than this (in J) count as equal."""


@dataclass(frozen=True, eq=False)
class Relaxation:
    """Bounds on the segmentations into `count` stories."""

    graph: StoryGraph
    count: int
    prices: np.ndarray
    toll: float
    bound: float
    """Upper bound on the J of any such segmentation."""

    @property
    def constant(self) -> float:
        """All prices, and the tolls to be paid back."""
        return float(self.prices.sum()) + self.toll * self.count

    @property
    def weights(self) -> np.ndarray:
        """Maximum contribution of each edge after prices and toll."""
        graph = self.graph
        surplus = np.maximum(graph.pair_gains - self.prices[graph.pair_stories], 0)
        claims = np.bincount(graph.pair_edges, surplus, minlength=len(graph.tails))
        return np.asarray(graph.likeness / self.count + claims - self.toll)


def tighten(
    relaxation: Relaxation, *, visit: Callable[[list[int]], float], steps: int
) -> Relaxation:
    """Lower the bound by subgradient steps, until no segmentation can beat the best known.

    `visit` is called with the story starts of every path found on the way, and returns the J of
    the best known segmentation.
    """
    if not len(relaxation.graph.tails):
        return relaxation
    best = current = _with_fitting_toll(relaxation, visit)
    pace, idle = 1.0, 0
    for _ in range(steps):
        reach, via = longest_to(current.graph, current.weights)
        edges = _walk_back(current.graph, via)
        bound = float(reach[-1]) + current.constant
        floor = visit(path_starts(current.graph, edges))
        idle = 0 if bound < best.bound - 0.02 * (best.bound - floor) else idle + 1
        if bound < best.bound:
            best = replace(current, bound=bound)
        if best.bound <= floor + TOLERANCE or pace < SLOWEST_PACE:
            break
        if idle == 3:
            pace, idle, current = pace / 2, 0, best
        else:
            current = _step(current, edges, pace * (bound - floor))
    return best


def prune(relaxation: Relaxation, floor: float) -> Relaxation:
    """Drop every edge that no segmentation better than `floor` can use."""
    edges = promising_edges(relaxation, floor)
    bound = relaxation.bound if len(edges) else -np.inf
    return replace(relaxation, graph=relaxation.graph.keeping(edges), bound=bound)


def promising_edges(relaxation: Relaxation, floor: float) -> np.ndarray:
    """The edges that a segmentation better than `floor` may use."""
    graph, weights = relaxation.graph, relaxation.weights
    reach, _ = longest_to(graph, weights)
    rest = longest_from(graph, weights)
    through = reach[graph.tails] + weights + rest[graph.heads] + relaxation.constant
    return np.flatnonzero(through > floor + TOLERANCE)


def longest_to(graph: StoryGraph, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weight of the longest path to each position, and the last edge of it."""
    reach = np.full(len(graph.positions), -np.inf)
    reach[0] = 0.0
    via = np.zeros(len(graph.positions), dtype=int)
    first = graph.incoming.tolist()
    for position in range(1, len(graph.positions)):
        low, high = first[position], first[position + 1]
        if low < high:
            through = reach[graph.tails[low:high]] + weights[low:high]
            edge = int(through.argmax())
            via[position] = low + edge
            reach[position] = through[edge]
    return reach, via


def longest_from(graph: StoryGraph, weights: np.ndarray) -> np.ndarray:
    """Weight of the longest path from each position to the end."""
    rest = np.full(len(graph.positions), -np.inf)
    rest[-1] = 0.0
    first = graph.outgoing.tolist()
    heads, weights = graph.heads[graph.by_tail], weights[graph.by_tail]
    for position in range(len(graph.positions) - 2, -1, -1):
        low, high = first[position], first[position + 1]
        if low < high:
            rest[position] = (rest[heads[low:high]] + weights[low:high]).max()
    return rest


def path_starts(graph: StoryGraph, edges: list[int]) -> list[int]:
    """The starts of the stories along a path."""
    return [int(position) for position in graph.positions[graph.tails[edges]]]


def _walk_back(graph: StoryGraph, via: np.ndarray) -> list[int]:
    edges, position = [], len(graph.positions) - 1
    while position:
        edges.append(int(via[position]))
        position = int(graph.tails[edges[-1]])
    return edges[::-1]


def _with_fitting_toll(relaxation: Relaxation, visit: Callable[[list[int]], float]) -> Relaxation:
    """Raise the toll while the longest path has too many stories, lower it while too few.

    The number of stories on the longest path falls as the toll rises: once two tolls are on
    either side, halve the way between them.
    """
    graph, best = relaxation.graph, relaxation
    untolled = relaxation.weights + relaxation.toll
    toll, step = relaxation.toll, 0.1 / relaxation.count
    too_low, too_high = -np.inf, np.inf
    for _ in range(TOLL_TRIALS):
        reach, via = longest_to(graph, untolled - toll)
        edges = _walk_back(graph, via)
        tried = replace(relaxation, toll=toll)
        bound = float(reach[-1]) + tried.constant
        if bound < best.bound:
            best = replace(tried, bound=bound)
        floor = visit(path_starts(graph, edges))
        if len(edges) == relaxation.count or best.bound <= floor + TOLERANCE:
            break
        if len(edges) > relaxation.count:
            too_low = toll
        else:
            too_high = toll
        if np.isfinite(too_high - too_low):
            toll = (too_low + too_high) / 2
        else:
            toll = toll + step if len(edges) > relaxation.count else toll - step
            step *= 2
    return best


def _step(current: Relaxation, edges: list[int], drop: float) -> Relaxation:
    """One subgradient step of the length that would lower a linear bound by `drop`."""
    graph = current.graph
    used = np.zeros(len(graph.tails), dtype=bool)
    used[edges] = True
    claimed = used[graph.pair_edges] & (graph.pair_gains > current.prices[graph.pair_stories])
    claims = np.bincount(graph.pair_stories[claimed], minlength=len(current.prices))
    price_slope = 1.0 - claims
    toll_slope = TOLL_SCALE * (current.count - len(edges))
    length = drop / max(float(price_slope @ price_slope) + toll_slope**2, TOLERANCE)
    weights = graph.stories.weights
    return replace(
        current,
        prices=np.clip(current.prices - length * price_slope, graph.lowest_iou * weights, weights),
        toll=current.toll - length * TOLL_SCALE * toll_slope,
    )
