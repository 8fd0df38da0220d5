"""The stories of a video at all granularities, each nested in the next coarser one."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from storyscope.core.segmentation import Segmentation
from storyscope.errors import InvalidSegmentation, InvalidSetting


@dataclass(frozen=True)
class StoryPath:
    """The shot changes, most important first: the first k of them begin k + 1 stories.

    Because every granularity uses a prefix of the same list, a finer one never removes a boundary
    of a coarser one.
    """

    order: tuple[int, ...]
    """Every shot change once, as the number of the shot it leads into."""
    natural: int
    """The number of stories that the detector itself chooses."""
    confidence: tuple[float, ...]
    """Probability that a story begins with each shot; 1 for the first."""

    def __post_init__(self) -> None:
        shots = len(self.confidence)
        if sorted(self.order) != list(range(1, shots)) or not 1 <= self.natural <= max(shots, 1):
            raise InvalidSegmentation(
                f"a path of {shots} shots lists every shot change once, and has 1 to {shots} "
                f"stories; got {len(self.order)} changes and {self.natural} stories"
            )

    @property
    def shots(self) -> int:
        return len(self.confidence)

    @property
    def stories(self) -> Segmentation:
        """The stories that the detector itself chooses."""
        return self.about(self.natural)

    def about(self, count: int) -> Segmentation:
        """That many stories, or as close as the number of shots allows."""
        if count < 1:
            raise InvalidSetting(f"stories count from 1 up, got {count}")
        return Segmentation.from_cuts(sorted(self.order[: count - 1]), self.shots)

    def at(self, granularity: float) -> Segmentation:
        """From one story at 0 through the natural number at .5 to one story per shot at 1.

        On either side of the natural number, equal steps multiply the number of stories by equal
        factors.
        """
        if not 0 <= granularity <= 1:
            raise InvalidSetting(f"granularity goes from 0 to 1, got {granularity}")
        natural, shots = self.natural, self.shots
        if granularity <= 0.5:
            return self.about(round(natural ** (2 * granularity)))
        return self.about(round(natural * (shots / natural) ** (2 * granularity - 1)))

    def granularity_of(self, count: int) -> float:
        """The granularity with about this many stories; the inverse of `at`."""
        if count <= self.natural:
            return 0.5 * log(count) / log(self.natural) if self.natural > 1 else 0.5
        return 0.5 + 0.5 * log(count / self.natural) / log(self.shots / self.natural)

    def with_lead(self) -> StoryPath:
        """The path of a video with one more shot before these, which is a story of its own."""
        order = (1, *(change + 1 for change in self.order))
        return StoryPath(order, self.natural + 1, (1.0, 1.0, *self.confidence[1:]))

    def levels(self, *granularities: float) -> tuple[Segmentation, ...]:
        """Nested levels, coarse to fine, such as chapters over stories over scenes."""
        return tuple(self.at(granularity) for granularity in sorted(granularities))
