"""Pictures as they are decoded -> the keyframes of each shot, in constant memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from storyscope.config import FeatureConfig
from storyscope.core import Keyframes, Picture, Shot
from storyscope.features.pictures import to_jpeg

RECENT, RECENT_FRAMES = 60, 320
"""Number of complete pictures kept until the shot detector has decided, which takes about three
hundred frames: at a low frame rate, most of them are pictures."""
SECONDS_PER_CANDIDATE = 10.0
"""A shot gets one picture beyond its keyframes per this many seconds."""


class KeyframePicker:
    """Fed with pictures and with finished shots, gives the keyframes of each shot.

    Pictures and shots each come in time order; which of the two runs ahead changes nothing, as
    long as a shot comes no later than `RECENT` pictures, or `RECENT_FRAMES`, after its end. Of a
    shot's m pictures, numbered from its first, those at multiples of the smallest power of two that
    leaves at most `candidates_per_shot` are candidates: a set that can be thinned while the shot
    still runs. It is settled when the next shot is known, whose leading transition spoils its tail.
    """

    def __init__(self, config: FeatureConfig = FeatureConfig()) -> None:
        self._config = config
        self._shots: deque[Shot] = deque()
        self._seen = 0
        self._base = 0
        """Number, among all pictures, of the first one of the running shot."""
        self._older: list[_Numbered] = []
        self._recent: deque[_Numbered] = deque()
        self._waiting: tuple[Shot, list[Picture]] | None = None
        self._settled = 0
        self._ready: list[Keyframes] = []

    def see(self, picture: Picture) -> None:
        """Add the next picture."""
        self._recent.append(_Numbered(self._seen, picture))
        self._seen += 1
        while self._shots and picture.index >= self._shots[0].frames.stop:
            self._finish(self._shots.popleft())
        self._age()

    def add_shot(self, shot: Shot) -> None:
        """Add the next finished shot."""
        self._shots.append(shot)
        if self._recent and self._recent[-1].picture.index >= shot.frames.stop:
            self._finish(self._shots.popleft())

    def drain(self) -> Keyframes:
        """The keyframes that became final since the last call."""
        ready, self._ready = self._ready, []
        return join_keyframes(ready)

    def close(self) -> Keyframes:
        """Finish, and return the keyframes that became final since the last call."""
        while self._shots:
            self._finish(self._shots.popleft())
        self._settle(None)
        return self.drain()

    def _finish(self, shot: Shot) -> None:
        """All pictures of a shot have been added: keep its candidates until the next shot is
        known."""
        self._settle(shot)
        held = [*self._older, *self._recent]
        inside = [item for item in held if item.picture.index in shot.frames]
        after = [item for item in held if item.picture.index >= shot.frames.stop]
        count = inside[-1].number - self._base + 1 if inside else 0
        stride = _stride(count, self._config.candidates_per_shot)
        kept = [item.picture for item in inside if (item.number - self._base) % stride == 0]
        self._waiting = (shot, kept)
        self._older, self._recent = [], deque(after)
        self._base = after[0].number if after else self._seen
        self._age()

    def _settle(self, following: Shot | None) -> None:
        if self._waiting is not None:
            shot, kept = self._waiting
            chosen = _choose(kept, shot, following, self._config)
            self._ready.append(_keyframes(self._settled, chosen))
            self._settled += 1
            self._waiting = None

    def _age(self) -> None:
        """Thin the pictures that are no longer recent."""
        while len(self._recent) > RECENT and self._is_old(self._recent[0]):
            self._older.append(self._recent.popleft())
            count = self._older[-1].number - self._base + 1
            stride = _stride(count, self._config.candidates_per_shot)
            self._older = [i for i in self._older if (i.number - self._base) % stride == 0]

    def _is_old(self, item: _Numbered) -> bool:
        return self._recent[-1].picture.index - item.picture.index >= RECENT_FRAMES


class _Numbered(NamedTuple):
    number: int
    picture: Picture


def _stride(count: int, most: int) -> int:
    """The smallest power of two that leaves at most `most` of `count`."""
    stride = 1
    while -(-count // stride) > most:
        stride *= 2
    return stride


def pick_keyframes(
    pictures: Iterable[Picture], shots: Iterable[Shot], config: FeatureConfig = FeatureConfig()
) -> Keyframes:
    """The keyframes of shots that are all known in advance."""
    picker = KeyframePicker(config)
    for shot in shots:
        picker.add_shot(shot)
    parts = []
    for picture in pictures:
        picker.see(picture)
        parts.append(picker.drain())
    return join_keyframes([*parts, picker.close()])


def join_keyframes(parts: Sequence[Keyframes]) -> Keyframes:
    """Keyframes of consecutive shots as one."""
    return Keyframes(
        shots=np.concatenate([np.zeros(0, np.int32), *(part.shots for part in parts)]),
        frames=np.concatenate([np.zeros(0, np.int64), *(part.frames for part in parts)]),
        seconds=np.concatenate([np.zeros(0, np.float64), *(part.seconds for part in parts)]),
        pictures=tuple(data for part in parts for data in part.pictures),
    )


def rows_of_shots(keyframes: Keyframes, shots: Sequence[Shot]) -> list[np.ndarray]:
    """The keyframes of every shot; one too short to have any uses the nearest in time."""
    rows = []
    for number, shot in enumerate(shots):
        own = np.flatnonzero(keyframes.shots == number)
        if not len(own):
            distance = np.abs(keyframes.seconds - shot.span.middle)
            own = np.flatnonzero(distance == distance.min())[:1]
        rows.append(own)
    return rows


def nearest_to_uniform(positions: np.ndarray, start: float, end: float, count: int) -> np.ndarray:
    """Which of the increasing `positions` are nearest to the middles of `count` equal parts of a
    span.

    There are fewer results if there are fewer positions, or if one is nearest to two middles.
    """
    if len(positions) <= count:
        return np.arange(len(positions))
    wanted = start + (np.arange(count) + 0.5) / count * (end - start)
    return np.unique(np.abs(positions[None, :] - wanted[:, None]).argmin(axis=1))


def _choose(
    candidates: list[Picture], shot: Shot, following: Shot | None, config: FeatureConfig
) -> list[Picture]:
    """Uniform keyframes, and the sharpest of the rest for thumbnails."""
    first = max(shot.frames.start, shot.transition.end_frame)
    end = min(shot.frames.stop, following.transition.first_frame if following else shot.frames.stop)
    clear = [picture for picture in candidates if first <= picture.index < end]
    if not clear:
        middle = (first + end) / 2
        return sorted(candidates, key=lambda picture: abs(picture.index - middle))[:1]
    positions = np.array([picture.index for picture in clear], dtype=float)
    count = _uniform_count(shot, config)
    uniform = set(nearest_to_uniform(positions, first, end, count).tolist())
    extra = int(shot.span.length / SECONDS_PER_CANDIDATE)
    rest = [row for row in range(len(clear)) if row not in uniform] if extra else []
    rest.sort(key=lambda row: -_sharpness(clear[row].rgb))
    return [clear[row] for row in sorted(uniform.union(rest[:extra]))]


def _uniform_count(shot: Shot, config: FeatureConfig) -> int:
    """Maximum number of keyframes for the length of a shot: pictures of a very short shot look
    alike."""
    most = config.keyframes_per_shot
    if not config.seconds_per_keyframe:
        return most
    return max(1, min(most, int(shot.span.length / config.seconds_per_keyframe)))


def _sharpness(rgb: np.ndarray) -> float:
    green = rgb[..., 1].astype(np.int16)
    return float(np.abs(np.diff(green, axis=0)).mean() + np.abs(np.diff(green, axis=1)).mean())


def _keyframes(shot: int, chosen: list[Picture]) -> Keyframes:
    return Keyframes(
        shots=np.full(len(chosen), shot, np.int32),
        frames=np.array([picture.index for picture in chosen], np.int64),
        seconds=np.array([picture.seconds for picture in chosen], np.float64),
        pictures=tuple(to_jpeg(picture.rgb) for picture in chosen),
    )
