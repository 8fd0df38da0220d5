"""The verbs of every library, whether its videos lie in a folder or behind an address."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

from storyscope.core import (
    Annotation,
    Features,
    Hit,
    Keyframes,
    Segmentation,
    Shot,
    Story,
    StoryCount,
    StoryPath,
    Thumbnail,
    Transcript,
    Video,
)
from storyscope.errors import LibraryError, UnknownVideo
from storyscope.formats import Entry, Timeline, timeline_of
from storyscope.progress import Report, silent
from storyscope.report import Findings, Truth
from storyscope.search import Filter
from storyscope.store import FOLDER, VideoRecord, address_of, without_password

AUTOMATIC = "automatic"
"""The annotator whose stories are the automatic ones, whichever version is the library's own."""


class Library:
    """Videos and their stories; `Library(place)` opens the kind of library that `place` names.

    A place is a folder, which is created if missing, the address of a library in PostgreSQL, such
    as postgresql://host/name?arrays=/shared/folder, or of one that `storyscope serve` shows, such
    as http://host:8000. What a kind of library cannot do, it
    refuses with a LibraryError.
    """

    place: str
    """What opens this library again, here or in another process."""
    _kinds: ClassVar[dict[str, type[Library]]] = {}

    def __init_subclass__(cls, *, schemes: Sequence[str] = (), **rest: Any) -> None:
        """Let a kind of library open the places that begin with one of these schemes."""
        super().__init_subclass__(**rest)
        Library._kinds |= dict.fromkeys(schemes, cls)

    def __new__(cls, place: str | Path = "", **options: Any) -> Self:
        kind: Any = _kind_of(place) if cls is Library else cls
        opened: Self = super().__new__(kind)
        return opened

    def __init__(self, place: str | Path, **options: Any) -> None:
        """Open the library; `options` are those of its kind, such as `config` for a folder."""

    def add(
        self,
        path: str | Path,
        *,
        transcript: str | Path | None = None,
        again: bool = False,
        report: Report = silent,
    ) -> Video:
        """Index a video, or finish what an earlier run began; return it with its id.

        Nothing is computed twice: an unchanged file with unchanged settings costs nothing.
        `again` forgets what was finished before.
        """
        raise self._cannot("add")

    def remove(self, video: str) -> None:
        """Forget a video and all that was made of it.

        Its file is not touched, unless it is the library's own copy of what was uploaded.
        """
        raise self._cannot("remove")

    def videos(self) -> list[VideoRecord]:
        """Every video with its state, in the order of their ids."""
        raise self._cannot("videos")

    def video(self, video: str) -> Video:
        """The video of this id."""
        raise self._cannot("video")

    def facts(self) -> list[dict[str, Any]]:
        """What `list --json` says of every video."""
        raise self._cannot("facts")

    def shots(self, video: str) -> tuple[Shot, ...]:
        """The shots of a video; they tile it."""
        raise self._cannot("shots")

    def stories(
        self,
        video: str,
        *,
        granularity: float | None = None,
        count: int | None = None,
        minutes: float | None = None,
        annotator: str | None = None,
    ) -> list[Story]:
        """The stories of a video, as they were found or as a person marked them.

        One of `granularity` from 0 (few) to 1 (many), a wanted `count` and about so many `minutes`
        each regroups the shots at once; else there are as many as `story_count` says.
        """
        raise self._cannot("stories")

    def path(self, video: str) -> StoryPath:
        """Every granularity of a video's stories, and how sure each boundary is."""
        raise self._cannot("path")

    def features(self, video: str) -> list[Features]:
        """The cues that this video has; a film without sound has no `audio`."""
        raise self._cannot("features")

    def cues(self, video: str) -> list[str]:
        """Names of the cues that the stories of this video stand on."""
        raise self._cannot("cues")

    def transcript(self, video: str, *, screen: bool = False) -> Transcript | None:
        """The words of a video, or those on its `screen`, with their times, where there are any."""
        raise self._cannot("transcript")

    def find_speakers(self, video: str, *, report: Report = silent) -> None:
        """Tell the speakers of a video apart by their voices, and keep their turns."""
        raise self._cannot("find_speakers")

    def speakers(self, video: str) -> list[dict[str, Any]]:
        """Number, name, seconds and turns of each speaker; none where nobody asked for them."""
        raise self._cannot("speakers")

    def name_speakers(self, video: str, names: Mapping[int, str]) -> None:
        """Keep what people call the speakers of a video, by their numbers."""
        raise self._cannot("name_speakers")

    def forget_speakers(self, video: str) -> None:
        """Delete the turns and names of a video's speakers."""
        raise self._cannot("forget_speakers")

    def damage(self, video: str) -> str:
        """What is wrong with the video's file, in words; empty when it was read whole."""
        raise self._cannot("damage")

    def explain(self, video: str, *, granularity: float | None = None) -> list[dict[str, Any]]:
        """Why each automatic story after the first begins where it does, at any granularity.

        A record for each: `index` of the story (the first has 0), `start` in seconds, `confidence`
        from 0 to 1, and the share of each cue in the decision, below 0 where it spoke against;
        `frames`, the seconds of the keyframes before and after it, and the `words` said there.
        """
        raise self._cannot("explain")

    def cue_importance(self, video: str) -> dict[str, float]:
        """How much each cue matters over the whole video, by averaged absolute gradients."""
        raise self._cannot("cue_importance")

    def comparison(self, video: str, *, baselines: bool = False) -> dict[str, Any]:
        """All versions of the stories, how far each pair agrees, and the consensus of people.

        With `baselines`, what other methods would find is among them.
        """
        raise self._cannot("comparison")

    def search(
        self, text: str, *, limit: int = 10, offset: int = 0, only: Filter | None = None
    ) -> list[Hit]:
        """Stories that answer the text, best first, after the first `offset` of them.

        Nothing relevant is an answer too.
        """
        raise self._cannot("search")

    def search_image(
        self, image: str | Path, *, limit: int = 10, only: Filter | None = None
    ) -> list[Hit]:
        """Stories that show what an example image shows, best first."""
        raise self._cannot("search_image")

    def more_like(self, story: Story, *, limit: int = 10, only: Filter | None = None) -> list[Hit]:
        """Stories about the same subject, or with similar pictures, as this one."""
        raise self._cannot("more_like")

    def thumbnail(self, video: str, story: Story) -> Thumbnail:
        """The frame that stands for a story, whatever is asked."""
        raise self._cannot("thumbnail")

    def prefer_thumbnail(self, story: Story, seconds: float) -> float:
        """Let a frame stand for a story, and learn from it; the time of the frame taken."""
        raise self._cannot("prefer_thumbnail")

    def write_thumbnails(self, video: str) -> list[tuple[Thumbnail, tuple[Path, Path]]]:
        """Every story's thumbnail with its files, large and small; a sprite sheet beside them."""
        raise self._cannot("write_thumbnails")

    def chosen_pictures(self, video: str, annotator: str) -> tuple[float | None, ...]:
        """For each of a person's stories, the second of the frame they chose, or None."""
        if annotator == AUTOMATIC:
            return (None,) * len(self.stories(video, annotator=annotator))
        version = self.version(video, annotator)
        return version.thumbnails or (None,) * len(version.starts)

    def picture(self, video: str, seconds: float) -> Path:
        """A file with the keyframe nearest to a time."""
        raise self._cannot("picture")

    def picture_times(self, video: str) -> list[tuple[int, float]]:
        """The shot and the second of every keyframe."""
        raise self._cannot("picture_times")

    def annotate(self, video: str, annotation: Annotation) -> None:
        """Keep a person's version of the stories beside the automatic one."""
        raise self._cannot("annotate")

    def discard_annotation(self, video: str, annotator: str) -> None:
        """Forget a person's version."""
        raise self._cannot("discard_annotation")

    def annotations(self, video: str) -> dict[str, Annotation]:
        """Every person's version of the stories, by annotator."""
        raise self._cannot("annotations")

    def own_version(self, video: str) -> str | None:
        """Who made the version that is the library's own; None where it is the automatic one."""
        raise self._cannot("own_version")

    def story_count(self, video: str) -> StoryCount:
        """How many stories are wanted of this video, by its own wish or by the settings."""
        raise self._cannot("story_count")

    def keep_story_count(self, video: str, count: StoryCount | None) -> None:
        """Keep how many stories a video has from now on, for search, export and everything else.

        None takes the video's own wish back: it then has as many as the library's settings say.
        """
        raise self._cannot("keep_story_count")

    def with_story_count(self, count: StoryCount) -> Library:
        """The same library with another number of stories in every video for the time being."""
        raise self._cannot("with_story_count")

    def with_settings(self, settings: Sequence[str], *, preset: str | None = None) -> Library:
        """The same library with other settings for the time being."""
        raise self._cannot("with_settings")

    def keep_settings(
        self, settings: Sequence[str], *, preset: str | None = None, report: Report = silent
    ) -> None:
        """Write settings into the library's own file.

        Another number of stories shows at once; all else when videos are added again.
        """
        raise self._cannot("keep_settings")

    def findings(
        self, video: str, *, stories: Sequence[Story] | None = None, truth: Truth | None = None
    ) -> Findings:
        """All that a report shows of a video: its stories, shots, keyframes and thumbnails."""
        raise self._cannot("findings")

    def draw_hits(self, query: str, hits: Sequence[Hit], path: Path) -> None:
        """Write a picture of hits: middle, most beautiful and chosen frame of each story."""
        raise self._cannot("draw_hits")

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
        """The library's stories of a video, over shots."""
        stories = self.stories(video)
        return Segmentation(tuple(s.shots.start for s in stories), stories[-1].shots.stop)

    def version(self, video: str, annotator: str) -> Annotation:
        """A person's version to go on from; the library's stories when they have none yet."""
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
        stories: list[Story] | None = None,
    ) -> Timeline:
        """What every format is written from: `level` is stories, shots or nested.

        Nested are stories with their shots inside, for the formats that can hold both. `stories`
        that are given are written instead of the library's own.
        """
        film = self.video(video)
        spans = [shot.span for shot in self.shots(video)] if level != "stories" else []
        shots = tuple(Entry(span, f"Shot {number}") for number, span in enumerate(spans, start=1))
        if level == "shots":
            line = Timeline(film, shots)
        else:
            if stories is None:
                stories = self.stories(video, annotator=annotator, granularity=granularity)
            line = timeline_of(film, stories, annotator=annotator or "storyscope")
            line = replace(line, shots=shots)
        return replace(
            line,
            keyframes=self._keyframes(video),
            storyboard=lambda: self._storyboard(video, stories, annotator),
            contact_sheet=self._contact_sheet(video, stories) if stories else None,
        )

    def story_facts(self, video: str, stories: Sequence[Story]) -> dict[str, Any]:
        """What `stories --json` says."""
        return {"video": self._about(video), "stories": [story.facts() for story in stories]}

    def _contact_sheet(self, video: str, stories: list[Story]) -> Callable[[Path], None] | None:
        """What draws these stories on one picture, where the pictures are at hand."""
        return None

    def _about(self, video: str) -> dict[str, Any]:
        """What `list --json` says of a video."""
        return next(facts for facts in self.facts() if facts["id"] == video)

    def _keyframes(self, video: str) -> Keyframes | None:
        """The pictures of a video, if they are at hand."""
        return None

    def _storyboard(self, video: str, stories: list[Story] | None, annotator: str | None) -> str:
        """A page that shows these stories, or the library's own."""
        raise self._cannot("storyboard")

    def _cannot(self, verb: str) -> LibraryError:
        return LibraryError(f"a {type(self).__name__} cannot do `{verb}`")


def open_library(place: str | Path, **options: Any) -> Library:
    """Open the library at a place: a folder, or the address of a served one."""
    return Library(place, **options)


def _kind_of(place: str | Path) -> type[Library]:
    scheme, address = address_of(place)
    address = without_password(address)
    if scheme not in Library._kinds:
        others = ", ".join(f"{name}://" for name in Library._kinds if name != FOLDER)
        raise LibraryError(f"no library can be at {address}; name a folder, or one of {others}")
    return Library._kinds[scheme]
