"""From transitions to shots, which tile the video from its first frame to its last."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from storyscope.config import ShotConfig
from storyscope.core import Shot, SmallFrame, Span, Transition

RECENT = 8192
FALLBACK_FRAME_SECONDS = 1 / 25
PAUSE_SECONDS = 1.0
EMPTY = 12
"""A screen whose colours differ by at most this many levels is empty."""


class Timestamps:
    """The times of recent frames, and which of them are empty; older ones are dropped."""

    def __init__(self) -> None:
        self.start_frame = 0
        self.start_seconds = 0.0
        self.end_frame = 0
        self._recent: deque[float] = deque(maxlen=RECENT)
        self._empty: deque[bool] = deque(maxlen=RECENT)

    def noting(self, frames: Iterable[SmallFrame]) -> Iterator[SmallFrame]:
        """Pass the frames on, and record their times."""
        for frame in frames:
            if not self._recent:
                self.start_frame = self.end_frame = frame.index
                # Sound may lead: the first frame is shown from 0 on, whenever it comes.
                self.start_seconds = frame.seconds if frame.index else 0.0
            self.end_frame += 1
            self._recent.append(frame.seconds)
            yield frame

    def looking(self, blocks: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        """Pass the frames' pixels on, and record which screens were empty."""
        for block in blocks:
            pixels = block.reshape(len(block), -1)
            self._empty.extend((np.ptp(pixels, axis=1) <= EMPTY).tolist())
            yield block

    def is_pause(self, first_frame: int, end_frame: int) -> bool:
        """Whether the screen was empty during all of these frames, counted from 0, for a short
        time."""
        seen = self.end_frame - self.start_frame
        first, end = first_frame - seen, end_frame - seen
        if first < -len(self._empty):
            return False
        seconds = self._recent[end - 1] - self._recent[first] if first < end else 0.0
        return seconds < PAUSE_SECONDS and all(self._empty[i] for i in range(first, end))

    def at(self, frame: int) -> float:
        return self._recent[frame - self.end_frame]

    @property
    def end_seconds(self) -> float:
        """The end of the video: its last frame lasts as long as the one before it."""
        if len(self._recent) < 2:
            return self._recent[-1] + FALLBACK_FRAME_SECONDS
        return 2 * self._recent[-1] - self._recent[-2]


def tile(
    transitions: Iterable[Transition], times: Timestamps, config: ShotConfig
) -> Iterator[Shot]:
    """Split the frames at the middle of each transition; its frames are counted from 0."""
    latest: Shot | None = None
    for transition in transitions:
        transition = _numbered(transition, times.start_frame)
        middle = (transition.first_frame + transition.end_frame) // 2
        latest = latest or _opening(times)
        if middle <= latest.frames.start:
            continue
        seconds = times.at(middle)
        if seconds - latest.span.start < config.min_shot_seconds:
            continue
        yield replace(
            latest,
            span=Span(latest.span.start, seconds),
            frames=range(latest.frames.start, middle),
        )
        latest = Shot(Span(seconds, seconds), range(middle, middle + 1), transition)
    if times.end_frame > times.start_frame:
        latest = latest or _opening(times)
        yield replace(
            latest,
            span=Span(latest.span.start, times.end_seconds),
            frames=range(latest.frames.start, times.end_frame),
        )


def _opening(times: Timestamps) -> Shot:
    first, seconds = times.start_frame, times.start_seconds
    return Shot(Span(seconds, seconds), range(first, first + 1), Transition("start", first, first))


def _numbered(transition: Transition, first: int) -> Transition:
    return replace(
        transition,
        first_frame=transition.first_frame + first,
        end_frame=transition.end_frame + first,
    )
