"""Merge stretches without content into neighbouring stories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from storyscope.core import StoryPath


def fold(path: StoryPath, blank: Sequence[bool], *, credits_start: int) -> StoryPath:
    """The same path without blank stretches as stories, and with the closing credits as one story.

    `blank` marks shots that are blank; from `credits_start` on, a video shows only text. Shot
    changes that would separate such a stretch come last in the path.
    """
    shots = path.shots
    if all(blank) or credits_start == 0:
        return path
    rank = {cut: place for place, cut in enumerate(path.order)}
    late = set(range(credits_start + 1, shots))
    for start, stop in _runs(blank):
        late.update(range(start + 1, stop))
        edges = [cut for cut in (start, stop) if 0 < cut < shots]
        if len(edges) == 2 and not late.intersection(edges):
            late.add(max(edges, key=rank.__getitem__))
        elif len(edges) == 1:
            late.update(edges)
    order = sorted(path.order, key=lambda cut: (cut in late, rank[cut]))
    natural = path.natural - len(late.intersection(path.order[: path.natural - 1]))
    return StoryPath(tuple(order), natural, path.confidence)


def _runs(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Runs of set flags: the first index of each run, and the index after its last."""
    for flag, places in groupby(range(len(flags)), key=lambda place: bool(flags[place])):
        if flag:
            run = [*places]
            yield run[0], run[-1] + 1
