"""Search in a library: which stories may match, and the titles of the hits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from storyscope.core import Hit, Story, StoryCount, Thumbnail
from storyscope.library.listing import require_record
from storyscope.library.people import FACES, SPEAKERS, hits_of_person, people_called
from storyscope.library.thumbnails import preferred
from storyscope.search import Filter, Searcher, Within

if TYPE_CHECKING:
    from storyscope.library.local import LocalLibrary


class LibrarySearch:
    """Finds stories of one library, regrouped into `count` stories per video if that is set."""

    def __init__(self, library: LocalLibrary, count: StoryCount) -> None:
        self._library, self._store, self._count = library, library.store, count

    def search(self, text: str, *, limit: int, offset: int, only: Filter | None) -> list[Hit]:
        """Stories that a text describes, or in which the person of that name is heard or seen."""
        allowed = self._allowed(only)
        if people_called(self._store, text):
            return hits_of_person(self._library, text, allowed)[offset : offset + limit]
        return self._titled(self.searcher.search(text, limit=limit, offset=offset, only=allowed))

    def search_image(self, image: Path, *, limit: int, only: Filter | None) -> list[Hit]:
        """Stories that show what an image shows."""
        return self._titled(
            self.searcher.search_image(image, limit=limit, only=self._allowed(only))
        )

    def more_like(self, story: Story, *, limit: int, only: Filter | None) -> list[Hit]:
        """Stories that resemble this one."""
        return self._titled(self.searcher.more_like(story, limit=limit, only=self._allowed(only)))

    def thumbnails(self, stories: Sequence[Story]) -> list[Thumbnail]:
        """The thumbnails of stories of one video without a query."""
        return self.searcher.thumbnails(stories)

    def prepare(self) -> None:
        """Build what the next search needs."""
        self.searcher.prepare()

    @cached_property
    def searcher(self) -> Searcher:
        """The interface of everything that scores stories."""
        return Searcher(
            self._store,
            self._library.config,
            folder=self._library.folder,
            index_files=not self._count,
            chosen_thumbnail=partial(preferred, self._store),
        )

    def _allowed(self, only: Filter | None) -> Filter:
        """The filter with the times of people; an unknown video is an error, not no hits."""
        if only is not None and only.video is not None:
            require_record(self._store, only.video)
        only = only or Filter()
        wanted = ((SPEAKERS, only.speaker), (FACES, only.face))
        times = [people.times_of(self._store, name) for people, name in wanted if name is not None]
        return Within(**vars(only), stretches=times) if times else only

    def _titled(self, hits: list[Hit]) -> list[Hit]:
        """The hits with titles, which stories regrouped for this search lack."""
        if not self._count:
            return hits
        videos = {hit.video for hit in hits}
        named = {video: {s.id: s for s in self._library.stories(video)} for video in videos}
        return [replace(hit, story=named[hit.video][hit.story.id]) for hit in hits]
