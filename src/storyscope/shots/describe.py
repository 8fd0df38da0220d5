"""What a change of a film looks like in numbers: a gradual transition, or something that moves.

Write A for the frame before a change, B for the one after it, x_t for the frames between.

    dissolve  every tile of x_t goes straight from A to B, and all of them together
    wipe      every tile goes straight from A to B, one after another; x_t shows A here and B there
    motion    tiles wander; a block of x_t is found again in the frame before, shifted; x_t shows
              what is neither A nor B in its place nor a mixture of both; x_t lies between its
              neighbours once they are shifted towards each other; or A comes back
"""

from __future__ import annotations

import numpy as np

AROUND = 12
"""Frames to either side of a change that are looked at."""
INSIDE = 14
"""Frames that are looked at inside a change."""
BEFORE, AFTER = 2, 2 + INSIDE + 1
"""Which of the samples are A and B."""
SAMPLES = INSIDE + 6
BLOCK_ROWS, BLOCK_COLUMNS = 3, 6
"""Frames of 27 x 48 are divided into so many blocks, each looked for in another frame."""
ROWS_OF_BLOCKS = np.repeat(np.eye(BLOCK_ROWS, dtype=np.float32), 9, axis=1) / np.float32(9)
COLUMNS_OF_BLOCKS = np.repeat(np.eye(BLOCK_COLUMNS, dtype=np.float32), 8, axis=0) / np.float32(8)
"""Products with these, left and right, are the means of blocks."""
NEAR, FAR = (4, 6), (8, 16)
"""How many rows and columns a block may have moved: between samples, and from A to B."""
LUMA = np.array([0.299, 0.587, 0.114], np.float32)
NOISE = np.float32(0.012)
"""What two frames of a still scene differ by: grain and compression."""


def around(rgb: np.ndarray, run: range) -> np.ndarray:
    """The frames of a run with AROUND more to either side; the film's ends are repeated."""
    at = np.arange(run.start - AROUND, run.stop + AROUND)
    return np.asarray(rgb[at.clip(0, len(rgb) - 1)])


def sampled(count: int) -> np.ndarray:
    """Which of `count` frames around a change are looked at: before it, inside it, and after it."""
    inside = count - 2 * AROUND
    steps = np.arange(1, INSIDE + 1) * (inside - 1) / (INSIDE + 1)
    return np.concatenate(
        [[1, 7, 10], AROUND + steps.round().astype(int), count - AROUND + np.array([1, 5, 11])]
    )


def describe(clip: np.ndarray, length: int) -> np.ndarray:
    """The features of a change of `length` frames: uint8 SAMPLES x 27 x 48 x 3."""
    frames = clip.astype(np.float32) / np.float32(255)
    path, luma = frames[BEFORE : AFTER + 1], frames @ LUMA
    inner, tiles = luma[BEFORE : AFTER + 1], _tiles(path)
    features = [
        *_straightness(tiles),
        *_blend(tiles),
        *_in_place(inner),
        *_compensation(inner),
        *_interpolation(inner),
        *_from_either(inner),
        *_outside(frames),
        *_motion_outside(luma),
        *_unlikeness(path),
        *_light(inner),
        np.log(length),
    ]
    return np.array(features, np.float32)


def _tiles(frames: np.ndarray) -> np.ndarray:
    """Mean colours of 9 x 16 tiles: n x 144 x 3."""
    return np.asarray(frames.reshape(-1, 9, 3, 16, 3, 3).mean(axis=(2, 4)).reshape(-1, 144, 3))


