"""A library on this machine: indexing, searching and correcting happen here."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

from storyscope.config import (
    Config,
    load_config,
    parse_settings,
    preset_called,
    with_settings,
)
from storyscope.core import (
    Annotation,
    Features,
    Film,
    Hit,
    Keyframes,
    Shot,
    Span,
    Story,
    StoryCount,
    StoryPath,
    Thumbnail,
    Transcript,
    Video,
)
from storyscope.cues import indexed_cues
from storyscope.errors import (
    AnnotationError,
    InvalidSetting,
    LibraryError,
)
from storyscope.library.adding import add_video, as_it_stands
from storyscope.library.annotations import (
    keep_annotation,
    kept_annotations,
)
from storyscope.library.base import AUTOMATIC, Library
from storyscope.library.comparing import compare, found_by_baselines
from storyscope.library.explaining import Explanations, used_cues
from storyscope.library.faces import face_picture, find_faces
from storyscope.library.listing import facts_of, facts_of_all, require_ready, require_record
from storyscope.library.naming import StoryNamer, annotated_stories, stories_marked
from storyscope.library.own_version import (
    apply_own_version,
    automatic_stories,
    choose_own_version,
    own_version,
)
from storyscope.library.people import FACES, SPEAKERS
from storyscope.library.pictures import (
    draw_hits,
    findings,
    loudness,
    picture_file,
    write_thumbnails,
)
from storyscope.library.removing import remove_video
from storyscope.library.searching import LibrarySearch
from storyscope.library.settings import keep_settings
from storyscope.library.speakers import find_speakers
from storyscope.library.story_counts import RegroupedStore, regroup
from storyscope.library.thumbnails import prefer_frame
from storyscope.library.video_settings import Tables, keep_settings_of, settings_of
from storyscope.progress import Report, silent
from storyscope.report import Findings, Truth, contact_sheet
from storyscope.report.html_page import render
from storyscope.search import Filter
from storyscope.stages.cues import cue_artefact
from storyscope.stages.executor import LocalExecutor, NewExecutor
from storyscope.stages.naming import story_spans
from storyscope.store import (
    CONCEPTS,
    FOLDER,
    SCAN,
    SCREEN,
    SETTINGS_FILE,
    SOUNDS,
    STORES,
    STORIES,
    TITLES,
    TRANSCRIPT,
    SqliteStore,
    Store,
    VideoRecord,
    address_of,
    named_in_settings,
    open_store,
)

FILMS_IN_MEMORY = 4
"""Films whose shots and keyframes are cached, because they are usually requested repeatedly."""
COUNTS_IN_MEMORY = 4
"""Temporary numbers of stories whose search index is cached: a server is asked for page after
page."""
ANSWERS_IN_MEMORY = 64
"""Explanations and baseline stories that are cached, because they take seconds to compute."""


def is_library(place: str | Path) -> bool:
    """Whether a library exists there already; an address would have to be asked."""
    if address_of(place)[0] != FOLDER or named_in_settings(place):
        return True
    return SqliteStore.exists(Path(place).expanduser())


class LocalLibrary(Library, schemes=tuple(STORES)):
    """Videos and their stories, stored in a folder that is created if missing."""

    def __init__(
        self,
        place: str | Path,
        *,
        config: Config | None = None,
        store: Store | None = None,
        executor: NewExecutor = LocalExecutor,
    ) -> None:
        self.store = store or open_store(place)
        self.place, self.folder = self.store.place, self.store.folder
        self.config_path = self.store.document(SETTINGS_FILE)
        self.uploads = self.store.uploads
        """Where copies of uploaded videos are, and no files of the user."""
        self.config = config or load_config(self.config_path)
        self._count = StoryCount()
        """The temporary number of stories, if there is one."""
        self.executor = executor
        """Creates the executor for the stages of a video that is added."""
        self._films = lru_cache(FILMS_IN_MEMORY)(self._load_film)
        self._regrouped = lru_cache(COUNTS_IN_MEMORY)(self._with_other_count)
        self._namer = StoryNamer(self.store, self._films)
        self.found_by_baselines = lru_cache(ANSWERS_IN_MEMORY)(partial(found_by_baselines, self))
        """Baseline stories, cached while this library is open."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and other processes open the library again; caches are not copied."""
        given = (self.config, self.store, self.executor)
        return _reopened, (type(self), self.place, *given)

    def add(
        self,
        path: str | Path,
        *,
        transcript: str | Path | None = None,
        again: bool = False,
        report: Report = silent,
    ) -> Video:
        added = add_video(
            self.store,
            self.config,
            Path(path),
            executor=self.executor,
            transcript=transcript,
            again=again,
            report=report,
        )
        apply_own_version(self, added.id)
        self._search.prepare()
        return added

    def videos(self) -> list[VideoRecord]:
        return [as_it_stands(self.store, record) for record in self.store.records()]

    def video(self, video: str) -> Video:
        return self._record(video).video

    def stories(
        self,
        video: str,
        *,
        granularity: float | None = None,
        count: int | None = None,
        minutes: float | None = None,
        annotator: str | None = None,
    ) -> list[Story]:
        wanted = StoryCount(granularity, count, minutes) or self._count
        if annotator not in (None, AUTOMATIC):
            if wanted:
                raise InvalidSetting(f"{annotator}'s version has the stories that {annotator} made")
            return annotated_stories(self, video, annotator)
        self._ready(video)
        if wanted:
            shots = self.shots(video)
            parts = list(wanted.of(self.path(video), shots[-1].span.end))
            return self.named(video, story_spans(shots, parts), parts)
        if annotator == AUTOMATIC:
            return automatic_stories(self, video)
        return list(self.store.load(video, TITLES))

    def story_count(self, video: str) -> StoryCount:
        self._record(video)
        return self._count or settings_of(self.store, self.config, video).stories.count

    def keep_story_count(self, video: str, count: StoryCount | None) -> None:
        self._ready(video)
        self.keep_settings_of(video, {"stories": dict(count.facts) if count else {}})

    def keep_settings_of(self, video: str, changes: Tables) -> None:
        """Store settings of one video; a new number of stories takes effect immediately."""
        self._record(video)
        keep_settings_of(self.store, video, changes)
        if "stories" in changes and self._record(video).state == "ready":
            regroup(self, video)

    def with_story_count(self, count: StoryCount) -> LocalLibrary:
        return self._regrouped(count, self.config) if count else self

    def own_version(self, video: str) -> str | None:
        return None if self._count else own_version(self, video)

    def choose_own_version(self, video: str, annotator: str | None) -> None:
        """Make a person's version the one that search, export and the list use; None makes it the
        automatic one."""
        self._ready(video)
        choose_own_version(self, video, annotator)

    def named(self, video: str, spans: Sequence[Span], parts: Sequence[range]) -> list[Story]:
        """Stories over these shots, with new titles for any boundaries."""
        self._ready(video)
        return self._namer.name(video, spans, parts, self.config.search)

    def stories_marked(self, video: str, annotation: Annotation) -> list[Story]:
        """The stories of an annotation, whether it is stored or not."""
        return stories_marked(self, video, annotation)

    def loudness(self, video: str, *, points: int = 2000) -> list[float]:
        """The loudness of the video over time, from 0 to 1; empty without sound."""
        return loudness(self.film(video).sound, points)

    def path(self, video: str) -> StoryPath:
        self._ready(video)
        return self.store.load(video, STORIES)

    def cue_importance(self, video: str) -> dict[str, float]:
        return self.explanations.importance(video)

    def explain(self, video: str, *, granularity: float | None = None) -> list[dict[str, Any]]:
        return self.explanations.boundaries(video, granularity)

    def shots(self, video: str) -> tuple[Shot, ...]:
        return self.film(video).shots

    def damage(self, video: str) -> str:
        return self.film(video).damaged

    def features(self, video: str) -> list[Features]:
        self._ready(video)
        # A video indexed before a cue existed lacks it until it is added again.
        made = [cue_artefact(cue) for cue in indexed_cues()]
        cues = [self.store.load(video, cue) for cue in made if self.store.key(video, cue)]
        return [*(cue for cue in cues if cue is not None), *self.store.load(video, CONCEPTS)]

    def cues(self, video: str) -> list[str]:
        return used_cues(self, video)

    def transcript(
        self, video: str, *, screen: bool = False, sounds: bool = False
    ) -> Transcript | None:
        self._ready(video)
        if sounds:  # A video indexed before sounds were named lacks them until it is added again.
            return self.store.load(video, SOUNDS) if self.store.key(video, SOUNDS) else None
        return self.store.load(video, SCREEN if screen else TRANSCRIPT)

    def find_speakers(self, video: str, *, report: Report = silent) -> None:
        self._ready(video)
        find_speakers(self, video, report=report)

    def speakers(self, video: str) -> list[dict[str, Any]]:
        self._ready(video)
        return SPEAKERS.rows(self.store, video)

    def speaker_names(self) -> list[str]:
        """The names of all speakers that people named, in any video."""
        return SPEAKERS.names(self.store)

    def name_speakers(self, video: str, names: Mapping[int, str]) -> None:
        self._ready(video)
        SPEAKERS.name(self.store, video, names)

    def forget_speakers(self, video: str) -> None:
        self._ready(video)
        SPEAKERS.forget(self.store, video)

    def find_faces(self, video: str, *, report: Report = silent) -> None:
        self._ready(video)
        find_faces(self.store, video, report=report)

    def faces(self, video: str) -> list[dict[str, Any]]:
        self._ready(video)
        return FACES.rows(self.store, video)

    def face_picture(self, video: str, number: int) -> bytes:
        self._ready(video)
        return face_picture(self.store, video, number)

    def face_names(self) -> list[str]:
        """The names of all faces that people named, in any video."""
        return FACES.names(self.store)

    def name_faces(self, video: str, names: Mapping[int, str]) -> None:
        self._ready(video)
        FACES.name(self.store, video, names)

    def forget_faces(self, video: str) -> None:
        self._ready(video)
        FACES.forget(self.store, video)

    def search(
        self, text: str, *, limit: int = 10, offset: int = 0, only: Filter | None = None
    ) -> list[Hit]:
        return self._search.search(text, limit=limit, offset=offset, only=only)

    def search_image(
        self, image: str | Path, *, limit: int = 10, only: Filter | None = None
    ) -> list[Hit]:
        return self._search.search_image(Path(image), limit=limit, only=only)

    def more_like(self, story: Story, *, limit: int = 10, only: Filter | None = None) -> list[Hit]:
        return self._search.more_like(story, limit=limit, only=only)

    def thumbnail(self, video: str, story: Story) -> Thumbnail:
        return self.thumbnails(video, [story])[0]

    def thumbnails(self, video: str, stories: Sequence[Story]) -> list[Thumbnail]:
        """The thumbnails of stories of a video when there is no query."""
        self._ready(video)
        return self._search.thumbnails(stories)

    def prefer_thumbnail(self, story: Story, seconds: float) -> float:
        self._ready(story.video)
        return prefer_frame(self.store, story, seconds)

    def write_thumbnails(self, video: str) -> list[tuple[Thumbnail, tuple[Path, Path]]]:
        return write_thumbnails(self, video)

    def findings(
        self, video: str, *, stories: Sequence[Story] | None = None, truth: Truth | None = None
    ) -> Findings:
        return findings(self, video, self.stories(video) if stories is None else stories, truth)

    def draw_hits(self, query: str, hits: Sequence[Hit], path: Path) -> None:
        draw_hits(self, query, hits, path)

    def picture(self, video: str, seconds: float) -> Path:
        try:
            return picture_file(self.store, video, seconds)
        except LibraryError:
            self._ready(video)  # An unknown or unfinished video has a clearer reason.
            raise

    def picture_times(self, video: str) -> list[tuple[int, float]]:
        keyframes = self.film(video).keyframes
        return list(zip(keyframes.shots.tolist(), keyframes.seconds.tolist(), strict=True))

    def comparison(self, video: str, *, baselines: bool = False) -> dict[str, Any]:
        return compare(self, video, baselines=baselines)

    def annotate(self, video: str, annotation: Annotation) -> None:
        keep_annotation(self.store, self.video(video), annotation)
        if self.own_version(video) == annotation.annotator:
            apply_own_version(self, video)

    def discard_annotation(self, video: str, annotator: str) -> None:
        if annotator not in self.annotations(video):
            raise AnnotationError(f"{annotator!r} has not annotated {video}")
        self.store.put_annotation(video, annotator, None)
        if self._record(video).state == "ready":
            apply_own_version(self, video)

    def annotations(self, video: str) -> dict[str, Annotation]:
        self._record(video)
        return kept_annotations(self.store, video)

    def remove(self, video: str) -> None:
        remove_video(self.store, self._record(video))

    def jobs(self) -> list[dict[str, Any]]:
        """Videos queued by servers and clusters, oldest first, with their progress."""
        return [json.loads(facts) for facts in self.store.jobs.all().values()]

    def facts(self) -> list[dict[str, Any]]:
        return facts_of_all(self.store, self.videos())

    def with_settings(self, settings: Sequence[str], *, preset: str | None = None) -> LocalLibrary:
        base = preset_called(preset) if preset else self.config
        return self.with_config(with_settings(base, parse_settings(settings)))

    def with_config(self, config: Config) -> LocalLibrary:
        """The same library with these settings temporarily."""
        return type(self)(self.place, config=config, store=self.store, executor=self.executor)

    def keep_settings(
        self, settings: Sequence[str], *, preset: str | None = None, report: Report = silent
    ) -> None:
        keep_settings(self, settings, preset=preset, report=report)

    @cached_property
    def explanations(self) -> Explanations:
        """Explanations of story boundaries."""
        return Explanations(self, remembered=FILMS_IN_MEMORY)

    @cached_property
    def _search(self) -> LibrarySearch:
        return LibrarySearch(self, self._count)

    def _record(self, video: str) -> VideoRecord:
        return require_record(self.store, video)

    def _ready(self, video: str) -> None:
        require_ready(self._record(video))

    def film(self, video: str) -> Film:
        """The data decoded from the file of a video: its shots, keyframes and sound."""
        self._ready(video)
        return self._films(video, self.store.key(video, SCAN))

    def _keyframes(self, video: str) -> Keyframes | None:
        try:
            return self.film(video).keyframes
        except LibraryError:  # A person's stories can be exported even if the pictures are damaged.
            return None

    def _contact_sheet(self, video: str, stories: list[Story]) -> Callable[[Path], None]:
        return lambda path: contact_sheet(self.findings(video, stories=stories), path)

    def _storyboard(self, video: str, stories: list[Story] | None, annotator: str | None) -> str:
        return render(self.findings(video, stories=stories))

    def _with_other_count(self, count: StoryCount, config: Config) -> LocalLibrary:
        regrouped: Any = RegroupedStore(self.store, count)
        seen = type(self)(self.place, config=config, store=regrouped, executor=self.executor)
        seen._count, seen._films, seen._namer = count, self._films, self._namer
        return seen

    def _load_film(self, video: str, key: str | None) -> Film:
        return self.store.load(video, SCAN)

    def _about(self, video: str) -> dict[str, Any]:
        return facts_of(self.store, self._record(video))


def _reopened(
    kind: type[LocalLibrary], place: str, config: Config, store: Store, executor: NewExecutor
) -> LocalLibrary:
    return kind(place, config=config, store=store, executor=executor)
