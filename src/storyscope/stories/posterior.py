"""How probable each story is, given the scores of all of them.

A segmentation is as probable as exp(sum of the scores of its stories), up to a constant; the sums
over all segmentations are exact, along the shots and back:

    before[j] = log sum over d of exp(before[j - d - 1] + scores[j - d - 1, d])
    after[i]  = log sum over d of exp(scores[i, d] + after[i + d + 1])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from storyscope.stories.similarity import Array

IMPOSSIBLE = -1e9


@dataclass(frozen=True, eq=False)
class Posterior:
    """The scores of all stories, and the probabilities that follow from them."""

    scores: Array
    """[shots, lengths]: score of the story [i, i + d + 1); minus infinity beyond the last shot."""
    stories: Array
    """[shots, lengths]: probability that [i, i + d + 1) is a story."""

    @property
    def begins(self) -> Array:
        """Probability that a story begins with each shot, [shots]; 1 for the first."""
        begins: Array = np.minimum(self.stories.sum(axis=1), 1.0)
        return begins

    @property
    def expected_count(self) -> float:
        """Expected number of stories."""
        return float(self.stories.sum())


def posterior(scores: Array) -> Posterior:
    """Sum over all segmentations."""
    return Posterior(scores, story_probabilities([scores])[0])


def story_probabilities(tables: Sequence[Array]) -> list[Array]:
    """The probability of every story for each table of scores [shots, lengths].

    Tables are processed together, since a step costs little more for many than for one.
    """
    shots = max(len(table) for table in tables)
    lengths = max(table.shape[1] for table in tables)
    # One table for the forward pass, then one for the backward pass, with the story's end last.
    ways = np.full((shots, 2 * len(tables), lengths), IMPOSSIBLE)
    for number, table in enumerate(tables):
        forward, backward = _by_end(table)
        ways[: len(table), 2 * number, lengths - table.shape[1] :] = forward
        ways[: len(table), 2 * number + 1, lengths - table.shape[1] :] = backward
    sums = np.full((2 * len(tables), lengths + shots), IMPOSSIBLE)
    sums[:, lengths - 1] = 0.0
    for shot in range(shots):
        reached = sums[:, shot : shot + lengths] + ways[shot]
        highest = reached.max(axis=1)
        total = np.exp(reached - highest[:, None]).sum(axis=1)
        sums[:, lengths + shot] = highest + np.log(total)
    walks = sums[:, lengths - 1 :]
    return [_joined(table, *walks[2 * k : 2 * k + 2]) for k, table in enumerate(tables)]


def _by_end(table: Array) -> tuple[Array, Array]:
    """Scores of the stories that end after each shot, longest first, and in reverse."""
    end, step = np.arange(len(table))[:, None], np.arange(table.shape[1])
    possible = step <= end
    forward = np.where(possible, table[np.maximum(end - step, 0), step], IMPOSSIBLE)
    backward = np.where(possible, table[::-1], IMPOSSIBLE)
    return np.maximum(forward, IMPOSSIBLE)[:, ::-1], np.maximum(backward, IMPOSSIBLE)[:, ::-1]


def _joined(table: Array, before: Array, after: Array) -> Array:
    """Probabilities of the stories from both passes."""
    shots, lengths = table.shape
    rest = np.arange(shots)[::-1, None] - np.arange(lengths)
    logs = before[:shots, None] + table + after[np.maximum(rest, 0)] - before[shots]
    probabilities: Array = np.where(rest >= 0, np.exp(np.minimum(logs, 0.0)), 0.0)
    return probabilities
