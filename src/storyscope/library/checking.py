"""Check a library for damage, and repair what can be recomputed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from storyscope.errors import StoryscopeError
from storyscope.library.local import LocalLibrary
from storyscope.library.removing import BY_VIDEO
from storyscope.library.thumbnails import CHOICES
from storyscope.media import film_stamp, has_film
from storyscope.stages.rankers import RANKER_FILE
from storyscope.store import Store
from storyscope.store.checking import StoreCheck, check_of
from storyscope.thumbnails import load_ranker

FOLDERS = (
    "arrays",
    "backups",
    "locks",
    "pictures",
    "scratch",
    "search",
    "transcripts",
    "uploads",
)


@dataclass(frozen=True)
class Problem:
    """A problem found in a library."""

    what: str
    """The damage in one line."""
    video: str = ""
    """The id of the affected video, if there is one."""
    repaired: bool = False
    advice: str = ""
    """What the user can do if nothing was repaired."""


def check_library(library: LocalLibrary, *, repair: bool = False) -> list[Problem]:
    """Check the database, the arrays and the films; `repair` rebuilds what is damaged.

    Annotations are never touched. A video whose film is missing cannot be indexed again.
    """
    check = check_of(library.store)
    check.require_sound_database()
    found = [*_links(library.folder), *_documents(library.store, repair)]
    found += _damaged_videos(library, check, repair)
    found += _strays(check, repair)
    found += [*_films(library)]
    return found


def duplicates(library: LocalLibrary) -> list[tuple[str, ...]]:
    """Ids of videos with the same content, each group once."""
    groups = defaultdict(list)
    for record in library.store.records():
        groups[record.video.digest].append(record.video.id)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def _links(folder: Path) -> Iterator[Problem]:
    places = [folder / name for name in FOLDERS]
    places += [path for place in places if place.is_dir() for path in place.iterdir()]
    for path in places:
        if path.is_symlink():
            advice = "replace it by a folder; nothing is written or deleted through a link"
            yield Problem(f"{path} is a link", advice=advice)


def _documents(store: Store, repair: bool) -> Iterator[Problem]:
    tests: dict[str, Callable[[], object]] = {
        document.name: partial(document.read, store) for document in (CHOICES, *BY_VIDEO)
    }
    tests[RANKER_FILE] = lambda: load_ranker(store.document(RANKER_FILE))
    for name, read in tests.items():
        path = store.document(name)
        if not path.exists():
            continue
        try:
            read()
        except (StoryscopeError, OSError, ValueError, LookupError, TypeError):
            if repair:
                store.put_document(f"{name}.damaged", path.read_bytes())
                store.put_document(name, None)
            kept = f"; it was kept as {name}.damaged" if repair else ""
            yield Problem(f"{name} is damaged{kept}", repaired=repair)


def _damaged_videos(library: LocalLibrary, check: StoreCheck, repair: bool) -> Iterator[Problem]:
    for record in library.store.records():
        video = record.video.id
        damaged = [*check.damaged(video)]
        if not damaged:
            continue
        stages = ", ".join(stage for stage, _ in damaged)
        what = f"{video} has damaged artefacts: {stages}"
        if not repair:
            yield Problem(what, video, advice="run `storyscope check --repair`")
        elif not has_film(record.video.path):
            advice = "its file is missing: find it with `storyscope relink FOLDER`, repair then"
            yield Problem(what, video, advice=advice)
        else:
            for stage, _ in damaged:
                check.drop(video, stage)
            try:
                library.add(record.video.path, transcript=record.transcript)
                yield Problem(what, video, repaired=True)
            except StoryscopeError as error:
                yield Problem(what, video, advice=str(error))


def _strays(check: StoreCheck, repair: bool) -> Iterator[Problem]:
    stray = check.strays()
    if stray and repair:
        check.delete_strays()
    if stray:
        many = f"{len(stray)} files of arrays belong" if len(stray) > 1 else "a file belongs"
        yield Problem(f"{many} to no video, such as {Path(stray[0]).name}", repaired=repair)


def _films(library: LocalLibrary) -> Iterator[Problem]:
    for record in library.store.records():
        path = record.video.path
        if not has_film(path):
            advice = "find it with `storyscope relink FOLDER`"
            yield Problem(f"{record.video.id}: {path} is missing", record.video.id, advice=advice)
        elif film_stamp(path)[0] != record.size:
            advice = f"run `storyscope add {path}`"
            what = f"{record.video.id}: its video file is not the one that was indexed"
            yield Problem(what, record.video.id, advice=advice)
    for first, *others in duplicates(library):
        advice = "remove those that you do not need"
        yield Problem(f"{first} has the same content as {', '.join(others)}", first, advice=advice)
