"""Which stories may answer."""

from __future__ import annotations

from dataclasses import dataclass

from storyscope.core import Story


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Which stories may answer; None lets all pass."""

    video: str | None = None
    after: float | None = None
    """Seconds into the video: the story must not begin earlier..."""
    before: float | None = None
    """...nor end later."""
    shortest: float | None = None
    longest: float | None = None
    """Seconds."""
    language: str | None = None
    """Of what is said in the video, as "en"."""

    def passes(self, story: Story, language: str) -> bool:
        span = story.span
        return (
            self.video in (None, story.video)
            and (self.after is None or span.start >= self.after)
            and (self.before is None or span.end <= self.before)
            and (self.shortest is None or span.length >= self.shortest)
            and (self.longest is None or span.length <= self.longest)
            and (self.language is None or language.split("-")[0] == self.language)
        )
