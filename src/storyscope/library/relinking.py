"""Find films that were moved, by their content."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from storyscope.library.adding import one_spelling
from storyscope.library.local import LocalLibrary
from storyscope.media import file_digest, find_videos, has_film


@dataclass(frozen=True)
class Relinked:
    """A video whose film was found at another path."""

    video: str
    before: str
    now: str


def relink(library: LocalLibrary, folder: Path) -> tuple[list[Relinked], list[str]]:
    """Search a folder for films that are missing; also return the ids of those not found.

    A film is recognised by the digest of its whole content. Stories and annotations do not change.
    """
    store = library.store
    records = store.records()
    missing = [record for record in records if not has_film(record.video.path)]
    taken = {record.video.path for record in records}
    sizes = {record.size for record in missing}
    candidates: dict[str, Path] = {}
    for path in (one_spelling(path) for path in find_videos([folder])) if missing else ():
        if path.stat().st_size in sizes and str(path) not in taken:
            candidates.setdefault(file_digest(path), path)
    found: list[Relinked] = []
    lost: list[str] = []
    for record in missing:
        if record.video.digest not in candidates:
            lost.append(record.video.id)
            continue
        path = candidates.pop(record.video.digest)
        with store.busy(record.video.id):
            moved = replace(record.video, path=str(path))
            modified_ns = path.stat().st_mtime_ns
            store.put_record(replace(record, video=moved, modified_ns=modified_ns))
        found.append(Relinked(record.video.id, record.video.path, str(path)))
    return found, lost
