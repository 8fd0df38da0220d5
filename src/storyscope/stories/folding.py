"""Stretches that tell nothing by themselves, folded into the stories beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from storyscope.core import StoryPath


def fold(path: StoryPath, blank: Sequence[bool], *, credits_start: int) -> StoryPath:
    """The same path, in which no blank stretch is a story, and the closing credits are one story.

    `blank` says of each shot whether it shows nothing; from `credits_start` on a video shows only
    lettering. Changes of shot that would set such a stretch apart come last in the path: they
    count when every other change of shot does.
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
    told = path.order[: path.natural - 1]
    order = [cut for cut in path.order if cut not in late]
    order += [cut for cut in path.order if cut in late]
    natural = 1 + sum(cut not in late for cut in told)
    return StoryPath(tuple(order), natural, path.confidence)


def _runs(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Where the flags are set: the first place of each run, and the place after its last."""
    start = None
    for place, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = place
        elif not flag and start is not None:
            yield start, place
            start = None
