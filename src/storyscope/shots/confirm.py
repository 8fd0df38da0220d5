"""The second look at a gradual transition: is it one, or does a camera or a thing move?

Write A for the frame before a change, B for the one after it, x_t for the frames between.

    dissolve  every tile of x_t goes straight from A to B, and all of them together
    wipe      every tile goes straight from A to B, one after another
    motion    tiles wander; a block of x_t is found again in the frame before, shifted; or A is B

`describe` puts numbers to that, and a small network trained by `training/train_shots.py` turns them
into a probability; where all blocks move the same way it counts as none. Only the few changes that
the first network suggests are looked at.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from storyscope.core.logistic import sigmoid
from storyscope.shots.weights import load_weights

AROUND = 14
"""Frames to either side of a change that are looked at."""
LONGEST_WAIT = 2048
"""Frames after which a change is decided at the latest."""
SAMPLES = 9
BLOCK_ROWS, BLOCK_COLUMNS = 3, 6
"""Frames of 27 x 48 are parted into so many blocks, each looked for in another frame."""
NEAR, FAR = (4, 6), (8, 16)
"""How many rows and columns a block may have moved: between samples, and from A to B."""
LUMA = np.array([0.299, 0.587, 0.114], np.float32)
ONE_WAY = 0.9
"""Where the ways in which blocks move agree more than this, a camera moves and nothing else."""
NOISE = 0.012
"""What two frames of a still scene differ by: grain and compression."""


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
        frames = around(np.concatenate(self._blocks), run)
        chance = probability(describe(frames, scores), self._weights)
        return 0.0 if agreement(frames) > ONE_WAY else chance


def around(rgb: np.ndarray, run: range) -> np.ndarray:
    """The frames of a run with AROUND more to either side; the film's ends are repeated."""
    at = np.arange(run.start - AROUND, run.stop + AROUND)
    return np.asarray(rgb[at.clip(0, len(rgb) - 1)])


def probability(features: np.ndarray, weights: Mapping[str, np.ndarray]) -> float:
    """What the second network makes of the features of a change."""
    logit = hidden(features, weights) @ weights["confirm_leave"] + weights["confirm_leave_bias"]
    return float(sigmoid(logit[0]))


def hidden(features: np.ndarray, weights: Mapping[str, np.ndarray]) -> np.ndarray:
    """The second network's first layer."""
    x = (features - weights["confirm_centre"]) / weights["confirm_spread"]
    h = np.tanh(x.clip(-5, 5) @ weights["confirm_enter"] + weights["confirm_enter_bias"])
    return np.asarray(h)


