"""The methods of every library, local or remote."""

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
"""The annotator name of the automatic stories."""


class Library:
    """Videos and their stories; `Library(place)` opens the kind of library that `place` refers to.

    A place is a folder, which is created if missing, the address of a library in PostgreSQL, such
    as postgresql://host/name?arrays=/shared/folder, or of a library served by `storyscope serve`,
    such as http://host:8000. Operations that a kind of library does not support raise a
    LibraryError.
    """

    place: str
    """The address that opens this library again, here or in another process."""
    _kinds: ClassVar[dict[str, type[Library]]] = {}

    def __init_subclass__(cls, *, schemes: Sequence[str] = (), **rest: Any) -> None:
        """Register this class for places that begin with one of these schemes."""
        super().__init_subclass__(**rest)
        Library._kinds |= dict.fromkeys(schemes, cls)

    def __new__(cls, place: str | Path = "", **options: Any) -> Self:
        kind: Any = _kind_of(place) if cls is Library else cls
        opened: Self = super().__new__(kind)
        return opened

    def __init__(self, place: str | Path, **options: Any) -> None:
        """Open the library; `options` depend on its kind, such as `config` for a folder."""

    def add(
        self,
        path: str | Path,
        *,
        transcript: str | Path | None = None,
        again: bool = False,
        report: Report = silent,
    ) -> Video:
        """Index a video, or resume an interrupted run; return it with its id.

        Nothing is computed twice: an unchanged file with unchanged settings is skipped. `again`
        recomputes everything.
        """
        raise self._cannot("add")

    def remove(self, video: str) -> None:
        """Remove a video and everything computed from it.

        Its file is not touched, unless it is the library's own copy of an upload.
        """
        raise self._cannot("remove")

    def videos(self) -> list[VideoRecord]:
        """Every video with its state, sorted by id."""
        raise self._cannot("videos")

    def video(self, video: str) -> Video:
        """The video with this id."""
        raise self._cannot("video")

    def facts(self) -> list[dict[str, Any]]:
        """The facts in `list --json` about every video."""
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
        """The stories of a video, as they were detected or as a person marked them.

        At most one of `granularity` from 0 (few) to 1 (many), an approximate `count` and a length
        in `minutes` regroups the shots; otherwise `story_count` applies.
        """
        raise self._cannot("stories")

    def path(self, video: str) -> StoryPath:
        """The stories of a video at every granularity, with the confidence of each boundary."""
        raise self._cannot("path")

    def features(self, video: str) -> list[Features]:
        """The cues that this video has; a film without sound has no `audio`."""
        raise self._cannot("features")

    def cues(self, video: str) -> list[str]:
        """Names of the cues that were used to detect the stories of this video."""
        raise self._cannot("cues")

    def transcript(
        self, video: str, *, screen: bool = False, sounds: bool = False
    ) -> Transcript | None:
        """The transcript of a video, or the text on its `screen`, or the names of its `sounds`.

        None if there is none.
        """
        raise self._cannot("transcript")

    def find_speakers(self, video: str, *, report: Report = silent) -> None:
        """Identify the speakers of a video by their voices, and store their turns."""
        raise self._cannot("find_speakers")

    def speakers(self, video: str) -> list[dict[str, Any]]:
        """Number, name, seconds and turns of each speaker; empty if speakers were not analysed."""
        raise self._cannot("speakers")

    def name_speakers(self, video: str, names: Mapping[int, str]) -> None:
        """Name the speakers of a video, by their numbers."""
        raise self._cannot("name_speakers")

    def forget_speakers(self, video: str) -> None:
        """Delete the turns and names of a video's speakers."""
        raise self._cannot("forget_speakers")

    def find_faces(self, video: str, *, report: Report = silent) -> None:
        """Find the people whose faces a video shows, and store when they are seen."""
        raise self._cannot("find_faces")

    def faces(self, video: str) -> list[dict[str, Any]]:
        """Number, name, seconds and appearances of each face; empty if they were not analysed."""
        raise self._cannot("faces")

    def face_picture(self, video: str, number: int) -> bytes:
        """A JPEG of a face that was found in a video."""
        raise self._cannot("face_picture")

    def name_faces(self, video: str, names: Mapping[int, str]) -> None:
        """Name the faces of a video, by their numbers."""
        raise self._cannot("name_faces")

    def forget_faces(self, video: str) -> None:
        """Delete the appearances and names of a video's faces."""
        raise self._cannot("forget_faces")

    def damage(self, video: str) -> str:
        """A description of damage to the video's file; empty if it was read completely."""
        raise self._cannot("damage")

    def explain(self, video: str, *, granularity: float | None = None) -> list[dict[str, Any]]:
        """Why each automatic story after the first begins where it does, at any granularity.

        A record for each: `index` of the story (the first has 0), `start` in seconds, `confidence`
        from 0 to 1, and the share of each cue in the decision, negative for evidence against it;
        `frames`, the seconds of the keyframes before and after it, and the `words` spoken there.
        """
        raise self._cannot("explain")

    def cue_importance(self, video: str) -> dict[str, float]:
        """How much each cue matters over the whole video, by averaged absolute gradients."""
        raise self._cannot("cue_importance")

    def comparison(self, video: str, *, baselines: bool = False) -> dict[str, Any]:
        """All versions of the stories, the agreement of each pair, and the consensus of people.

        With `baselines`, the results of other methods are included.
        """
        raise self._cannot("comparison")

    def search(
        self, text: str, *, limit: int = 10, offset: int = 0, only: Filter | None = None
    ) -> list[Hit]:
        """Stories that match the text, best first, after the first `offset` of them.

        The list is empty if nothing is relevant.
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
        """The thumbnail of a story when there is no query."""
        raise self._cannot("thumbnail")

    def prefer_thumbnail(self, story: Story, seconds: float) -> float:
        """Make a frame the thumbnail of a story, and learn from it; return the time of the
        frame."""
        raise self._cannot("prefer_thumbnail")

    def write_thumbnails(self, video: str) -> list[tuple[Thumbnail, tuple[Path, Path]]]:
        """Write every story's thumbnail, large and small, and a sprite sheet."""
        raise self._cannot("write_thumbnails")

    def chosen_pictures(self, video: str, annotator: str) -> tuple[float | None, ...]:
        """For each of a person's stories, the time in seconds of the frame they chose, or None."""
        if annotator == AUTOMATIC:
            return (None,) * len(self.stories(video, annotator=annotator))
        version = self.version(video, annotator)
        return version.thumbnails or (None,) * len(version.starts)

    def picture(self, video: str, seconds: float) -> Path:
        """A file with the keyframe nearest to a time."""
        raise self._cannot("picture")

    def picture_times(self, video: str) -> list[tuple[int, float]]:
        """The shot and the time of every keyframe."""
        raise self._cannot("picture_times")

    def annotate(self, video: str, annotation: Annotation) -> None:
        """Store a person's version of the stories next to the automatic one."""
        raise self._cannot("annotate")

    def discard_annotation(self, video: str, annotator: str) -> None:
        """Delete a person's version."""
        raise self._cannot("discard_annotation")

    def annotations(self, video: str) -> dict[str, Annotation]:
        """Every person's version of the stories, by annotator."""
        raise self._cannot("annotations")

    def own_version(self, video: str) -> str | None:
        """The annotator whose version is the library's current one; None for the automatic one."""
        raise self._cannot("own_version")

    def story_count(self, video: str) -> StoryCount:
        """The number of stories wanted of this video, by its own setting or the library's."""
        raise self._cannot("story_count")

    def keep_story_count(self, video: str, count: StoryCount | None) -> None:
        """Set the number of stories of a video, for search, export and everything else.

        None removes the video's own setting, so that the library's applies.
        """
        raise self._cannot("keep_story_count")

    def with_story_count(self, count: StoryCount) -> Library:
        """The same library with a temporarily different number of stories in every video."""
        raise self._cannot("with_story_count")

    def with_settings(self, settings: Sequence[str], *, preset: str | None = None) -> Library:
        """The same library with temporarily different settings."""
        raise self._cannot("with_settings")

    def keep_settings(
        self, settings: Sequence[str], *, preset: str | None = None, report: Report = silent
    ) -> None:
        """Write settings to the library's settings file.

        A new number of stories takes effect immediately; other settings take effect when videos are
        added again.
        """
        raise self._cannot("keep_settings")

    def findings(
        self, video: str, *, stories: Sequence[Story] | None = None, truth: Truth | None = None
    ) -> Findings:
        """Everything that a report shows of a video: its stories, shots, keyframes and
        thumbnails."""
        raise self._cannot("findings")

    def draw_hits(self, query: str, hits: Sequence[Hit], path: Path) -> None:
        """Draw hits: the middle, most beautiful and chosen frame of each story."""
        raise self._cannot("draw_hits")

    def story(self, name: str) -> Story:
        """The story with this id, such as "film/3"."""
        video, slash, _ = name.rpartition("/")
        if not slash:
            raise UnknownVideo(f"the id of a story is written as film/3, got {name!r}")
        found = next((story for story in self.stories(video) if story.id == name), None)
        if found is None:
            raise LibraryError(f"no story called {name!r}; `storyscope stories {video}` lists them")
        return found

    def segmentation(self, video: str) -> Segmentation:
        """The library's stories of a video, as a segmentation of its shots."""
        stories = self.stories(video)
        return Segmentation(tuple(s.shots.start for s in stories), stories[-1].shots.stop)

    def version(self, video: str, annotator: str) -> Annotation:
        """A person's version to continue editing; the library's stories if they have none yet."""
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
        """The timeline that every format is written from: `level` is stories, shots or nested.

        Nested means stories with their shots inside, for formats that support both. If `stories`
        are given, they are written instead of the library's own.
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
        """The facts in `stories --json`."""
        return {"video": self._about(video), "stories": [story.facts() for story in stories]}

    def _contact_sheet(self, video: str, stories: list[Story]) -> Callable[[Path], None] | None:
        """A function that draws these stories as a contact sheet, if the pictures are available."""
        return None

    def _about(self, video: str) -> dict[str, Any]:
        """The facts in `list --json` about a video."""
        return next(facts for facts in self.facts() if facts["id"] == video)

    def _keyframes(self, video: str) -> Keyframes | None:
        """The pictures of a video, if they are available."""
        return None

    def _storyboard(self, video: str, stories: list[Story] | None, annotator: str | None) -> str:
        """An HTML page that shows these stories, or the library's own."""
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
        raise LibraryError(f"cannot open a library at {address}; give a folder, or one of {others}")
    return Library._kinds[scheme]
