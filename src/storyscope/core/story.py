"""Stories, their thumbnails, and search hits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from storyscope.core.span import Span


@dataclass(frozen=True)
class Story:
    """A run of shots that belong together."""

    id: str
    """Video id and number, such as "film/3"."""
    video: str
    shots: range
    span: Span
    title: str = ""
    keywords: tuple[str, ...] = ()
    summary: str = ""
    """The most central sentence spoken in it, or empty."""

    def facts(self) -> dict[str, Any]:
        """The fields of `stories --json`, with times in seconds."""
        return {
            "start": self.span.start,
            "end": self.span.end,
            "title": self.title,
            "keywords": list(self.keywords),
            "summary": self.summary,
            "shots": [self.shots.start, self.shots.stop],
        }


@dataclass(frozen=True)
class Thumbnail:
    """The frame that represents a story."""

    story: str
    seconds: float
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    because: str = ""
    """One line that explains the choice."""


@dataclass(frozen=True)
class Hit:
    """One search result: this story of this video, shown by this frame."""

    video: str
    story: Story
    thumbnail: Thumbnail
    score: float
    """Probability that it is relevant; a cosine for searches by image or by story."""
    parts: Mapping[str, float] = field(default_factory=dict)
    evidence: str = ""
    """One line of evidence: `Spoken, 12:03: “...”`, `Visual, 7:08: sea lion`."""

    def facts(self) -> dict[str, Any]:
        """The fields of `search --json`, with times in seconds."""
        return {
            "video": self.video,
            "story": {"id": self.story.id, **self.story.facts()},
            "thumbnail": {"seconds": self.thumbnail.seconds, "because": self.thumbnail.because},
            "score": self.score,
            "parts": dict(self.parts),
            "evidence": self.evidence,
        }