def describe(rgb: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The features of a change: uint8 (AROUND + n + AROUND) x 27 x 48 x 3, and its n x 4 scores."""
    frames = rgb.astype(np.float32) / 255
    sampled = _sampled(len(rgb))
    before, after = sampled[0], sampled[-1]
    path = frames[sampled]
    tiles = _tiles(path)
    features = [
        *_straightness(tiles),
        *_blend(tiles),
        *_compensation(path),
        *_outside(frames, before, after),
        *_unlikeness(path),
        *_light(path),
        *_evidence(scores),
    ]
    return np.array(features, np.float32)


def agreement(rgb: np.ndarray) -> float:
    """Whether the blocks of a change all move the same way: 1 if they do, 0 if they scatter.

    Blocks count by how much of the change moving them explains. Under a camera that pans or tilts,
    or where one large thing slides past, they agree; in a dissolve or a wipe they seldom do.
    """
    luma = rgb[_sampled(len(rgb))].astype(np.float32) / 255 @ LUMA
    still, moved, way = _matched(luma[:-1], luma[1:], NEAR)
    gain = still - moved
    total = gain.sum() + 1e-3
    mean = (way * gain[..., None]).sum(axis=(0, 1)) / total
    length = (np.linalg.norm(way, axis=2) * gain).sum() / total
    return float(np.linalg.norm(mean) / (length + 0.2))


def _sampled(count: int) -> np.ndarray:
    """Which of `count` frames around a change are looked at: before it, inside it, and after it."""
    inside = count - 2 * AROUND
    steps = np.arange(1, SAMPLES + 1) * (inside - 1) / (SAMPLES + 1)
    return np.concatenate([[AROUND - 2], AROUND + steps.round().astype(int), [AROUND + inside + 1]])


def _tiles(frames: np.ndarray) -> np.ndarray:
    """Mean colours of 9 x 16 tiles: n x 144 x 3."""
    return np.asarray(frames.reshape(-1, 9, 3, 16, 3, 3).mean(axis=(2, 4)).reshape(-1, 144, 3))


def _straightness(tiles: np.ndarray) -> list[float]:
    """How directly the tiles go from A to B, and whether they go together or in turn."""
    steps = np.linalg.norm(np.diff(tiles, axis=0), axis=2)
    whole = np.linalg.norm(tiles[-1] - tiles[0], axis=1)
    detour = np.log((steps.sum() + 1) / (whole.sum() + 1))
    energy = (whole**2).sum() + 0.05
    way = np.einsum("tij,ij->ti", tiles - tiles[0], tiles[-1] - tiles[0])
    share = np.clip(way / (whole**2 + 1e-4), -0.5, 1.5)
    weight = whole**2 / ((whole**2).sum() + 1e-6)
    between = (4 * np.clip(share, 0, 1) * (1 - np.clip(share, 0, 1)) * weight).sum(axis=1)
    apart = np.sqrt((weight * (share - (weight * share).sum(axis=1)[:, None]) ** 2).sum(axis=1))
    back = (np.maximum(-np.diff(share, axis=0), 0) * weight).sum()
    at = tiles[0] + np.clip(share, 0, 1)[..., None] * (tiles[-1] - tiles[0])
    off = ((tiles - at) ** 2).sum(axis=(1, 2))[1:-1]
    sudden = steps.max(axis=0) / (steps.sum(axis=0) + 1e-3)
    return [
        float(detour),
        float(between[1:-1].mean()),
        float(apart[1:-1].mean()),
        float(back),
        float(np.log((off.mean() + 0.02) / energy)),
        float(np.log((off.max() + 0.02) / energy)),
        float((sudden * weight).sum()),
        float(np.log(energy)),
    ]


def _blend(tiles: np.ndarray) -> list[float]:
    """How well every frame between is one mixture of A and B, in rising proportion."""
    change = (tiles[-1] - tiles[0]).ravel()
    energy = change @ change + 0.02
    moved = (tiles[1:-1] - tiles[0]).reshape(SAMPLES, -1)
    mixture = moved @ change / energy
    off = ((moved - mixture[:, None] * change) ** 2).sum(axis=1) / energy
    steps = np.diff(np.concatenate([[0], mixture, [1]]))
    return [
        float(np.log(off.mean() + 0.01)),
        float(np.log(off[SAMPLES // 2 - 1 : SAMPLES // 2 + 2].mean() + 0.01)),
        float(np.maximum(-steps, 0).sum()),
        float(steps.max()),
        float(np.ptp(mixture)),
    ]


def _compensation(path: np.ndarray) -> list[float]:
    """What is left of the change from sample to sample, and from A to B, once blocks may move."""
    luma = path @ LUMA
    still, moved, _ = _matched(luma[:-1], luma[1:], NEAR)
    left = moved.mean(axis=1) / (still.mean(axis=1) + NOISE)
    share = (moved < 0.5 * still).mean(axis=1)
    far_still, far_moved, _ = _matched(luma[:1], luma[-1:], FAR)
    far = far_moved[0] / (far_still[0] + NOISE)
    return [
        float(left.mean()),
        float(np.sort(left)[len(left) // 4]),
        float(share.mean()),
        float(np.log(moved.mean() + 0.005)),
        float(np.log(still.mean() + 0.005)),
        float(far.mean()),
        float(np.sort(far)[len(far) // 4]),
        float(np.log(far_moved.mean() + 0.01)),
        float(np.log(far_still.mean() + 0.01)),
    ]


def _matched(
    before: np.ndarray, after: np.ndarray, reach: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean difference of the blocks of `after` to `before`: in place, and where it is least.

    The third is by how many rows and columns each block moved to get there.
    """
    down, right = reach
    step = 1 + (reach == FAR)
    padded = np.pad(before, ((0, 0), (down, down), (right, right)), mode="edge")
    still = _blocks(np.abs(before - after))
    best, way = still.copy(), np.zeros((*still.shape, 2), np.float32)
    for dy in range(0, 2 * down + 1, step):
        for dx in range(0, 2 * right + 1, step):
            difference = _blocks(np.abs(padded[:, dy : dy + 27, dx : dx + 48] - after))
            closer = difference < best
            best[closer] = difference[closer]
            way[closer] = dy - down, dx - right
    return still, best, way


def _blocks(values: np.ndarray) -> np.ndarray:
    parts = values.reshape(
        len(values), BLOCK_ROWS, 27 // BLOCK_ROWS, BLOCK_COLUMNS, 48 // BLOCK_COLUMNS
    )
    return np.asarray(parts.mean(axis=(2, 4)).reshape(len(values), -1))


def _outside(frames: np.ndarray, before: int, after: int) -> list[float]:
    """How much happens before and after the change, beside what happens in it."""
    tiles = _tiles(frames[[0, before // 2, before, after, (after + len(frames)) // 2, -1]])
    far, near, first, last, next_, end = tiles
    whole = np.sqrt(((last - first) ** 2).mean()) + 0.02
    sides = [
        np.sqrt(((a - b) ** 2).mean()) / whole
        for a, b in ((far, first), (near, first), (last, next_), (last, end))
    ]
    return [
        float(np.log(max(sides[0], sides[1]) + 0.02)),
        float(np.log(max(sides[2], sides[3]) + 0.02)),
        float(np.log(np.sqrt(((far - end) ** 2).mean()) / whole + 0.02)),
    ]


def _unlikeness(path: np.ndarray) -> list[float]:
    """How different A and B are in colours and in shape."""
    first, last = (_histogram(frame) for frame in (path[0], path[-1]))
    shapes = [frame @ LUMA for frame in (path[0], path[-1])]
    shapes = [(s - s.mean()) / (s.std() + 0.02) for s in shapes]
    return [float(np.sqrt(first * last).sum()), float((shapes[0] * shapes[1]).mean())]


def _histogram(frame: np.ndarray) -> np.ndarray:
    bins = np.minimum((frame * 5).astype(int), 4).reshape(-1, 3) @ (25, 5, 1)
    return np.bincount(bins, minlength=125) / np.float32(27 * 48)


def _light(path: np.ndarray) -> list[float]:
    """Whether the picture loses its contrast on the way, as it does in a fade."""
    luma = path.reshape(len(path), -1, 3) @ LUMA
    contrast = luma.std(axis=1) + 0.01
    mean = luma.mean(axis=1)
    return [
        float(np.log(contrast[1:-1].min() / min(contrast[0], contrast[-1]))),
        float(np.log(contrast.min())),
        float(np.log(contrast[0] / contrast[-1])),
        float(mean[1:-1].max() - max(mean[0], mean[-1])),
        float(mean[1:-1].min() - min(mean[0], mean[-1])),
    ]


def _evidence(scores: np.ndarray) -> list[float]:
    """What the detector thinks, and for how long."""
    odds = np.log(np.clip(scores, 1e-3, 1 - 1e-3) / (1 - np.clip(scores, 1e-3, 1 - 1e-3)))
    return [
        float(odds[:, 1].max()),
        float(odds[:, 1].mean()),
        float(scores[:, 2].mean()),
        float(scores[:, 3].mean()),
        float(odds[:, 0].max()),
        float(np.log(len(scores))),
    ]
