"""People of a video, by their voices or their faces: when each is there, and what they are called.

Speakers and faces are found by different networks (`library/speakers.py`, `library/faces.py`), and
kept, named, searched and deleted in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from storyscope.core import Hit, Span, Story, format_time
from storyscope.errors import UnknownName
from storyscope.library.documents import JsonDocument, forget
from storyscope.search import Filter
from storyscope.search.scores import named_parts
from storyscope.store import PASSAGES, Store

if TYPE_CHECKING:
    from storyscope.library.local import LocalLibrary


class Portrait(NamedTuple):
    """Where a person is to be seen: a time, and a box in shares of the picture's size."""

    seconds: float
    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True)
class People:
    """One way to tell people apart, and its document in the library."""

    noun: str
    """What one of them is called, such as `speaker`; also the name of its command, in plural."""
    stretches: str
    """What the times at which one of them is there are called, such as `turns`."""

    @property
    def plural(self) -> str:
        return f"{self.noun}s"

    @cached_property
    def document(self) -> JsonDocument[dict[str, Any]]:
        """The times and the names of people, for each analysed video."""
        return JsonDocument(f"{self.plural}.json", self._checked, dict)

    def keep(
        self,
        store: Store,
        video: str,
        times: Sequence[tuple[Span, int]],
        pictures: Mapping[int, Portrait] | None = None,
    ) -> None:
        """Store when each person is there, and where to see them; old names are dropped."""
        with self.document.change(store) as kept:
            kept[video] = {
                self.stretches: [(span.start, span.end, number) for span, number in times],
                "names": {},
                "pictures": {str(number): of for number, of in (pictures or {}).items()},
            }

    def rows(self, store: Store, video: str) -> list[dict[str, Any]]:
        """Number, name, seconds and times of each person, the one who is there longest first."""
        facts = self._facts(store, video)
        times = facts[self.stretches]
        return [
            {
                self.noun: number,
                "name": facts["names"].get(str(number), ""),
                "seconds": round(sum(b - a for a, b, who in times if who == number), 2),
                self.stretches: [[a, b] for a, b, who in times if who == number],
            }
            for number in sorted({who for _, _, who in times})
        ]

    def picture(self, store: Store, video: str, number: int) -> Portrait:
        """Where a person is to be seen; an UnknownName if there is no such person."""
        found = self._facts(store, video).get("pictures", {}).get(str(number))
        if found is None:
            raise UnknownName(f"{video} has no {self.noun} {number}")
        return Portrait(*found)

    def names(self, store: Store) -> list[str]:
        """The names that users gave, in any video."""
        every = self.document.read_or_empty(store).values()
        names = {name.casefold(): name for facts in every for name in facts["names"].values()}
        return [names[key] for key in sorted(names)]

    def name(self, store: Store, video: str, names: Mapping[int, str]) -> None:
        """Name people of a video; an empty name removes the old one."""
        known = {row[self.noun] for row in self.rows(store, video)}
        for number in names:
            if number not in known:
                choices = ", ".join(map(str, sorted(known))) or "none were found yet"
                raise UnknownName(
                    f"{video} has no {self.noun} {number}; its {self.plural} are: {choices}"
                )
        with self.document.change(store) as kept:
            for number, name in names.items():
                kept[video]["names"][str(number)] = name
                if not name:
                    del kept[video]["names"][str(number)]

    def forget(self, store: Store, video: str) -> None:
        """Delete what is known about the people of a video."""
        forget(store, video, self.document)

    def times_of(self, store: Store, name: str) -> dict[str, tuple[Span, ...]]:
        """When the person with this name is there, by video; an UnknownName if there is none."""
        found = {}
        for video, facts in self.document.read(store).items():
            called = {int(n) for n, of in facts["names"].items() if _same(of, name)}
            if called:
                times = facts[self.stretches]
                found[video] = tuple(Span(a, b) for a, b, who in times if who in called)
        if not found:
            known = ", ".join(self.names(store)) or "nobody is named yet"
            raise UnknownName(
                f"no {self.noun} called {name!r} ({known}); name one with "
                f"`storyscope {self.plural} VIDEO --name 1=NAME`"
            )
        return found

    def _facts(self, store: Store, video: str) -> dict[str, Any]:
        empty: dict[str, Any] = {self.stretches: [], "names": {}}
        return dict(self.document.read(store).get(video, empty))

    def _checked(self, kept: dict[str, dict[str, Any]]) -> dict[str, Any]:
        return {
            str(video): {
                self.stretches: [(float(a), float(b), int(n)) for a, b, n in facts[self.stretches]],
                "names": {str(number): str(name) for number, name in facts["names"].items()},
                "pictures": {
                    str(number): Portrait(*map(float, of))
                    for number, of in facts.get("pictures", {}).items()
                },
            }
            for video, facts in kept.items()
        }


SPEAKERS = People("speaker", "turns")
FACES = People("face", "appearances")


def people_called(store: Store, text: str) -> list[People]:
    """The ways in which somebody with exactly this name is known."""
    return [
        people
        for people in (SPEAKERS, FACES)
        if any(_same(name, text) for name in people.names(store))
    ]


def hits_of_person(library: LocalLibrary, name: str, only: Filter) -> list[Hit]:
    """Stories in which somebody is heard or seen, longest first; the score is their share of it."""
    found: dict[str, tuple[float, Story, str]] = {}
    for people in people_called(library.store, name):
        for video, spans in people.times_of(library.store, name.strip()).items():
            language = library.store.load(video, PASSAGES).language
            for story in library.stories(video):
                inside = [span for span in spans if span.middle in story.span]
                if not inside or not only.passes(story, language):
                    continue
                seconds = sum(span.length for span in inside)
                if seconds > found.get(story.id, (0.0,))[0]:
                    when = format_time(inside[0].start)
                    evidence = f"{people.noun.title()}, {when}: {name.strip()} ({seconds:.0f} s)"
                    found[story.id] = (seconds, story, evidence)
    return [
        Hit(
            story.video,
            story,
            library.thumbnail(story.video, story),
            min(1.0, seconds / story.span.length),
            named_parts(),
            evidence,
        )
        for seconds, story, evidence in sorted(found.values(), key=lambda each: -each[0])
    ]


def _same(name: str, other: str) -> bool:
    return name.strip().casefold() == other.strip().casefold()