def _straightness(tiles: np.ndarray) -> list[float]:
    """How directly the tiles go from A to B, and whether they go together or in turn."""
    change = tiles[-1] - tiles[0]
    steps, whole = np.linalg.norm(np.diff(tiles, axis=0), axis=2), np.linalg.norm(change, axis=1)
    energy = (whole**2).sum() + 0.05
    way = np.einsum("tij,ij->ti", tiles - tiles[0], change)
    share = np.clip(way / (whole**2 + 1e-4), -0.5, 1.5)
    weight = whole**2 / ((whole**2).sum() + 1e-6)
    inside = np.clip(share, 0, 1)
    between = (4 * inside * (1 - inside) * weight).sum(axis=1)
    mean = (weight * share).sum(axis=1)
    apart = np.sqrt((weight * (share - mean[:, None]) ** 2).sum(axis=1))
    off = ((tiles - tiles[0] - inside[..., None] * change) ** 2).sum(axis=(1, 2))[1:-1]
    arrival = (1 - inside).mean(axis=0)
    steady = np.diff(mean)
    return [
        np.log((steps.sum() + 1) / (whole.sum() + 1)),
        between[1:-1].mean(),
        apart[1:-1].mean(),
        (np.maximum(-np.diff(share, axis=0), 0) * weight).sum(),
        np.log((off.mean() + 0.02) / energy),
        np.log((off.max() + 0.02) / energy),
        (steps.max(axis=0) / (steps.sum(axis=0) + 1e-3) * weight).sum(),
        np.log(energy),
        np.sqrt((weight * (arrival - (weight * arrival).sum()) ** 2).sum()),
        steady.max(),
        np.maximum(-steady, 0).sum(),
        np.log(np.median(whole) + 0.02),
        (whole < 0.06).mean(),
        1 / ((weight**2).sum() * len(weight) + 1e-6),
    ]


def _blend(tiles: np.ndarray) -> list[float]:
    """How well every frame between is one mixture of A and B, in rising proportion."""
    change = (tiles[-1] - tiles[0]).ravel()
    energy = change @ change + 0.02
    moved = (tiles[1:-1] - tiles[0]).reshape(INSIDE, -1)
    mixture = moved @ change / energy
    off = ((moved - mixture[:, None] * change) ** 2).sum(axis=1) / energy
    steps = np.diff(np.concatenate([[0], mixture, [1]]))
    return [
        np.log(off.mean() + 0.01),
        np.log(off[5:9].mean() + 0.01),
        np.maximum(-steps, 0).sum(),
        steps.max(),
        np.ptp(mixture),
    ]


def _in_place(luma: np.ndarray) -> list[float]:
    """How much of the frames between is neither A nor B in its place, nor a mixture of the two."""
    old, between, new = luma[0], luma[1:-1], luma[-1]
    whole = min(_unlike(new[None], old).mean(), _unlike(old[None], new).mean()) + NOISE
    one_of_them = np.minimum(_unlike(between, old), _unlike(between, new))
    change = new - old
    shares = ((between - old) * change).sum(axis=(1, 2)) / ((change**2).sum() + 0.2)
    mixture = old + shares[:, None, None] * change
    either = np.minimum(one_of_them, np.abs(between - mixture))
    features = [np.log(whole)]
    for left in (one_of_them, either):
        by_frame = np.sort(left.mean(axis=(1, 2)) / whole)
        features += [np.log(v + 0.02) for v in (by_frame.mean(), by_frame[-1], by_frame[3])]
    worst = np.sort(_blocks(either) / whole, axis=1)[:, -4:]
    return [*features, np.log(worst.mean() + 0.02)]


