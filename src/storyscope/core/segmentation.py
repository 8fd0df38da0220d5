"""Positions split into consecutive stories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from storyscope.errors import InvalidSegmentation


@dataclass(frozen=True)
class Segmentation:
    """Consecutive stories over the integer positions [0, end).

    `starts` holds the first position of each story: starts (0, 4, 9) with end 12 is three stories.
    Positions are shots when partitioning and frames when scoring.
    """

    starts: tuple[int, ...]
    end: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", tuple(_as_position(start) for start in self.starts))
        object.__setattr__(self, "end", _as_position(self.end))
        edges = (*self.starts, self.end)
        if edges[0] != 0 or any(left >= right for left, right in pairwise(edges)):
            raise InvalidSegmentation(
                f"story starts must rise from 0 and stay below the end {self.end}, "
                f"got {_short(self.starts)}"
            )

    @classmethod
    def from_cuts(cls, cuts: Iterable[int], end: int) -> Segmentation:
        """Build from the positions where a new story begins, without 0."""
        return cls((0, *cuts), end)

    @property
    def cuts(self) -> tuple[int, ...]:
        """Positions at which one story ends and the next begins; none for a single story."""
        return self.starts[1:]

    @property
    def edges(self) -> tuple[int, ...]:
        """All starts, and the end: story i is [edges[i], edges[i + 1])."""
        return (*self.starts, self.end)

    def __len__(self) -> int:
        return len(self.starts)

    def __iter__(self) -> Iterator[range]:
        """Yield each story as its range of positions."""
        return map(range, self.starts, self.edges[1:])

    def on(self, edges: Sequence[int]) -> Segmentation:
        """The same stories on another scale; position i becomes edges[i].

        From shots to frames, `edges` holds the first frame of each shot and the frame count.
        """
        if len(edges) != self.end + 1:
            raise InvalidSegmentation(
                f"{self.end} positions need {self.end + 1} edges, got {len(edges)}"
            )
        return Segmentation(tuple(edges[start] for start in self.starts), edges[self.end])


def _as_position(value: int) -> int:
    try:
        whole = int(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidSegmentation(f"a position is a whole number, got {value!r}") from error
    if whole != value:
        raise InvalidSegmentation(f"a position is a whole number, got {value!r}")
    return whole


def _short(starts: tuple[int, ...]) -> str:
    return str(starts) if len(starts) <= 12 else f"{starts[:12]} and {len(starts) - 12} more"
