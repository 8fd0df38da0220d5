"""Facts about the videos of a library, for scripts and people."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from storyscope.errors import LibraryError, UnknownVideo
from storyscope.library.adding import as_it_stands
from storyscope.store import TITLES, Store, VideoRecord, in_bucket


def require_record(store: Store, video: str) -> VideoRecord:
    """A video in any state; the error for an unknown id suggests others."""
    record = store.record(video)
    if record is None:
        ids = [r.video.id for r in store.records()]
        there = f"it holds {', '.join(ids[:8])}" if ids else "it is empty"
        raise UnknownVideo(f"no video called {video!r} in {store.place}; {there}")
    return as_it_stands(store, record)


def require_ready(record: VideoRecord) -> None:
    """Raise an error with the reason if a video is not completely indexed."""
    video = record.video.id
    if record.state == "stopped":
        raise LibraryError(f"indexing of {video} was {record.failure}")
    if record.state == "failed":
        raise LibraryError(f"{video} could not be indexed: {record.failure}")
    if record.state != "ready":
        raise LibraryError(f"{video} is being indexed; wait until it is done")


def facts_of_all(store: Store, records: Sequence[VideoRecord]) -> list[dict[str, Any]]:
    """The facts of every video; duplicates refer to each other."""
    alike: dict[str, list[str]] = {}
    for record in records:
        alike.setdefault(record.video.digest, []).append(record.video.id)
    listed = []
    for record in records:
        others = [other for other in alike[record.video.digest] if other != record.video.id]
        listed.append(facts_of(store, record) | ({"same_film": others} if others else {}))
    return listed


def facts_of(store: Store, record: VideoRecord) -> dict[str, Any]:
    """The facts of one video."""
    ready = record.state == "ready" and store.key(record.video.id, TITLES)
    return {
        "id": record.video.id,
        "path": record.video.path,
        "duration": record.video.duration,
        "stories": len(store.load(record.video.id, TITLES)) if ready else 0,
        "state": record.state,
        "failure": record.failure,
        # Asking a bucket for every film would make the list too slow.
        "missing": not in_bucket(record.video.path) and not os.path.isfile(record.video.path),
    }
