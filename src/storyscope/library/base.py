"""What follows from a library's own verbs, whether it lies in a folder or behind an address."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from storyscope.core import Annotation, Keyframes, Segmentation, Shot, Story, Video
from storyscope.errors import LibraryError, UnknownVideo

if TYPE_CHECKING:
    from storyscope.formats import Timeline


class Shelf(ABC):
    """The verbs that `Library` and `RemoteLibrary` share."""

    @abstractmethod
    def video(self, video: str) -> Video: ...

    @abstractmethod
    def shots(self, video: str) -> tuple[Shot, ...]: ...

    @abstractmethod
    def stories(
        self,
        video: str,
        *,
        granularity: float | None = None,
        count: int | None = None,
        annotator: str | None = None,
    ) -> list[Story]: ...

    @abstractmethod
    def annotations(self, video: str) -> dict[str, Annotation]: ...

    @abstractmethod
    def _about(self, video: str) -> dict[str, Any]:
        """What `list --json` says of a video."""

    @abstractmethod
    def _keyframes(self, video: str) -> Keyframes | None:
        """The pictures of a video, if they are at hand."""

    @abstractmethod
    def _storyboard(self, video: str, stories: list[Story] | None, annotator: str | None) -> str:
        """A page that shows these stories, or those the machine found."""

    def story(self, name: str) -> Story:
        """The story of this id, such as "film/3"."""
        video, slash, _ = name.rpartition("/")
        if not slash:
            raise UnknownVideo(f"a story is called after its video, such as film/3, got {name!r}")
        found = next((story for story in self.stories(video) if story.id == name), None)
        if found is None:
            raise LibraryError(f"no story called {name!r}; `storyscope stories {video}` lists them")
        return found

    def segmentation(self, video: str) -> Segmentation:
        """The machine's stories, over shots."""
        stories = self.stories(video)
        return Segmentation(tuple(s.shots.start for s in stories), stories[-1].shots.stop)

    def version(self, video: str, annotator: str) -> Annotation:
        """A person's version to go on from; the machine's stories when they have none yet."""
        kept = self.annotations(video)
        if annotator in kept:
            return kept[annotator]
        starts = tuple(story.span.start for story in self.stories(video))
        return Annotation(annotator, starts, self.video(video).duration)

    def timeline(
        self,
        video: str,
        *,
        level: str = "stories",
        annotator: str | None = None,
        granularity: float | None = None,
    ) -> Timeline:
        """What every format is written from: `level` is stories, shots or nested.

        Nested are stories with their shots inside, for the formats that can hold both.
        """
        from storyscope.formats import Entry, Timeline, timeline_of

        film, stories = self.video(video), None
        spans = [shot.span for shot in self.shots(video)] if level != "stories" else []
        shots = tuple(Entry(span, f"Shot {number}") for number, span in enumerate(spans, start=1))
        if level == "shots":
            line = Timeline(film, shots)
        else:
            stories = self.stories(video, annotator=annotator, granularity=granularity)
            line = timeline_of(film, stories, annotator=annotator or "storyscope")
            line = replace(line, shots=shots)
        return replace(
            line,
            keyframes=self._keyframes(video),
            storyboard=lambda: self._storyboard(video, stories, annotator),
        )

    def story_facts(self, video: str, stories: Sequence[Story]) -> dict[str, Any]:
        """What `stories --json` says."""
        return {"video": self._about(video), "stories": [story.facts() for story in stories]}
