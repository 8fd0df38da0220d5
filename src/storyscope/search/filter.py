"""Which stories a search may return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from storyscope.core import Span, Story


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Which stories a search may return; None lets all pass."""

    video: str | None = None
    after: float | None = None
    """Seconds into the video before which a story must not begin."""
    before: float | None = None
    """Seconds into the video after which a story must not end."""
    shortest: float | None = None
    """Length in seconds of the shortest story."""
    longest: float | None = None
    """Length in seconds of the longest story."""
    language: str | None = None
    """ISO 639-1 code of the video's transcript, such as "en"."""
    speaker: str | None = None
    """Name of a person who must speak in the story; the library looks up their turns."""
    face: str | None = None
    """Name of a person whose face must be seen in the story; the library looks up the times."""

    def passes(self, story: Story, language: str) -> bool:
        """Whether a story passes, given the `language` of its video's transcript."""
        span = story.span
        return (
            self.video in (None, story.video)
            and (self.after is None or span.start >= self.after)
            and (self.before is None or span.end <= self.before)
            and (self.shortest is None or span.length >= self.shortest)
            and (self.longest is None or span.length <= self.longest)
            and (self.language is None or language.split("-")[0] == self.language)
        )


@dataclass(frozen=True, kw_only=True)
class Within(Filter):
    """A filter that also requires people to be in the story: the middle of one of their times."""

    stretches: Sequence[Mapping[str, tuple[Span, ...]]]
    """For each person, their times by video, such as the turns of a speaker."""

    def passes(self, story: Story, language: str) -> bool:
        inside = all(
            any(stretch.middle in story.span for stretch in by_video.get(story.video, ()))
            for by_video in self.stretches
        )
        return inside and super().passes(story, language)
