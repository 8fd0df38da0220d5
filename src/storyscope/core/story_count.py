"""The wanted number of stories of a video, in one of three forms."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite

from storyscope.core.path import StoryPath
from storyscope.core.segmentation import Segmentation
from storyscope.core.words import count_stories
from storyscope.errors import InvalidSetting


@dataclass(frozen=True)
class StoryCount:
    """A granularity, "about 8 stories" or "about 5 minutes each"; none of them by default.

    Without any, there are as many stories as the detector itself finds.
    """

    granularity: float | None = None
    """From 0 (one story) through 0.5 (as found) to 1 (one story per shot)."""
    about: int | None = None
    """About this many stories."""
    minutes: float | None = None
    """Stories of about this many minutes each."""

    def __post_init__(self) -> None:
        if len(self.facts) > 1:
            named = ", ".join(f"{name} {value:g}" for name, value in self.facts.items())
            raise InvalidSetting(f"give only one of granularity, about and minutes, got {named}")
        if self.granularity is not None and not 0 <= self.granularity <= 1:
            raise InvalidSetting(f"granularity goes from 0 to 1, got {self.granularity:g}")
        if self.about is not None and self.about < 1:
            raise InvalidSetting(f"a video has at least 1 story, got about {self.about}")
        if self.minutes is not None and not (isfinite(self.minutes) and self.minutes > 0):
            raise InvalidSetting(f"stories last more than 0 minutes, got {self.minutes:g}")

    @property
    def facts(self) -> dict[str, float]:
        """The setting in use, by its name; empty if there is none."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def __bool__(self) -> bool:
        return bool(self.facts)

    def __str__(self) -> str:
        """The setting as text for people."""
        if self.about is not None:
            return f"about {count_stories(self.about)}"
        if self.minutes is not None:
            return f"about {self.minutes:g} {'minute' if self.minutes == 1 else 'minutes'} each"
        if self.granularity is not None:
            return f"granularity {self.granularity:g}"
        return "as many stories as are found"

    def of(self, path: StoryPath, seconds: float) -> Segmentation:
        """The stories of a video with this duration in seconds."""
        if self.about is not None:
            return path.about(self.about)
        if self.minutes is not None:
            return path.about(max(1, round(seconds / (60 * self.minutes))))
        return path.stories if self.granularity is None else path.at(self.granularity)