def _unlike(frames: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Difference of every pixel to the most similar one in or beside its place in `other`."""
    padded = np.pad(other, 1, mode="edge")
    least = np.full(frames.shape, 3, np.float32)
    for y in range(3):
        for x in range(3):
            np.minimum(least, np.abs(frames - padded[y : y + 27, x : x + 48]), out=least)
    return least


def _compensation(luma: np.ndarray) -> list[float]:
    """What is left of the change from sample to sample, and between A and B, if blocks may move."""
    still, moved, way = _matched(luma[:-1], luma[1:], NEAR)
    left = np.sort(moved.mean(axis=1) / (still.mean(axis=1) + NOISE))
    gain, weight = still - moved, still / (still.sum() + 1e-3)
    total = gain.sum() + 1e-3
    mean = (way * gain[..., None]).sum(axis=(0, 1)) / total
    speed = np.linalg.norm(way, axis=2)
    length = (speed * gain).sum() / total
    both = np.minimum(gain[1:], gain[:-1])
    same_way = (way[1:] * way[:-1]).sum(axis=2) / (speed[1:] * speed[:-1] + 0.3)
    new = np.sort(moved, axis=1)[:, -4:].mean(axis=1)
    ends = luma[[0, -1]]
    far_still, far_moved, _ = _matched(ends, ends[::-1], FAR)
    far = np.sort(far_moved / (far_still + NOISE), axis=1)
    return [
        left.mean(),
        left[len(left) // 4],
        left[3 * len(left) // 4],
        (moved < 0.5 * still).mean(),
        np.log(moved.mean() + 0.005),
        np.log(still.mean() + 0.005),
        *far.mean(axis=1),
        *far[:, 4],
        np.log(far_moved.mean() + 0.01),
        np.log(far_still.mean() + 0.01),
        np.linalg.norm(mean) / (length + 0.2),
        length,
        (both * same_way).sum() / (both.sum() + 1e-3),
        (weight * (moved < 0.5 * still)).sum(),
        (weight * moved / (still + NOISE)).sum(),
        np.log(new.mean() + 0.005),
        np.log(new.max() / (new.mean() + NOISE) + 0.1),
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
        # Every other place, as on a chessboard, is enough.
        for dx in range((dy // step + down // step) % 2 * step, 2 * right + 1, 2 * step):
            difference = _blocks(np.abs(padded[:, dy : dy + 27, dx : dx + 48] - after))
            closer = difference < best
            best[closer] = difference[closer]
            way[closer] = dy - down, dx - right
    return still, best, way


def _blocks(values: np.ndarray) -> np.ndarray:
    """Means of the blocks of n x 27 x 48: n x (BLOCK_ROWS * BLOCK_COLUMNS)."""
    return np.asarray((ROWS_OF_BLOCKS @ values @ COLUMNS_OF_BLOCKS).reshape(len(values), -1))


def _interpolation(luma: np.ndarray) -> list[float]:
    """How well samples lie between those around them: in place, and with blocks on their way.

    A dissolve lies halfway in place; what moves lies halfway along its motion.
    """
    down, right = NEAR
    before, now, after = luma[:-4:2], luma[2:-2:2], luma[4::2]
    padding = ((0, 0), (down, down), (right, right))
    before, after = (np.pad(each, padding, mode="edge") for each in (before, after))
    best = still = _halfway(before, now, after, 0, 0)
    for dy in range(-down, down + 1):
        for dx in range(dy % 2 - right, right + 1, 2):
            best = np.minimum(best, _halfway(before, now, after, dy, dx))
    change = np.abs(after - before)[:, down:-down, right:-right]
    span = _blocks(change).mean(axis=1) + NOISE
    left = np.log((best.mean(axis=1) + NOISE) / (still.mean(axis=1) + NOISE))
    in_place = np.log(still.mean(axis=1) / span + 0.05)
    return [
        left.mean(),
        left.min(),
        in_place.mean(),
        in_place.max(),
        np.log(best.mean(axis=1) / span + 0.05).mean(),
    ]


def _halfway(
    before: np.ndarray, now: np.ndarray, after: np.ndarray, dy: int, dx: int
) -> np.ndarray:
    """Mean difference of blocks to the mean of those shifted back before and forth after them."""
    down, right = NEAR
    back = before[:, down - dy : down - dy + 27, right - dx : right - dx + 48]
    forth = after[:, down + dy : down + dy + 27, right + dx : right + dx + 48]
    return _blocks(np.abs(now - 0.5 * (back + forth)))


def _from_either(luma: np.ndarray) -> list[float]:
    """Whether blocks of frames in the middle are found in A or in B, and how far off."""
    middle = luma[[3, 6, 8, 10, 13]]
    count = len(middle)
    ends = np.repeat(luma[[0, -1]], count, axis=0)
    still, moved, way = _matched(ends, np.concatenate([middle, middle]), NEAR)
    still, moved = still.reshape(2, count, -1), moved.reshape(2, count, -1)
    in_place, found = still.min(axis=0), moved.min(axis=0)
    is_new = moved[1] < moved[0]
    speed = np.linalg.norm(way, axis=2).reshape(2, count, -1)
    gain = in_place - found
    share = is_new.mean(axis=1)
    whole = np.abs(luma[0] - luma[-1]).mean() + NOISE
    low, high = np.minimum(luma[0], luma[-1]), np.maximum(luma[0], luma[-1])
    beyond = np.abs(middle - middle.clip(low - 0.02, high + 0.02))
    return [
        np.log(found.mean() / whole + 0.02),
        np.log(in_place.mean() / whole + 0.02),
        np.log((found.mean() + 0.3 * NOISE) / (in_place.mean() + 0.3 * NOISE)),
        (np.where(is_new, speed[1], speed[0]) * gain).sum() / (gain.sum() + 1e-3),
        np.sort(found / whole, axis=1)[:, -4:].mean(),
        np.diff(share).min(),
        share[-1] - share[0],
        np.log(beyond.mean() / whole + 0.01),
    ]


def _outside(frames: np.ndarray) -> list[float]:
    """How much happens before and after the change, and whether A comes back or B was there."""
    far, near, old, new, next_, last = _tiles(frames[[0, 1, BEFORE, AFTER, AFTER + 1, AFTER + 2]])
    whole = np.sqrt(((new - old) ** 2).mean()) + 0.02

    def apart(one: np.ndarray, other: np.ndarray) -> float:
        return float(np.sqrt(((one - other) ** 2).mean()) / whole)

    pairs = (
        max(apart(far, old), apart(near, old)),
        max(apart(new, next_), apart(new, last)),
        apart(far, last),
        min(apart(next_, old), apart(last, old)),
        min(apart(far, new), apart(near, new)),
    )
    return [np.log(value + 0.02) for value in pairs]


def _motion_outside(luma: np.ndarray) -> list[float]:
    """How fast blocks move before the change and after it."""
    still, moved, way = _matched(luma[[0, 1, -3, -2]], luma[[1, 2, -2, -1]], NEAR)
    gain = still - moved
    speed = (np.linalg.norm(way, axis=2) * gain).sum(axis=1) / (gain.sum(axis=1) + 1e-3)
    changes = np.log(still.mean(axis=1) + 0.005)
    return [speed[:2].max(), speed[2:].max(), changes[:2].mean(), changes[2:].mean()]


def _unlikeness(path: np.ndarray) -> list[float]:
    """How different A and B are in colours and in shape."""
    first, last = (_histogram(frame) for frame in (path[0], path[-1]))
    shapes = [frame @ LUMA for frame in (path[0], path[-1])]
    shapes = [(s - s.mean()) / (s.std() + 0.02) for s in shapes]
    return [np.sqrt(first * last).sum(), (shapes[0] * shapes[1]).mean()]


def _histogram(frame: np.ndarray) -> np.ndarray:
    bins = np.minimum((frame * 5).astype(int), 4).reshape(-1, 3) @ (25, 5, 1)
    return np.bincount(bins, minlength=125) / np.float32(27 * 48)


def _light(luma: np.ndarray) -> list[float]:
    """Whether the picture loses its contrast on the way, as it does in a fade."""
    contrast, mean = luma.std(axis=(1, 2)) + 0.01, luma.mean(axis=(1, 2))
    return [
        np.log(contrast[1:-1].min() / min(contrast[0], contrast[-1])),
        np.log(contrast.min()),
        np.log(contrast[0] / contrast[-1]),
        mean[1:-1].max() - max(mean[0], mean[-1]),
        mean[1:-1].min() - min(mean[0], mean[-1]),
    ]
