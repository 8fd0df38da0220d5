"""From scores to transitions.

A frame has four scores: a new shot begins with it at a cut; it is inside a gradual transition;
inside a fade; inside a wipe. Frames that score low on the first two are quiet. A busy stretch is
decided as soon as enough quiet frames follow it, so a decision never depends on how the film is
split into blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from storyscope.core import Transition, TransitionKind

CUT, GRADUAL, FADE, WIPE = range(4)
CUT_THRESHOLD = 0.4
"""Minimum score by the first network of a cut."""
WEAK_CUT = 0.2
"""Minimum score of a cut at which the middle of the picture clearly changes."""
GRADUAL_THRESHOLD = 0.8
"""Minimum score by the first network of some frame of a gradual transition."""
SUGGESTED = 0.5
"""Minimum score by the first network of some frame, if the second network confirms it."""
CONFIRMED = 0.85
"""Minimum probability by the second network of a gradual transition."""
GRADUAL_EDGE = 0.35
"""A gradual transition lasts while the score of the first network stays above this."""
SHORTEST_GRADUAL = 5
LONGEST_GAP = 4
"""Gradual transitions at most this many frames apart are merged."""

QUIET = 0.1
QUIET_FRAMES = 6
"""Number of quiet frames that settle what came before; also the minimum length of a shot next to a
gradual transition at either end of the film."""
LONGEST_STRETCH = 1024

Pause = Callable[[int, int], bool]
Confirm = Callable[[int, np.ndarray], float]
IsCut = Callable[[int], bool]


def find_transitions(
    blocks: Iterable[np.ndarray],
    is_pause: Pause,
    confirm: Confirm | None = None,
    is_cut: IsCut | None = None,
) -> Iterator[Transition]:
    """Yield the transitions of a film whose scores (n x 4) arrive in blocks, counted from 0.

    `confirm(first_frame, scores)` returns the probability that frames that look like a gradual
    transition are one; others are dropped, and cuts inside them stay cuts. `is_cut(frame)` looks
    again at a frame whose score is almost that of a cut. `is_pause(first_frame, end_frame)`
    recognises a screen that is empty for too short a time to be a shot: a fade-out, such a pause
    and a fade-in are one fade. A fade at the start or end of the film joins no two shots, and is
    not a transition.
    """
    for transition in _joined(_decided(blocks, confirm, is_cut), is_pause):
        if _follows_a_shot(transition, is_pause):
            yield transition


def _joined(
    decided: Iterable[tuple[int, list[Transition]]], is_pause: Pause
) -> Iterator[Transition]:
    """Delay a transition while only a pause has followed it."""
    held: Transition | None = None
    for until, found in decided:
        for transition in found:
            if held and _is_one_fade(held, transition, is_pause):
                sure = max(held.confidence, transition.confidence)
                transition = Transition("fade", held.first_frame, transition.end_frame, sure)
            elif held:
                yield held
            held = transition
        if held and until - held.end_frame > QUIET_FRAMES and not is_pause(held.end_frame, until):
            yield held
            held = None
    if held and held.kind == "cut":
        yield held


def _is_one_fade(before: Transition, after: Transition, is_pause: Pause) -> bool:
    gradual = before.kind != "cut" or after.kind != "cut"
    return gradual and is_pause(before.end_frame, after.first_frame)


def _follows_a_shot(transition: Transition, is_pause: Pause) -> bool:
    first = transition.first_frame
    return (
        first > 0 if transition.kind == "cut" else first > QUIET_FRAMES and not is_pause(0, first)
    )


def _decided(
    blocks: Iterable[np.ndarray], confirm: Confirm | None, is_cut: IsCut | None
) -> Iterator[tuple[int, list[Transition]]]:
    """Yield the number of settled frames and the new transitions among them, repeatedly."""
    held, first = np.zeros((0, 4), np.float32), 0
    for block in blocks:
        held = np.concatenate([held, block])
        while (ready := _decidable(held)) > 0:
            yield first + ready, _decide(held[:ready], first, confirm, is_cut)
            held, first = held[ready:], first + ready
    yield first + len(held), _decide(held, first, confirm, is_cut)


def _decidable(held: np.ndarray) -> int:
    """The number of pending frames before a quiet gap, or that have waited too long."""
    busy = np.flatnonzero(held[:, : GRADUAL + 1].max(axis=1) > QUIET)
    if len(busy) == 0:
        return max(0, len(held) - QUIET_FRAMES)
    if busy[0] > QUIET_FRAMES:
        return int(busy[0]) - QUIET_FRAMES
    ends = np.append(busy[:-1][np.diff(busy) > QUIET_FRAMES], busy[-1]) + QUIET_FRAMES
    if ends[0] < min(len(held), LONGEST_STRETCH):
        return int(ends[0])
    return LONGEST_STRETCH if len(held) >= LONGEST_STRETCH else 0


def _decide(
    scores: np.ndarray, first: int, confirm: Confirm | None, is_cut: IsCut | None
) -> list[Transition]:
    """The transitions of one stretch; a cut inside a gradual transition is part of it."""
    gradual = _gradual(scores, first, confirm)
    cuts = [
        frame
        for frame in _peaks(scores[:, CUT], WEAK_CUT if is_cut else CUT_THRESHOLD)
        if (scores[frame, CUT] > CUT_THRESHOLD or (is_cut and is_cut(first + frame)))
        and not any(frame in range(run.start, run.stop + 1) for run in gradual)
    ]
    found = [
        Transition("cut", first + frame, first + frame, float(scores[frame, CUT])) for frame in cuts
    ]
    found += [
        Transition(_kind(scores[run.start : run.stop]), first + run.start, first + run.stop, sure)
        for run, sure in gradual.items()
    ]
    return sorted(found, key=lambda transition: transition.first_frame)


def _gradual(scores: np.ndarray, first: int, confirm: Confirm | None) -> dict[range, float]:
    """The gradual transitions of one stretch, with their confidence."""
    if confirm is None:
        return {
            run: float(scores[run.start : run.stop, GRADUAL].max()) for run in gradual_runs(scores)
        }
    sure = {
        run: confirm(first + run.start, scores[run.start : run.stop])
        for run in gradual_runs(scores, SUGGESTED)
    }
    return {run: chance for run, chance in sure.items() if chance >= CONFIRMED}


def gradual_runs(scores: np.ndarray, threshold: float = GRADUAL_THRESHOLD) -> list[range]:
    """The stretches that look like gradual transitions, with some score above `threshold`."""
    gradual = scores[:, GRADUAL]
    found: list[range] = []
    for run in runs(gradual > GRADUAL_EDGE):
        if found and run.start - found[-1].stop <= LONGEST_GAP:
            run = range(found.pop().start, run.stop)
        found.append(run)
    return [
        run
        for run in found
        if len(run) >= SHORTEST_GRADUAL and gradual[run.start : run.stop].max() > threshold
    ]


def _kind(scores: np.ndarray) -> TransitionKind:
    fade, wipe = scores[:, FADE].mean(), scores[:, WIPE].mean()
    if max(fade, wipe) < 0.5:
        return "dissolve"
    return "fade" if fade > wipe else "wipe"


def runs(mask: np.ndarray) -> list[range]:
    """The stretches where `mask` is true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]])))
    return [range(int(first), int(end)) for first, end in edges.reshape(-1, 2)]


def _peaks(cut: np.ndarray, threshold: float) -> list[int]:
    above = np.flatnonzero(cut > threshold)
    return [int(i) for i in above if cut[i] == cut[max(0, i - 2) : i + 3].max()]
