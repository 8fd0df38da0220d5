"""The second look at a gradual transition: is it one, or does a camera or a thing move?

`describe` measures a change, and a small network trained by `training/train_shots.py` turns that
into a probability. Only the few changes that the first network suggests are looked at.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from storyscope.core.logistic import sigmoid
from storyscope.shots.describe import LUMA, around, describe, sampled
from storyscope.shots.weights import load_weights

LONGEST_WAIT = 2048
"""Frames after which a change is decided at the latest."""
MIDDLE = (slice(5, 22), slice(8, 40))
"""Rows and columns of the picture that bars and subtitles leave free."""
SUDDEN, LEAST_CHANGE = 2.0, 0.05
"""How much the middle changes at a cut: relative to the frames around it, and at least (0 to 1)."""
EVIDENCE = 5
"""How many of the features say what the first network thinks."""


class Confirmation:
    """Recent frames, and how likely a change among them is a gradual transition.

    `model` is a file of weights that a library learned; without one those in the package count.
    """

    def __init__(self, model: str = "") -> None:
        self._weights = load_weights(model)
        self._blocks: deque[np.ndarray] = deque()
        self._seen = 0

    def watching(self, blocks: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        """Hand the frames' pixels on, remembering those that are not decided yet."""
        for block in blocks:
            self._blocks.append(block)
            self._seen += len(block)
            while self._held - len(self._blocks[0]) > LONGEST_WAIT + 2 * len(block):
                self._blocks.popleft()
            yield block

    @property
    def _held(self) -> int:
        return sum(len(block) for block in self._blocks)

    def __call__(self, first_frame: int, scores: np.ndarray) -> float:
        """The probability that the frames from `first_frame`, scored n x 4, are a transition."""
        start = self._seen - self._held
        run = range(first_frame - start, first_frame - start + len(scores))
        return probability(features(np.concatenate(self._blocks), run, scores), self._weights)

    def is_cut(self, frame: int) -> bool:
        """Whether the middle of the picture changes at this frame, and not just before or after."""
        start = self._seen - self._held
        at = np.arange(frame - 3, frame + 3).clip(start, self._seen - 1) - start
        luma = np.concatenate(self._blocks)[at][:, *MIDDLE] @ LUMA / 255
        *before, change, after, later = np.abs(np.diff(luma, axis=0)).mean(axis=(1, 2))
        return bool(change > max(SUDDEN * max(*before, after, later), LEAST_CHANGE))


def features(rgb: np.ndarray, run: range, scores: np.ndarray) -> np.ndarray:
    """What the second network is told of a run of frames: how it looks, and its n x 4 scores."""
    window = around(rgb, run)
    return np.concatenate([describe(window[sampled(len(window))], len(run)), evidence(scores)])


def evidence(scores: np.ndarray) -> np.ndarray:
    """What the first network thinks of a change."""
    chance = np.clip(scores, 1e-3, 1 - 1e-3)
    odds = np.log(chance / (1 - chance))
    values = [
        odds[:, 1].max(),
        odds[:, 1].mean(),
        scores[:, 2].mean(),
        scores[:, 3].mean(),
        odds[:, 0].max(),
    ]
    return np.array(values, np.float32)


def probability(measured: np.ndarray, weights: Mapping[str, np.ndarray]) -> float:
    """What the second network makes of the features of a change."""
    logit = hidden(measured, weights) @ weights["confirm_leave"] + weights["confirm_leave_bias"]
    return float(sigmoid(logit[0]))


def hidden(measured: np.ndarray, weights: Mapping[str, np.ndarray]) -> np.ndarray:
    """The second network's first layer."""
    x = (measured - weights["confirm_centre"]) / weights["confirm_spread"]
    h = np.tanh(x.clip(-5, 5) @ weights["confirm_enter"] + weights["confirm_enter_bias"])
    return np.asarray(h)
